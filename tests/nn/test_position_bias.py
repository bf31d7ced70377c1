"""Position biases as modules: equal to T5, Bloom and NumPy, and to themselves when a cache grows; and refusals."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers import T5Config
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.t5.modeling_t5 import T5Attention

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import close, draw, generator, gradients, with_numbers

LENGTHS = [(1, 1), (5, 5), (3, 7), (1, 40), (140, 140), (2, 300)]
SIZES = [(32, 128), (8, 5), (10, 50), (64, 1000)]
heads, lengths = st.integers(1, 35), st.integers(1, 40)


def relative(n_heads=3, n_buckets=8, max_distance=5, bidirectional=True) -> nn.RelativeBias:
    return nn.RelativeBias(n_heads, n_buckets, max_distance, bidirectional=bidirectional, generator=generator())


# --- learned, by buckets ---


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize(("n_buckets", "max_distance"), SIZES)
@pytest.mark.parametrize(("T", "S"), LENGTHS)
def test_relative_equal_to_t5_with_gradients(T: int, S: int, n_buckets: int, max_distance: int, bidirectional) -> None:
    sizes = {"relative_attention_num_buckets": n_buckets, "relative_attention_max_distance": max_distance}
    config = T5Config(d_model=6, d_kv=2, num_heads=3, is_decoder=not bidirectional, **sizes)
    theirs = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    ours = relative(3, n_buckets, max_distance, bidirectional)
    theirs.relative_attention_bias.weight.data = ours.table.data.clone()
    got, expected = ours(T, S), theirs.compute_bias(T, S, past_seen_tokens=S - T)[0]
    assert torch.equal(got, expected)
    close(*gradients([ours.table], got), *gradients([theirs.relative_attention_bias.weight], expected))


@given(lengths, lengths, st.sampled_from(SIZES), st.booleans())
def test_relative_equal_to_numpy(T: int, more: int, sizes: tuple[int, int], bidirectional: bool) -> None:
    ours, S = relative(3, *sizes, bidirectional), T + more - 1
    buckets = F.relative_buckets(T, S, n_buckets=sizes[0], max_distance=sizes[1], bidirectional=bidirectional)
    assert torch.equal(ours.buckets(T, S), torch.from_numpy(buckets))
    assert torch.equal(ours(T, S), torch.from_numpy(F.position_bias(ours.table.detach().numpy(), buckets)))


@given(lengths, lengths, lengths)
def test_later_queries_have_the_last_rows(before: int, T: int, more: int) -> None:
    """So a decoder with a cache adds what one without adds; and a distance counts, not a position."""
    for bias in (relative(), relative(bidirectional=False), nn.AlibiBias(3)):
        whole = bias(before + T, before + T)
        assert torch.equal(bias(T, before + T), whole[:, before:])
        assert torch.equal(bias(before + T + more, before + T + more)[:, more:, more:], whole)


def test_relative_starts_at_random_or_empty() -> None:
    assert torch.equal(relative().table, relative().table)
    table = nn.RelativeBias(400, 30, 50, bidirectional=True, generator=generator()).table
    assert table.shape == (30, 400)
    assert table.std().item() == pytest.approx(400**-0.5, rel=0.03)
    assert nn.RelativeBias(3, 8, 5, bidirectional=True).table.shape == (8, 3)


# --- fixed, in proportion to the distance ---


@given(heads, lengths, lengths)
def test_alibi_equal_to_numpy(n_heads: int, T: int, more: int) -> None:
    S = T + more - 1
    expected = torch.from_numpy(F.alibi_bias(n_heads, T, S)).float()
    torch.testing.assert_close(nn.AlibiBias(n_heads)(T, S), expected, rtol=1e-6, atol=0)


@pytest.mark.parametrize("n_heads", range(1, 36))
def test_alibi_equal_to_bloom_in_attention(n_heads: int) -> None:
    """Bloom adds m s where we add -m (t - s): a constant in a row, which softmax ignores."""
    scores, seen = draw(n_heads, 7, 7), torch.ones(7, 7, dtype=torch.bool).tril()
    theirs = build_alibi_tensor(torch.ones(1, 7, dtype=torch.long), n_heads, torch.float64)  # (n_heads, 1, S)
    got, expected = (
        (scores + bias).masked_fill(~seen, -torch.inf).softmax(dim=-1) for bias in (nn.AlibiBias(n_heads)(7, 7), theirs)
    )
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-6)  # slopes of both are float32


def test_alibi_learns_and_keeps_nothing() -> None:
    bias = nn.AlibiBias(6)
    assert not list(bias.parameters())
    assert not bias.state_dict()
    assert bias.to("meta")(2, 3).device.type == "meta"


# --- in attention ---


@pytest.mark.parametrize(
    "bias", [relative(6, 8, 5), with_numbers(relative(6, 8, 5, bidirectional=False)), nn.AlibiBias(6)]
)
def test_step_by_step_equals_all_at_once(bias: torch.nn.Module) -> None:
    ours = nn.MultiHeadAttention(10, 6, 2, d_k=4, generator=generator(), dtype=torch.float64)
    x, cache, steps = draw(2, 11, 10), nn.KeyValueCache(), []
    whole = ours(x, is_causal=True, position_bias=bias(11, 11))
    for piece in x.split([4, 1, 1, 5], dim=-2):
        T = piece.shape[-2]
        steps.append(ours(piece, cache=cache, is_causal=True, position_bias=bias(T, len(cache) + T)))
    close(torch.cat(steps, dim=-2), whole)


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: relative(0), r"^n_heads=0, n_buckets=8, max_distance=5: 2 distances have a bucket each, at least 1"),
        (lambda: relative(3, 3), r"^n_heads=3, n_buckets=3, max_distance=5: 0 distances have a bucket each"),
        (lambda: relative(3, 1, bidirectional=False), r"^n_heads=3, n_buckets=1, .*: 0 distances have a bucket each"),
        (lambda: relative(3, 20), r"^n_heads=3, n_buckets=20, max_distance=5: 5 .* below max_distance$"),
        (lambda: relative(3, 9), r"^n_buckets=9 must be even: half of them are for each direction$"),
        (lambda: nn.AlibiBias(0), r"^n_heads=0 must be at least 1$"),
        (lambda: nn.AlibiBias(2)(3, 2), r"^T=3 query positions must be the last of S=2 key positions"),
        (lambda: relative()(0, 2), r"^T=0 query positions must be the last of S=2 key positions"),
    ],
)
def test_refuses_what_has_no_meaning(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
