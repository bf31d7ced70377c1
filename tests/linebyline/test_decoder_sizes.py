"""What sizes decide: equal to the models themselves, counted on a device that holds shapes only."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode

from clearformer.models import CachedDecoder, Decoder, GPT2Config, LlamaConfig, gpt2, llama
from linebyline.decoder_sizes import PUBLISHED, DecoderSizes
from tests.few import few


def model(config: GPT2Config | LlamaConfig, generator: torch.Generator | None = None) -> Decoder:
    return gpt2(config, generator) if isinstance(config, GPT2Config) else llama(config, generator)


def counted(config: GPT2Config | LlamaConfig) -> int:
    with torch.device("meta"):
        return sum(p.numel() for p in model(config).parameters())


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_models_have_as_many_parameters_as_they_say(name):
    said = {
        "GPT-2": 124_439_808,
        "TinyLlama": 1_100_048_384,
        "Llama 2 7B": 6_738_415_616,
        "Llama 2 70B": 68_976_648_192,
        "Llama 3.1 8B": 8_030_261_248,
        "Llama 3.1 70B": 70_553_706_496,
    }
    assert DecoderSizes.of(PUBLISHED[name]).parameters == counted(PUBLISHED[name]) == said[name]


groups = st.tuples(st.integers(1, 3), st.integers(1, 4))


@few
@given(st.integers(1, 3), groups, st.integers(1, 5), st.integers(1, 40), st.integers(1, 50), st.booleans())
def test_any_llama_is_counted(n_layers, heads, pairs, d_ff, vocab_size, tied):
    n_kv_heads, group = heads
    n_heads = n_kv_heads * group
    config = LlamaConfig(vocab_size, 8, 2 * pairs * n_heads, n_heads, n_kv_heads, n_layers, d_ff, tied=tied)
    assert DecoderSizes.of(config).parameters == counted(config)


@few
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.integers(1, 40), st.integers(1, 50))
def test_any_gpt2_is_counted(n_layers, n_heads, width, d_ff, vocab_size):
    config = GPT2Config(vocab_size, 7, width * n_heads, n_heads, n_layers, d_ff)
    assert DecoderSizes.of(config).parameters == counted(config)


SMALL = [GPT2Config(23, 11, 12, 3, 2, 20), LlamaConfig(23, 11, 12, 6, 2, 3, 20)]


@pytest.mark.parametrize("config", SMALL)
def test_operations_are_those_that_pytorch_counts(config):
    """Of ``T`` tokens at once, whose scores go both ways before they are masked, ``T`` times those of the last."""
    made = model(config, torch.Generator().manual_seed(0))
    with sdpa_kernel(SDPBackend.MATH), FlopCounterMode(display=False) as counter:
        made(torch.zeros(7, dtype=torch.int64))
    assert counter.get_total_flops() == 7 * DecoderSizes.of(config).operations(7)


@pytest.mark.parametrize("config", SMALL)
def test_the_cache_holds_what_a_cached_decoder_keeps(config):
    made = model(config, torch.Generator().manual_seed(0))
    caches = made.new_caches()
    made(torch.zeros(1, 7, dtype=torch.int64), caches=caches)
    kept = sum(cache.k.numel() + cache.v.numel() for cache in caches)
    assert DecoderSizes.of(config).cache_bytes(7) == 2 * kept
    assert CachedDecoder(made)(torch.zeros(1, 7, dtype=torch.int64)).shape == (1, 23)


def test_the_slower_of_memory_and_arithmetic_decides():
    sizes = DecoderSizes(8, 2, 2, 1, 16, 32)
    matrices = 2 * (2 * 8 * 3 * 4 + 3 * 8 * 16) + 32 * 8
    fetched, operations = matrices * 4 / 8 + 2 * 2 * 4 * 5 * 2, 2 * matrices + 4 * 2 * 8 * 5
    assert sizes.tokens_per_second(5, bits=4, bandwidth=1.0, rate=1e12) == pytest.approx(1 / fetched)
    assert sizes.tokens_per_second(5, bits=4, bandwidth=1e12, rate=1.0) == pytest.approx(1 / operations)
