"""Attention with a position bias: equal to PyTorch and to NumPy, with every gradient, in every path."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import nn
from tests.few import few
from tests.nn.parts import PATHS, RTOL, attention, close, draw, gradients, with_numbers

B, N_HEADS, N_KV_HEADS, T, S, D_MODEL, D_K = 2, 6, 3, 5, 7, 10, 4
CAUSAL = torch.from_numpy(F.causal_mask(T, S))
MASKS = {
    "none": None,
    "causal": CAUSAL,
    "padding": torch.tensor([[S], [3]])[..., None, None] > torch.arange(S),  # (B, 1, 1, S)
    "keys": torch.tensor([True, True, False, True, False, True, True]),
    "some rows nothing": CAUSAL & (torch.arange(T) % 2 == 0)[:, None],
}
SHAPES = [(S,), (T, S), (N_HEADS, T, S), (N_HEADS, 1, S), (B, 1, T, S), (B, N_HEADS, T, S)]
seeds = st.integers(0, 2**32 - 1)


def make(n_kv_heads: int = N_KV_HEADS, dtype: torch.dtype = torch.float64, **options) -> nn.MultiHeadAttention:
    """Six heads of width 4 on tokens of width 10: neither follows from the other."""
    return with_numbers(attention(N_HEADS, n_kv_heads, D_MODEL, dtype, d_k=D_K, bias=True, **options))


def by_torch(ours: nn.MultiHeadAttention, x_q, x_kv, mask, bias) -> torch.Tensor:
    """The same by PyTorch's own attention, which knows a mask of floats and no heads that are shared."""

    def heads(x: torch.Tensor, w: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        split = (x @ w + b).unflatten(-1, (-1, D_K)).transpose(1, 2)  # (B, heads, rows, d_k)
        return split.repeat_interleave(N_HEADS // split.shape[1], dim=1)

    b_q, b_k, b_v = ours.b_qkv.split([w.shape[1] for w in (ours.w_q, ours.w_k, ours.w_v)])
    q, k, v = heads(x_q, ours.w_q, b_q), heads(x_kv, ours.w_k, b_k), heads(x_kv, ours.w_v, b_v)
    seen = torch.ones(T, S, dtype=torch.bool) if mask is None else torch.atleast_2d(mask)
    some = seen.any(dim=-1, keepdim=True)
    added = (bias + torch.zeros(T, S, dtype=q.dtype)).masked_fill(~seen & some, -math.inf)
    found = some * torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=added)
    return found.transpose(1, 2).flatten(-2) @ ours.w_o + ours.b_o


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_equal_to_torch_with_every_gradient(shape: tuple[int, ...], mask: torch.Tensor | None, dtype) -> None:
    ours = make(dtype=dtype)
    x_q, x_kv = (draw(B, n, D_MODEL, dtype=dtype, seed=n).requires_grad_() for n in (T, S))
    bias = draw(*shape, dtype=dtype, seed=3).requires_grad_()
    given, learned = {"mask": mask, "position_bias": bias}, [x_q, x_kv, bias, *ours.parameters()]
    expected = by_torch(ours, x_q, x_kv, mask, bias)
    expected_gradients = gradients(learned, expected)
    for got in (
        ours(x_q, x_kv, **given),
        ours.with_weights(x_q, x_kv, **given)[0],
        ours.attend(x_q, ours.keys_values(x_kv), **given),
    ):
        close(got, expected)
        for mine, other in zip(gradients(learned, got), expected_gradients, strict=True):
            close(mine, other)


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 6])
@pytest.mark.parametrize("shape", [None, *SHAPES], ids=str)
def test_equal_to_numpy(shape: tuple[int, ...] | None, n_kv_heads: int, mask: torch.Tensor | None, dtype) -> None:
    ours = make(n_kv_heads, dtype)
    x_q, x_kv = (draw(B, n, D_MODEL, dtype=dtype, seed=n) for n in (T, S))
    bias = None if shape is None else draw(*shape, dtype=dtype, seed=3)
    projections = [ours.w_q, ours.w_k, ours.w_v]
    b_q, b_k, b_v = ours.b_qkv.split([w.shape[1] for w in projections])
    output, weights = F.multi_head_attention(
        x_q.numpy(),
        x_kv.numpy(),
        *(w.detach().numpy() for w in (*projections, ours.w_o)),
        n_heads=N_HEADS,
        n_kv_heads=n_kv_heads,
        mask=None if mask is None else mask.numpy(),
        position_bias=None if bias is None else bias.numpy(),
        **{f"b_{name}": b.detach().numpy() for name, b in zip("qkvo", (b_q, b_k, b_v, ours.b_o), strict=True)},
    )
    got = ours.with_weights(x_q, x_kv, mask=mask, position_bias=bias)
    close(got[0], torch.from_numpy(output))
    close(got[1], torch.from_numpy(weights))
    close(ours(x_q, x_kv, mask=mask, position_bias=bias), torch.from_numpy(output))


