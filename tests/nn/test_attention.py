"""The attention module: equal to PyTorch and to NumPy, step by step as all at once, and what it refuses."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import nn

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}
seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 4)
CAUSAL = torch.from_numpy(F.causal_mask(5))
MASKS = {
    "none": None,
    "causal": CAUSAL,
    "padding": torch.from_numpy(F.padding_mask(np.array([[5], [2]]), 5)),  # lengths (B, 1): the 1 is for heads
    "keys": torch.tensor([True, True, False, True, False]),
    "one for all": torch.tensor(True),
    "some rows nothing": CAUSAL & (torch.arange(5) % 2 == 0)[:, None],
}


def module(n_heads=3, n_kv_heads=None, d_model=6, dtype=torch.float64, rotary=None, seed=0):
    generator = torch.Generator().manual_seed(seed)
    return nn.MultiHeadAttention(d_model, n_heads, n_kv_heads, generator=generator, rotary=rotary, dtype=dtype)


def draw(*shape: int, dtype=torch.float64, seed: int = 1) -> torch.Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def close(got, expected, dtype=torch.float64) -> None:
    torch.testing.assert_close(got, expected, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


def gradients(ours, output):
    return torch.autograd.grad((output * draw(*output.shape, dtype=output.dtype, seed=9)).sum(), ours)


# --- against PyTorch ---


@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("name", ["none", "causal", "padding"])
@pytest.mark.parametrize("cross", [False, True])
def test_equal_to_torch_with_gradients(name: str, dtype, cross: bool) -> None:
    ours, mask = module(dtype=dtype), MASKS[name]
    theirs = torch.nn.MultiheadAttention(6, 3, bias=False, batch_first=True, dtype=dtype)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(ours.w_qkv.T)
        theirs.out_proj.weight.copy_(ours.w_o.T)
    x_q = draw(2, 5, 6, dtype=dtype).requires_grad_()
    x_kv = draw(2, 5, 6, dtype=dtype, seed=2).requires_grad_() if cross else x_q
    forbidden = None if mask is None else ~mask.expand(2, 3, 5, 5).flatten(0, 1)
    expected, expected_weights = theirs(x_q, x_kv, x_kv, attn_mask=forbidden, average_attn_weights=False)

    output, weights = ours.with_weights(x_q, x_kv, mask=mask)
    close(weights, expected_weights, dtype)
    expected_gradients = gradients([x_q, theirs.in_proj_weight, theirs.out_proj.weight], expected)
    for got in (output, ours(x_q, x_kv if cross else None, mask=mask)):
        close(got, expected, dtype)
        d_x, d_qkv, d_o = gradients([x_q, ours.w_qkv, ours.w_o], got)
        for mine, other in zip((d_x, d_qkv.T, d_o.T), expected_gradients, strict=True):
            close(mine, other, dtype)


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2, 3, 6])
@pytest.mark.parametrize("dtype", RTOL)
def test_equal_to_numpy(mask, n_kv_heads: int, dtype) -> None:
    attention, x = module(6, n_kv_heads, 12, dtype), draw(2, 5, 12, dtype=dtype)
    arrays = [w.detach().numpy() for w in (attention.w_q, attention.w_k, attention.w_v, attention.w_o)]
    expected = F.multi_head_attention(
        x.numpy(), x.numpy(), *arrays, n_heads=6, n_kv_heads=n_kv_heads, mask=None if mask is None else mask.numpy()
    )
    for got, want in zip(attention.with_weights(x, mask=mask), expected, strict=True):
        np.testing.assert_allclose(got.detach().numpy(), want, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)
    np.testing.assert_allclose(
        attention(x, mask=mask).detach().numpy(), expected[0], rtol=RTOL[dtype], atol=RTOL[dtype] / 10
    )


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_both_paths_have_the_same_gradients(mask, n_kv_heads: int) -> None:
    attention, x = module(2, n_kv_heads), draw(2, 5, 6).requires_grad_()
    parameters = [x, *attention.parameters()]
    fast, slow = attention(x, mask=mask), attention.with_weights(x, mask=mask)[0]
    for one, other in zip(gradients(parameters, fast), gradients(parameters, slow), strict=True):
        assert torch.isfinite(one).all()
        close(one, other)


@pytest.mark.parametrize("mask", [*MASKS.values(), "is_causal"], ids=[*MASKS, "extend"])
@pytest.mark.parametrize("n_kv_heads", [1, 3])
def test_training_in_bfloat16_follows_float32(mask, n_kv_heads: int) -> None:
    ours, x = module(n_kv_heads=n_kv_heads, dtype=torch.float32), draw(2, 5, 6, dtype=torch.float32)
    found = []
    for half in (False, True):
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            output = ours.extend(x)[0] if isinstance(mask, str) else ours(x, mask=mask)
        assert output.dtype == (torch.bfloat16 if half else torch.float32)
        found.append(gradients([ours.w_qkv, ours.w_o], output.float()))
    for exact, rounded in zip(*found, strict=True):
        assert (exact - rounded).norm() < 0.02 * exact.norm()


@pytest.mark.parametrize("path", ["forward", "with_weights", "extend"])
def test_blind_queries_give_zero_and_finite_gradients(path: str) -> None:
    attention, x = module(), draw(2, 5, 6).requires_grad_()
    output = getattr(attention, path)(x, mask=torch.zeros(5, 5, dtype=torch.bool))
    output = output if isinstance(output, torch.Tensor) else output[0]
    assert (output == 0).all()
    assert all((gradient == 0).all() for gradient in gradients([x, *attention.parameters()], output))


# --- the cache ---


@pytest.mark.parametrize("n_kv_heads", [1, 2, 4])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("dtype", RTOL)
@pytest.mark.parametrize("mode", [torch.enable_grad, torch.no_grad, torch.inference_mode])
def test_step_by_step_equals_all_at_once(n_kv_heads: int, turned: bool, dtype, mode) -> None:
    rotary = nn.RotaryEncoding(16, 2, dtype=dtype) if turned else None
    attention, x = module(4, n_kv_heads, 8, dtype, rotary), draw(2, 11, 8, dtype=dtype)
    full = attention(x, mask=torch.ones(11, 11, dtype=torch.bool).tril())
    for parts in ([1] * 11, [5, 1, 2, 3], [11]):
        cache, outputs = None, []
        with mode():
            for piece in x.split(parts, dim=-2):
                output, cache = attention.extend(piece, cache)
                outputs.append(output)
        close(torch.cat(outputs, dim=-2), full, dtype)
        assert len(cache) == 11
        assert cache.k.shape == (2, n_kv_heads, 11, 2)


@given(seeds, sizes, sizes, st.integers(1, 3), st.integers(1, 2))
def test_any_split_of_any_size(seed: int, before: int, after: int, n_kv_heads: int, group: int) -> None:
    n_heads, total = group * n_kv_heads, before + after
    attention, x = module(n_heads, n_kv_heads, 2 * n_heads, seed=seed), draw(total, 2 * n_heads, seed=seed)
    full = attention(x, mask=torch.ones(total, total, dtype=torch.bool).tril())
    first, cache = attention.extend(x[:before])
    second, longer = attention.extend(x[before:], cache)
    close(torch.cat([first, second]), full)
    assert (len(cache), len(longer)) == (before, total)


def test_one_cache_can_be_continued_twice() -> None:
    """A cache is a value: continuing it one way leaves it as it was for another."""
    attention, x = module(), draw(2, 5, 6)
    _, cache = attention.extend(x[:, :3])
    first, _ = attention.extend(x[:, 3:], cache)
    attention.extend(draw(2, 2, 6, seed=5), cache)
    again, _ = attention.extend(x[:, 3:], cache)
    assert torch.equal(first, again)


def test_padding_in_the_cache_stays_hidden() -> None:
    attention, x = module(), draw(2, 5, 6)
    _, cache = attention.extend(x[:, :4])
    seen = torch.tensor([False, True, True, True, True])
    output, _ = attention.extend(x[:, 4:], cache, mask=seen)
    close(output, attention(x[:, 4:], x[:, 1:]))


def test_source_is_projected_once() -> None:
    attention, x, source = module(6, 2, 12), draw(2, 5, 12), draw(2, 7, 12, seed=2)
    held = attention.keys_values(source)
    close(attention.attend(x[:, :3], held), attention(x[:, :3], source))
    assert (len(held), held.v.shape) == (7, (2, 2, 7, 2))


# --- as a module ---


def test_rotary_part_turns_queries_and_keys() -> None:
    """Scores depend on distances only: the same tokens later on give the same output."""
    attention, x = module(3, rotary=nn.RotaryEncoding(64, 2, dtype=torch.float64)), draw(5, 6)
    moved = attention.attend(x, attention.keys_values(x, first=40), first=40)
    close(moved, attention(x))
    assert (module(3)(x) - attention(x)).abs().max() > 0.01


def test_parameters_and_start() -> None:
    for n_heads in (1, 2, 3, 6):
        assert sum(p.numel() for p in module(n_heads).parameters()) == 4 * 6 * 6
    assert sum(p.numel() for p in module(6, 2, 12).parameters()) == 2 * 12 * 12 + 2 * 12 * 4
    assert list(module().state_dict()) == ["w_o", "w_qkv"]
    assert torch.equal(module(seed=3).w_v, module(seed=3).w_v)
    assert not torch.equal(module(seed=3).w_v, module(seed=4).w_v)
    assert module(1, d_model=300).w_q.var().item() == pytest.approx(1 / 300, rel=0.03)


# --- refusals ---


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ((512, 7), r"^d_model=512 must be a multiple of n_heads=7$"),
        ((12, 6, 4), r"^n_heads=6 must be a multiple of n_kv_heads=4$"),
        ((12, 2, 4), r"^n_heads=2 must be a multiple of n_kv_heads=4$"),
        ((12, 0), r"^d_model=12, n_heads=0 and n_kv_heads=0 must be at least 1$"),
    ],
)
def test_refuses_heads_that_do_not_divide(sizes: tuple[int, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        nn.MultiHeadAttention(*sizes, generator=torch.Generator())


@pytest.mark.usefixtures("unchecked")
def test_refuses_input_that_does_not_fit() -> None:
    attention, x = module(), draw(2, 5, 6)
    with pytest.raises(ValueError, match=r"^x_q must be \(\.\.\., d_model=6\), got shape \(2, 5, 7\)$"):
        attention(draw(2, 5, 7), x)
    with pytest.raises(ValueError, match=r"^x_kv must be .* got shape \(6,\)$"):
        attention(x, draw(6))
    with pytest.raises(ValueError, match=r"^leading axes must agree: queries \(2, 3, 5, 2\), keys \(3, 3, 5, 2\)$"):
        attention(x, draw(3, 5, 6))
    _, cache = attention.extend(x)
    with pytest.raises(ValueError, match=r"keys \(2, 3, 5, 2\) of .* beside values \(1, 6, 5, 2\) of"):
        attention.extend(x[:1], cache)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("path", ["forward", "with_weights", "extend"])
def test_refuses_masks_that_are_not_masks(path: str) -> None:
    call = getattr(module(), path)
    with pytest.raises(TypeError, match=r"got dtype torch.float64, mask \(5, 5\) for scores \(2, 3, 5, 5\)$"):
        call(draw(2, 5, 6), mask=torch.zeros(5, 5, dtype=torch.float64))
    with pytest.raises(ValueError, match=r"^mask \(5, 7\) does not broadcast to scores \(2, 3, 5, 5\)$"):
        call(draw(2, 5, 6), mask=torch.ones(5, 7, dtype=torch.bool))
