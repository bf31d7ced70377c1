"""The attention module: equal to PyTorch and to NumPy, outputs and gradients, and how it starts."""

import numpy as np
import pytest
import torch

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, attention, close, draw, gradients

CAUSAL = torch.from_numpy(F.causal_mask(5))
MASKS = {
    "none": None,
    "causal": CAUSAL,
    "padding": torch.from_numpy(F.padding_mask(np.array([[5], [2]]), 5)),  # lengths (B, 1): the 1 is for heads
    "keys": torch.tensor([True, True, False, True, False]),
    "one for all": torch.tensor(True),
    "some rows nothing": CAUSAL & (torch.arange(5) % 2 == 0)[:, None],
}


# --- against PyTorch ---


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("name", ["none", "causal", "padding"])
@pytest.mark.parametrize("cross", [False, True])
def test_equal_to_torch_with_gradients(name: str, dtype, cross: bool) -> None:
    ours, mask = attention(dtype=dtype), MASKS[name]
    theirs = torch.nn.MultiheadAttention(6, 3, bias=False, batch_first=True, dtype=dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.w_qkv.T)
        theirs.out_proj.weight.copy_(ours.w_o.T)
    x_q = draw(2, 5, 6, dtype=dtype).requires_grad_()
    x_kv = draw(2, 5, 6, dtype=dtype, seed=2).requires_grad_() if cross else x_q
    forbidden = None if mask is None else ~mask.expand(2, 3, 5, 5).flatten(0, 1)
    expected, expected_weights = theirs(x_q, x_kv, x_kv, attn_mask=forbidden, average_attn_weights=False)

    output, weights = ours.with_weights(x_q, x_kv, mask=mask)
    close(weights, expected_weights)
    expected_gradients = gradients([x_q, theirs.in_proj_weight, theirs.out_proj.weight], expected)
    for got in (output, ours(x_q, x_kv if cross else None, mask=mask)):
        close(got, expected)
        d_x, d_qkv, d_o = gradients([x_q, ours.w_qkv, ours.w_o], got)
        for mine, other in zip((d_x, d_qkv.T, d_o.T), expected_gradients, strict=True):
            close(mine, other)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_numpy(mask, n_kv_heads: int, dtype) -> None:
    ours, x = attention(6, n_kv_heads, 12, dtype), draw(2, 5, 12, dtype=dtype)
    arrays = [w.detach().numpy() for w in (ours.w_q, ours.w_k, ours.w_v, ours.w_o)]
    output, weights = F.multi_head_attention(
        x.numpy(), x.numpy(), *arrays, n_heads=6, n_kv_heads=n_kv_heads, mask=None if mask is None else mask.numpy()
    )
    for got, want in zip(
        (ours(x, mask=mask), *ours.with_weights(x, mask=mask)), (output, output, weights), strict=True
    ):
        close(got, torch.from_numpy(want))


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_both_paths_have_the_same_gradients(mask, n_kv_heads: int) -> None:
    ours, x = attention(2, n_kv_heads), draw(2, 5, 6).requires_grad_()
    parameters = [x, *ours.parameters()]
    fast, slow = ours(x, mask=mask), ours.with_weights(x, mask=mask)[0]
    for one, other in zip(gradients(parameters, fast), gradients(parameters, slow), strict=True):
        assert torch.isfinite(one).all()
        close(one, other)


@pytest.mark.parametrize("mask", [*MASKS.values(), "is_causal"], ids=[*MASKS, "extend"])
@pytest.mark.parametrize("n_kv_heads", [1, 3])
def test_training_in_bfloat16_follows_float32(mask, n_kv_heads: int) -> None:
    ours, x = attention(n_kv_heads=n_kv_heads, dtype=torch.float32), draw(2, 5, 6, dtype=torch.float32)
    found = []
    for half in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            output = ours.extend(x)[0] if isinstance(mask, str) else ours(x, mask=mask)
        assert output.dtype == (torch.bfloat16 if half else torch.float32)
        found.append(gradients([ours.w_qkv, ours.w_o], output.float()))
    for exact, rounded in zip(*found, strict=True):
        assert (exact - rounded).norm() < 0.02 * exact.norm()


# --- as a module ---


def test_rotary_part_turns_queries_and_keys() -> None:
    """Scores depend on distances only: the same tokens later on give the same output."""
    ours, x = attention(3, rotary=nn.RotaryEncoding(64, 2, dtype=torch.float64)), draw(5, 6)
    moved = ours.attend(x, ours.keys_values(x, first=40), first=40)
    close(moved, ours(x))
    assert (attention(3)(x) - ours(x)).abs().max() > 0.01


def test_parameters_and_start() -> None:
    for n_heads in (1, 2, 3, 6):
        assert sum(p.numel() for p in attention(n_heads).parameters()) == 4 * 6 * 6
    assert sum(p.numel() for p in attention(6, 2, 12).parameters()) == 2 * 12 * 12 + 2 * 12 * 4
    assert list(attention().state_dict()) == ["w_qkv", "w_o"]
    assert torch.equal(attention(seed=3).w_v, attention(seed=3).w_v)
    assert not torch.equal(attention(seed=3).w_v, attention(seed=4).w_v)
    assert attention(1, d_model=300).w_q.var().item() == pytest.approx(1 / 300, rel=0.03)
