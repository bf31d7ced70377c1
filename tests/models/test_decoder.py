"""The decoder: step by step as all at once, blind to later tokens, its initial weights, and refusals."""

import pytest
import torch

from clearformer import nn
from clearformer.models import GPT2Config, LlamaConfig, RotaryScaling, T5Config, gpt2, t5
from tests.models.small import DECODERS, IDS, SIZES, gpt


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
@pytest.mark.parametrize("parts", [[7], [3, 4], [1] * 7, [2, 1, 3, 1]])
def test_step_by_step_equals_all_at_once(make, parts: list[int]) -> None:
    ours = make()
    caches = ours.new_caches()
    steps = [ours(ids, caches=caches) for ids in IDS.split(parts, dim=-1)]
    torch.testing.assert_close(torch.cat(steps, dim=1), ours(IDS), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_future_cannot_be_seen(make) -> None:
    ours, changed = make(), IDS.clone()
    changed[:, 4:] = 0
    torch.testing.assert_close(ours(changed)[:, :4], ours(IDS)[:, :4], rtol=1e-12, atol=1e-12)
    assert (ours(changed)[:, 4:] - ours(IDS)[:, 4:]).abs().max() > 0.01


@pytest.mark.parametrize("make", DECODERS.values(), ids=DECODERS)
def test_a_single_sequence_is_a_batch_of_one(make) -> None:
    ours = make()
    torch.testing.assert_close(ours(IDS[0]), ours(IDS[:1])[0], rtol=1e-12, atol=1e-12)


def test_attention_maps_name_every_layer_and_see_the_past_only() -> None:
    ours = gpt()
    maps = nn.attention_maps(ours, IDS)
    assert list(maps) == ["blocks.0.attention", "blocks.1.attention"]
    for weights in maps.values():
        assert weights.shape == (2, 3, 7, 7)
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(2, 3, 7, dtype=torch.float64))
        assert (weights.triu(1) == 0).all()
    normed = ours.blocks[0].norm_attention(ours.embedding(IDS))
    expected = nn.attention_maps(ours.blocks[0].attention, normed, is_causal=True)[""]
    torch.testing.assert_close(maps["blocks.0.attention"], expected)


def test_tied_table_is_counted_once_and_learns_from_both_ends() -> None:
    ours = gpt()
    names = [name for name in ours.state_dict() if "table" in name]
    assert names == ["embedding.table", "embedding.position.table"]
    ours(torch.tensor([0, 1])).logsumexp(dim=-1).sum().backward()
    assert (ours.embedding.table.grad.abs().sum(dim=1) > 0).all()  # each token is scored, though two were read


@pytest.mark.parametrize("make", [lambda: gpt2(GPT2Config(**SIZES)), lambda: t5(T5Config(16, 8, 2, 4, 1, 8))])
def test_a_model_without_a_generator_starts_from_pytorchs_own(make) -> None:
    states = []
    for _ in range(2):
        torch.manual_seed(0)
        states.append(make().state_dict())
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    assert all(0 < weight.float().std() < 2 for name, weight in states[0].items() if weight.ndim == 2)
    assert gpt2(GPT2Config(**SIZES))(IDS).isfinite().all()


def test_parameters_take_no_memory_on_the_meta_device() -> None:
    with torch.device("meta"):
        empty = gpt2(GPT2Config())
    assert all(parameter.is_meta for parameter in empty.parameters())
    same = [gpt2(GPT2Config(11, 7, 8, 2, 1, 13), torch.Generator().manual_seed(3)).state_dict() for _ in range(2)]
    assert all(torch.equal(same[0][name], same[1][name]) for name in same[0])


def test_a_printed_model_shows_its_sizes() -> None:
    printed = repr(gpt2(GPT2Config(11, 7, 8, 2, 1, 13)))
    for line in (
        "vocab_size=11, d_model=8, n_segments=0",
        "LearnedEncoding(context=7, d_model=8)",
        "MultiHeadAttention(d_model=8, n_heads=2, n_kv_heads=2, d_k=4)",
        "FeedForward(d_model=8, d_ff=13, bias=True)",
        "LayerNorm(d_model=8, eps=1e-05)",
        "TiedLMHead(d_model=8, vocab_size=11, scale=1.0)",
    ):
        assert line in printed


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("ids", "error", "message"),
    [
        (torch.zeros(1, 17).long(), ValueError, "positions 0 to 16 are needed, but the model has context=16"),
        (torch.zeros(1, 0, dtype=torch.int64), ValueError, r"must hold at least one token, got shape \(1, 0\)"),
        (torch.tensor([[3, 23]]), ValueError, "ids 3 to 23 must be between 0 and vocab_size - 1 = 22"),
        (torch.tensor([[-1, 3]]), ValueError, "ids -1 to 3 must be between"),
        (torch.ones(1, 2), TypeError, "ids must be int64 or int32, got dtype torch.float32"),
    ],
)
def test_refuses(ids: torch.Tensor, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        gpt()(ids)


def test_refuses_sizes() -> None:
    with pytest.raises(ValueError, match="n_layers=0 must be at least 1"):
        GPT2Config(vocab_size=2, context=2, d_model=2, n_heads=1, n_layers=0, d_ff=2)
    with pytest.raises(ValueError, match="n_heads=3 must divide d_model=8"):
        gpt2(GPT2Config(vocab_size=2, context=2, d_model=8, n_heads=3, n_layers=1, d_ff=2))


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"d_model": 104, "n_heads": 5}, "d_model=104 must be a multiple of n_heads=5"),
        ({"base": -1.0}, "base=-1.0 must be a positive number"),
        ({"base": 0.0}, "base=0.0 must be a positive number"),
        ({"context": 0}, "context=0 must be at least 1"),
    ],
)
def test_llama_refuses_sizes_that_make_no_model(sizes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        LlamaConfig(**sizes)


@pytest.mark.parametrize("numbers", [(0.0, 1.0, 4.0, 8), (8.0, 4.0, 1.0, 8), (8.0, 1.0, 4.0, 0)])
def test_rotary_scaling_refuses_numbers_that_scale_nothing(numbers) -> None:
    with pytest.raises(ValueError, match="factor and context must be positive, and low below high"):
        RotaryScaling(*numbers)
