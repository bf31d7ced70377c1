"""The attention module: equal to PyTorch and to NumPy, outputs and gradients, at once and step by step."""

import math

import pytest
import torch
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, attention, close, draw, gradients, projections, weights_of, with_numbers

B, N_HEADS, N_KV_HEADS, T, S, D_MODEL, D_K = 2, 6, 3, 5, 7, 10, 4
CAUSAL = torch.from_numpy(F.causal_mask(T, S))
MASKS = {
    "none": None,
    "causal": CAUSAL,
    "padding": torch.tensor([[S], [3]])[..., None, None] > torch.arange(S),  # (B, 1, 1, S)
    "some rows nothing": CAUSAL & (torch.arange(T) % 2 == 0)[:, None],
}
BIASES = [None, (T, S), (N_HEADS, T, S), (B, N_HEADS, T, S)]
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 4)


def make(n_kv_heads: int = N_KV_HEADS, dtype: torch.dtype = torch.float64, **options) -> nn.MultiHeadAttention:
    """Six heads of width 4 on tokens of width 10: neither follows from the other."""
    return with_numbers(attention(N_HEADS, n_kv_heads, D_MODEL, dtype, d_k=D_K, bias=True, **options))


# --- against PyTorch ---


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("cross", [False, True])
def test_equal_to_torch_module_with_gradients(dtype, cross: bool) -> None:
    ours = attention(dtype=dtype)
    theirs = torch.nn.MultiheadAttention(6, 3, bias=False, batch_first=True, dtype=dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.w_qkv.T)
        theirs.out_proj.weight.copy_(ours.w_o.T)
    x = draw(B, T, 6, dtype=dtype).requires_grad_()
    y = draw(B, S, 6, dtype=dtype, seed=2).requires_grad_() if cross else x
    mask = None if cross else torch.ones(T, T, dtype=torch.bool).tril()
    expected, expected_weights = theirs(x, y, y, attn_mask=None if cross else ~mask, average_attn_weights=False)
    inputs = (x, ours.keys_values(y)) if cross else (x,)
    got = ours(*inputs, mask=mask)
    close(got, expected)
    close(weights_of(ours, *inputs, mask=mask), expected_weights)
    if not cross:
        close(ours(x, is_causal=True), expected)
    d_x, d_qkv, d_o = gradients([x, ours.w_qkv, ours.w_o], got)
    for mine, other in zip(
        (d_x, d_qkv.T, d_o.T), gradients([x, theirs.in_proj_weight, theirs.out_proj.weight], expected), strict=True
    ):
        close(mine, other)