@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("mask", [None, MASKS["keys"], MASKS["padding"]], ids=["none", "keys", "padding"])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("shape", [(N_HEADS, S, S), (B, N_HEADS, S, S), (S, S), (S,)], ids=str)
def test_step_by_step_equals_all_at_once(shape: tuple[int, ...], turned: bool, mask, mode) -> None:
    ours = make(rotary=nn.RotaryEncoding(S, D_K, dtype=torch.float64) if turned else None)
    x, bias = draw(B, S, D_MODEL), draw(*shape, seed=3)
    causal = torch.ones(S, S, dtype=torch.bool).tril()
    whole = ours(x, mask=causal if mask is None else causal & mask, position_bias=bias)
    for parts in ([1] * S, [3, 1, 1, 2], [S]):
        cache, outputs = None, []
        with mode():
            for piece in x.split(parts, dim=-2):
                first, last = 0 if cache is None else len(cache), piece.shape[-2]
                last += first
                rows = bias[..., first:last, :last] if bias.ndim > 1 else bias[:last]
                seen = None if mask is None else mask[..., :last]
                output, cache = ours.extend(piece, cache, mask=seen, position_bias=rows)
                outputs.append(output)
        close(torch.cat(outputs, dim=-2), whole)


@given(seeds, st.sampled_from(SHAPES), st.sampled_from(list(MASKS)))
def test_a_bias_that_is_alike_for_all_keys_changes_nothing(seed: int, shape: tuple[int, ...], name: str) -> None:
    ours, x_q, x_kv = make(), draw(B, T, D_MODEL, seed=seed), draw(B, S, D_MODEL)
    alike = draw(*shape, seed=seed)[..., :1]
    close(ours(x_q, x_kv, mask=MASKS[name], position_bias=alike), ours(x_q, x_kv, mask=MASKS[name]))


@few
@given(seeds, st.sampled_from(sorted(PATHS)), st.sampled_from([math.nan, math.inf, -math.inf]))
def test_what_is_hidden_gives_and_takes_nothing(seed: int, path: str, broken: float) -> None:
    """Not even where the bias of a hidden pair is broken: it gets no gradient, and a blind row none at all."""
    ours, x = make(), draw(B, T, D_MODEL, seed=seed).requires_grad_()
    mask = torch.rand(T, T, generator=torch.Generator().manual_seed(seed)) < 0.5
    seen = mask.tril() if path == "extend" else mask
    bias = draw(N_HEADS, T, T, seed=seed)
    output = PATHS[path](ours, x, mask=mask, position_bias=bias)
    other = bias.masked_fill(~seen, broken).requires_grad_()
    again = PATHS[path](ours, x, mask=mask, position_bias=other)
    close(again, output)
    assert torch.equal(again[:, ~seen.any(-1)], ours.b_o.expand(B, int((~seen.any(-1)).sum()), -1))
    d_bias, *others = gradients([other, x, *ours.parameters()], again)
    assert (d_bias[:, ~seen] == 0).all()
    assert all(gradient.isfinite().all() for gradient in others)


@pytest.mark.parametrize("path", PATHS.values(), ids=PATHS)
@pytest.mark.parametrize("mask", [None, MASKS["causal"][:, 2:]], ids=["none", "causal"])
@pytest.mark.parametrize("n_kv_heads", [1, 6])
def test_bfloat16_follows_float32(n_kv_heads: int, mask: torch.Tensor | None, path) -> None:
    """Both where a way back is needed, by plain products, and where none is, by the fused kernel."""
    ours, x = make(n_kv_heads, torch.float32), draw(B, T, D_MODEL, dtype=torch.float32)
    bias = draw(N_HEADS, T, T, dtype=torch.float32, seed=3).requires_grad_()
    found = []
    for half in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            output = path(ours, x, mask=mask, position_bias=bias)
            with torch.no_grad():
                fused = path(ours, x, mask=mask, position_bias=bias)
        assert output.dtype == fused.dtype == (torch.bfloat16 if half else torch.float32)
        found.append([output, fused, *gradients([bias, ours.w_qkv, ours.w_o], output.float())])
    for exact, rounded in zip(*found, strict=True):
        assert (exact - rounded).norm() < 0.03 * exact.norm()
