"""The position modules: equal to the NumPy functions, well-behaved as modules, and what they refuse."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import nn

RTOL = {torch.float32: 1e-5, torch.float64: 1e-10}
LONG = 5000


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def draw(*shape: int, dtype: torch.dtype = torch.float64) -> torch.Tensor:
    return torch.randn(*shape, generator=generator(), dtype=torch.float64).to(dtype)


# --- by hand ---


def test_learned_adds_the_first_rows() -> None:
    encoding, x = nn.LearnedEncoding(7, 4, generator=generator()), torch.zeros(2, 3, 4)
    torch.testing.assert_close(encoding(x)[1], encoding.table[:3])


def test_learned_start_comes_from_the_generator_only() -> None:
    first, second = (nn.LearnedEncoding(7, 4, generator=generator(3)).table for _ in range(2))
    assert torch.equal(first, second)
    assert not torch.equal(first, nn.LearnedEncoding(7, 4, generator=generator(4)).table)
    wide = nn.LearnedEncoding(1000, 50, generator=generator(), std=0.5).table
    assert wide.std().item() == pytest.approx(0.5, rel=0.02)


# --- against NumPy ---


@pytest.mark.parametrize("dtype", RTOL)
def test_sinusoidal_equal_to_numpy(dtype: torch.dtype) -> None:
    x = draw(2, LONG, 6, dtype=dtype)
    got = nn.SinusoidalEncoding(LONG, 6, base=100.0, dtype=dtype)(x)
    expected = x.numpy() + F.sinusoidal_encoding(LONG, 6, base=100.0)
    assert got.dtype == dtype
    np.testing.assert_allclose(got.numpy(), expected, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("dtype", RTOL)
def test_rotary_equal_to_numpy(dtype: torch.dtype, layout: str) -> None:
    x = draw(2, 3, LONG, 6, dtype=dtype)
    module = nn.RotaryEncoding(LONG, 6, base=100.0, layout=layout, dtype=dtype)
    expected = F.rotary_encoding(x.numpy(), np.arange(LONG), base=100.0, layout=layout)
    assert module(x).dtype == dtype
    np.testing.assert_allclose(module(x).numpy(), expected, rtol=RTOL[dtype], atol=RTOL[dtype] / 10)


@given(st.lists(st.integers(0, LONG - 1), min_size=1, max_size=5), st.sampled_from(["half", "interleaved"]))
def test_rotary_at_any_positions_equal_to_numpy(positions: list[int], layout: str) -> None:
    x = draw(2, len(positions), 4)
    got = ROTARY[layout](x, torch.tensor(positions))
    expected = F.rotary_encoding(x.numpy(), np.array(positions), layout=layout)
    np.testing.assert_allclose(got.numpy(), expected, rtol=1e-10, atol=1e-12)


ROTARY = {layout: nn.RotaryEncoding(LONG, 4, layout=layout, dtype=torch.float64) for layout in ("half", "interleaved")}


# --- as modules ---


def test_only_the_learned_encoding_learns() -> None:
    assert dict(nn.SinusoidalEncoding(7, 4).state_dict()) == dict(nn.RotaryEncoding(7, 4).state_dict()) == {}
    assert list(nn.LearnedEncoding(7, 4, generator=generator()).state_dict()) == ["table"]


def test_a_position_that_never_occurs_gets_no_gradient() -> None:
    encoding = nn.LearnedEncoding(7, 4, generator=generator())
    encoding(torch.ones(3, 4)).sum().backward()
    assert (encoding.table.grad[:3] == 1).all()
    assert (encoding.table.grad[3:] == 0).all()


def test_gradients_turn_back() -> None:
    """The gradient of a rotation is the rotation back, so lengths are kept both ways."""
    x = draw(5, 4).requires_grad_()
    direction = draw(5, 4)
    ROTARY["half"](x).backward(direction)
    torch.testing.assert_close(ROTARY["half"](x.grad), direction, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_dtype_of_the_input_is_kept(dtype: torch.dtype) -> None:
    x = draw(2, 3, 4, dtype=dtype)
    modules = nn.SinusoidalEncoding(7, 4), nn.LearnedEncoding(7, 4, generator=generator()), nn.RotaryEncoding(7, 4)
    assert {module(x).dtype for module in modules} == {dtype}


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.SinusoidalEncoding(7, 5), r"^d_model=5 must be even"),
        (lambda: nn.SinusoidalEncoding(0, 4), r"^max_length=0 must be at least 1$"),
        (lambda: nn.SinusoidalEncoding(7, 4, base=-1.0), r"^base=-1.0 must be a positive number$"),
        (lambda: nn.SinusoidalEncoding(7, 4)(torch.ones(8, 4)), r"^T=8 positions, but .* max_length=7$"),
        (lambda: nn.SinusoidalEncoding(7, 4)(torch.ones(3, 6)), r"^x must be \(\.\.\., T, 4\), got shape \(3, 6\)$"),
        (lambda: nn.LearnedEncoding(0, 4, generator=generator()), r"^max_length=0 and d_model=4 must be"),
        (
            lambda: nn.LearnedEncoding(7, 4, generator=generator())(torch.ones(2, 8, 4)),
            r"^T=8 positions, but the encoding has max_length=7$",
        ),
        (lambda: nn.LearnedEncoding(7, 4, generator=generator())(torch.ones(4)), r"^x must be .* got shape \(4,\)$"),
        (lambda: nn.RotaryEncoding(7, 5), r"^d_k=5 must be even"),
        (lambda: nn.RotaryEncoding(7, 4, layout="neox"), r"^layout='neox' is none of"),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(8, 4)), r"^T=8 positions, but .* max_length=7$"),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(3, 2)), r"^x must be \(\.\.\., T, 4\), got shape \(3, 2\)$"),
        (
            lambda: nn.RotaryEncoding(7, 4)(torch.ones(2, 4), torch.tensor([0, 7])),
            r"^positions 0 to 7 must lie between 0 and max_length - 1 = 6$",
        ),
        (
            lambda: nn.RotaryEncoding(7, 4)(torch.ones(2, 4), torch.tensor([-1, 2])),
            r"^positions -1 to 2 must lie between",
        ),
    ],
)
def test_refuses_what_has_no_meaning(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