def by_definition(ours: nn.MultiHeadAttention, x, y, mask, bias) -> torch.Tensor:
    """Softmax and products; a row that sees no key gets 0."""
    q, k, v = (
        (z @ w + b).unflatten(-1, (-1, D_K)).transpose(1, 2)
        for z, w, b in zip((x, y, y), projections(ours), ours.b_qkv.split([24, 12, 12]), strict=True)
    )
    k, v = (z.repeat_interleave(N_HEADS // N_KV_HEADS, dim=1) for z in (k, v))
    seen = torch.ones(T, S, dtype=torch.bool) if mask is None else mask
    some = seen.any(dim=-1, keepdim=True)
    scores = q @ k.mT / math.sqrt(D_K) + (0 if bias is None else bias)
    weights = some * scores.masked_fill(~seen & some, -math.inf).softmax(dim=-1)
    return (weights @ v).transpose(1, 2).flatten(-2) @ ours.w_o + ours.b_o


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("shape", BIASES, ids=str)
def test_equal_to_the_definition_with_every_gradient(shape, mask: torch.Tensor | None, dtype) -> None:
    ours = make(dtype=dtype)
    x, y = (draw(B, n, D_MODEL, dtype=dtype, seed=n).requires_grad_() for n in (T, S))
    bias = None if shape is None else draw(*shape, dtype=dtype, seed=3).requires_grad_()
    learned = [x, y, *ours.parameters(), *([] if bias is None else [bias])]
    got = ours(x, ours.keys_values(y), mask=mask, position_bias=bias)
    expected = by_definition(ours, x, y, mask, bias)
    close(got, expected)
    for mine, other in zip(gradients(learned, got), gradients(learned, expected), strict=True):
        close(mine, other)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("shape", BIASES[:2], ids=str)
def test_rows_that_see_nothing_give_0_and_no_gradient(shape, dtype) -> None:
    ours, x = attention(3, 1, dtype=dtype), draw(B, T, 6, dtype=dtype).requires_grad_()
    bias = None if shape is None else draw(T, T, dtype=dtype).requires_grad_()
    mask = torch.ones(T, T, dtype=torch.bool).tril().index_fill(0, torch.tensor([0, 1]), False)
    output = ours(x, mask=mask, position_bias=bias)
    assert (output[:, :2] == 0).all()
    learned = [x, *ours.parameters(), *([] if bias is None else [bias])]
    assert all(gradient.isfinite().all() for gradient in gradients(learned, output))
    assert (gradients([x], ours(x, mask=mask, position_bias=bias)[:, :2])[0] == 0).all()
    assert (weights_of(ours, x, mask=mask)[..., :2, :] == 0).all()


# --- against NumPy ---


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("shape", BIASES[:3], ids=str)
def test_equal_to_numpy(shape, n_kv_heads: int, mask: torch.Tensor | None) -> None:
    ours = make(n_kv_heads)
    x, y = draw(B, T, D_MODEL), draw(B, S, D_MODEL, seed=2)
    bias = None if shape is None else draw(*shape, seed=3)
    kv = n_kv_heads * D_K
    b_q, b_k, b_v = ours.b_qkv.split([N_HEADS * D_K, kv, kv])
    output, weights = F.multi_head_attention(
        x.numpy(),
        y.numpy(),
        *(w.detach().numpy() for w in (*projections(ours), ours.w_o)),
        n_heads=N_HEADS,
        n_kv_heads=n_kv_heads,
        mask=None if mask is None else mask.numpy(),
        position_bias=None if bias is None else bias.numpy(),
        **{f"b_{name}": b.detach().numpy() for name, b in zip("qkvo", (b_q, b_k, b_v, ours.b_o), strict=True)},
    )
    options = {"mask": mask, "position_bias": bias}
    close(ours(x, ours.keys_values(y), **options), torch.from_numpy(output))
    close(weights_of(ours, x, ours.keys_values(y), **options), torch.from_numpy(weights))


# --- batches, and step by step ---


@pytest.mark.parametrize("axes", [(), (1,), (2, 3)], ids=str)
@pytest.mark.parametrize("n_kv_heads", [2, 6])
def test_each_sequence_by_itself(n_kv_heads: int, axes: tuple[int, ...]) -> None:
    ours, x, bias = make(n_kv_heads), draw(*axes, T, D_MODEL), draw(N_HEADS, T, T)
    for options in ({}, {"is_causal": True}, {"is_causal": True, "position_bias": bias}):
        output = ours(x, **options)
        assert output.shape == x.shape
        close(output, torch.stack([ours(one, **options) for one in x.reshape(-1, T, D_MODEL)]).reshape(x.shape))


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("rotated", [False, True])
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.inference_mode])
def test_step_by_step_equals_all_at_once(n_kv_heads: int, rotated: bool, mode) -> None:
    rotary = nn.RotaryEncoding(16, 2, dtype=torch.float64) if rotated else None
    ours, x = attention(4, n_kv_heads, 8, rotary=rotary), draw(2, 11, 8)
    whole = ours(x, is_causal=True)
    for parts in ([1] * 11, [5, 1, 2, 3], [11]):
        cache = nn.KeyValueCache()
        with mode():
            steps = [ours(piece, cache=cache, is_causal=True) for piece in x.split(parts, dim=-2)]
        close(torch.cat(steps, dim=-2), whole)
        assert len(cache) == 11
        assert cache.k.shape == (2, n_kv_heads, 11, 2)


def test_a_cache_follows_its_sequences() -> None:
    ours, x, new = attention(6, 2, 12), draw(2, 5, 12), draw(3, 1, 12, seed=2)
    cache, rows = nn.KeyValueCache(), torch.tensor([1, 1, 0])
    ours(x, cache=cache)
    output = ours(new, cache=cache.reorder(rows))
    close(output, ours(torch.cat([x[rows], new], dim=1), is_causal=True)[:, 5:])
    assert len(cache) == 5


def test_padding_in_the_cache_stays_hidden() -> None:
    ours, x, cache = attention(), draw(2, 5, 6), nn.KeyValueCache()
    ours(x[:, :4], cache=cache)
    output = ours(x[:, 4:], cache=cache, is_causal=True, mask=torch.tensor([[False, True, True, True, True]]))
    close(output, ours(x[:, 1:], is_causal=True)[:, 3:])


# --- as a module ---


def test_rotary_part_rotates_queries_and_keys() -> None:
    """Scores depend on distances only: the same tokens later give the same output."""
    ours, x, cache = attention(3, rotary=nn.RotaryEncoding(64, 2, dtype=torch.float64)), draw(5, 6), nn.KeyValueCache()
    ours(draw(40, 6), cache=cache)
    later = torch.ones(5, 45, dtype=torch.bool).tril(40) & (torch.arange(45) >= 40)
    close(ours(x, cache=cache, mask=later), ours(x, is_causal=True))
    assert (attention(3)(x) - ours(x)).abs().max() > 0.01


def test_parameters_and_initial_weights() -> None:
    for n_heads in (1, 2, 3, 6):
        assert sum(p.numel() for p in attention(n_heads).parameters()) == 4 * 6 * 6
    assert sum(p.numel() for p in attention(6, 2, 12).parameters()) == 2 * 12 * 12 + 2 * 12 * 4
    assert list(attention(bias=True).state_dict()) == ["w_qkv", "w_o", "b_qkv", "b_o"]
    assert torch.equal(attention(seed=3).w_qkv, attention(seed=3).w_qkv)
    assert not torch.equal(attention(seed=3).w_qkv, attention(seed=4).w_qkv)
    assert attention(1, d_model=300).w_o.var().item() == pytest.approx(1 / 300, rel=0.03)
    assert repr(attention(4, 2, 8)) == "MultiHeadAttention(d_model=8, n_heads=4, n_kv_heads=2, d_k=2)"


@pytest.mark.parametrize("kind", ["generator", "default"])
def test_weights_are_random_with_a_generator_and_without(kind: str) -> None:
    torch.manual_seed(0)
    made = [
        nn.MultiHeadAttention(64, 2, generator=torch.Generator() if kind == "generator" else None).w_o for _ in "ab"
    ]
    assert all(w.var().item() == pytest.approx(1 / 64, rel=0.1) for w in made)
    assert torch.equal(*made) == (kind == "generator")


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("sizes", [(0, 1, 1, None), (6, 4, 4, None), (6, 3, 2, None), (6, 2, 2, -1), (6, 0, 0, None)])
def test_refuses_sizes(sizes) -> None:
    *given, d_k = sizes
    with pytest.raises(ValueError, match=f"n_heads={sizes[1]} must divide d_model={sizes[0]}, n_kv_heads={sizes[2]}"):
        nn.MultiHeadAttention(*given, d_k=d_k)


@pytest.mark.usefixtures("unchecked")
def test_refuses_what_does_not_fit() -> None:
    ours, x = attention(), draw(2, 5, 6)
    with pytest.raises(ValueError, match=r"^x must be \(..., 6\), got shape \(2, 5, 5\)$"):
        ours(x[..., :5])
    with pytest.raises(TypeError, match=r"^mask must be boolean, True where a query may attend, got torch.float64$"):
        ours(x, mask=torch.ones(5, 5, dtype=torch.float64))
    for options in ({"mask": CAUSAL}, {"position_bias": draw(4, 5, 5)}):
        with pytest.raises(RuntimeError, match="must match"):
            ours(x, **options)
    with pytest.raises(RuntimeError):
        ours(x, ours.keys_values(draw(3, 5, 6)))
