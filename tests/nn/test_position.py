"""Positions as modules: equal to the NumPy functions, well-behaved as modules, and what they refuse."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer import nn
from tests.nn.parts import RTOL, draw, generator

LONG = 5000


# --- by hand ---


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


@given(st.integers(0, LONG - 7), st.integers(1, 7), st.sampled_from(["half", "interleaved"]))
def test_rotary_from_any_position_on_equal_to_numpy(first: int, T: int, layout: str) -> None:
    x = draw(2, T, 4)
    expected = F.rotary_encoding(x.numpy(), np.arange(first, first + T), layout=layout)
    np.testing.assert_allclose(ROTARY[layout](x, first).numpy(), expected, rtol=1e-10, atol=1e-12)


@given(st.integers(0, 90), st.integers(1, 10))
def test_added_positions_begin_anywhere(first: int, T: int) -> None:
    x = draw(100, 6)
    for encoding in (nn.SinusoidalEncoding(100, 6), nn.LearnedEncoding(100, 6, generator=generator())):
        assert torch.equal(encoding(x[first : first + T], first), encoding(x)[first : first + T])


ROTARY = {layout: nn.RotaryEncoding(LONG, 4, layout=layout, dtype=torch.float64) for layout in ("half", "interleaved")}


# --- frequencies ---


@pytest.mark.parametrize("layout", ["half", "interleaved"])
def test_frequencies_by_hand(layout: str) -> None:
    """Quarters of a turn at each position for one pair, none for the other."""
    turned = nn.RotaryEncoding(5, 4, frequencies=torch.tensor([torch.pi / 2, 0.0]).double(), layout=layout)
    first, second = (0, 2) if layout == "half" else (0, 1)
    x = torch.tensor([3.0, 5.0, 7.0, 11.0]).expand(5, 4)
    a, b = x[0, first], x[0, second]
    expected = x.clone()
    expected[:, first], expected[:, second] = torch.stack([a, -b, -a, b, a]), torch.stack([b, a, -b, -a, b])
    torch.testing.assert_close(turned(x), expected, rtol=0, atol=1e-5)


@given(st.floats(1.5, 1e6), st.sampled_from(["half", "interleaved"]))
def test_frequencies_of_a_base_are_its_powers(base: float, layout: str) -> None:
    powers = torch.tensor([base ** (-2 * i / 6) for i in range(3)], dtype=torch.float64)
    mine, given_them = (
        nn.RotaryEncoding(11, 6, layout=layout, dtype=torch.float64, **given)(draw(11, 6))
        for given in ({"base": base}, {"frequencies": powers})
    )
    torch.testing.assert_close(mine, given_them, rtol=1e-12, atol=1e-12)


# --- number types ---

CHANGES = {
    "bfloat16": lambda module: module.to(torch.bfloat16),
    "half": lambda module: module.half(),
    "double": lambda module: module.double(),
    "and back": lambda module: module.half().float(),
    "emptied": lambda module: module.to_empty(device="cpu"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("dtype", RTOL)
def test_the_table_keeps_its_numbers(dtype: torch.dtype, change) -> None:
    rotary = nn.RotaryEncoding(LONG, 6, dtype=dtype)
    model = change(torch.nn.Sequential(torch.nn.Linear(6, 6), rotary))
    untouched = nn.RotaryEncoding(LONG, 6, dtype=dtype)
    assert model[1] is rotary
    for table, expected in ((rotary.cos, untouched.cos), (rotary.sin, untouched.sin)):
        assert table.dtype == dtype
        assert torch.equal(table, expected)


def test_the_table_moves_with_the_model() -> None:
    rotary = nn.RotaryEncoding(7, 4).to("meta", torch.bfloat16)
    assert (rotary.cos.device.type, rotary.sin.device.type) == ("meta", "meta")
    assert rotary.cos.dtype == torch.float32


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize(("dtype", "unit"), [(torch.bfloat16, 2**-8), (torch.float16, 2**-11)])
def test_far_rows_of_short_numbers_are_turned_by_the_whole_angle(dtype, unit: float, layout: str) -> None:
    """Only the result is rounded: each entry is within half a unit in the last place, even at position 4000."""
    x = draw(2, 3, 6, dtype=dtype)
    exact = nn.RotaryEncoding(LONG, 6, layout=layout)(x.float(), 4000)
    turned = nn.RotaryEncoding(LONG, 6, layout=layout).to(dtype)(x, 4000)
    assert turned.dtype == dtype
    assert ((turned.float() - exact).abs() <= unit * exact.abs() + 1e-6).all()


# --- as modules ---


def test_only_the_learned_encoding_learns() -> None:
    assert dict(nn.SinusoidalEncoding(7, 4).state_dict()) == dict(nn.RotaryEncoding(7, 4).state_dict()) == {}
    assert list(nn.LearnedEncoding(7, 4, generator=generator()).state_dict()) == ["table"]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_the_dtype_of_the_input_is_kept(dtype: torch.dtype) -> None:
    x = draw(2, 3, 4, dtype=dtype)
    modules = nn.SinusoidalEncoding(7, 4), nn.LearnedEncoding(7, 4, generator=generator()), nn.RotaryEncoding(7, 4)
    assert {module(x).dtype for module in modules} == {dtype}


# --- refusals ---

BEYOND = r"^positions 0 to 7 are needed, but the model has context=7$"


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: nn.SinusoidalEncoding(7, 5), r"^d_model=5 must be even"),
        (lambda: nn.SinusoidalEncoding(0, 4), r"^context=0 must be at least 1$"),
        (lambda: nn.SinusoidalEncoding(7, 4, base=-1.0), r"^base=-1.0 must be a positive number$"),
        (lambda: nn.SinusoidalEncoding(7, 4)(torch.ones(8, 4)), BEYOND),
        (lambda: nn.LearnedEncoding(0, 4, generator=generator()), r"^context=0 must be at least 1$"),
        (lambda: nn.LearnedEncoding(7, 4, generator=generator())(torch.ones(2, 8, 4)), BEYOND),
        (lambda: nn.RotaryEncoding(7, 5), r"^d_k=5 must be even"),
        (lambda: nn.RotaryEncoding(7, 4, layout="neox"), r"^layout='neox' is none of"),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(8, 4)), BEYOND),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(3, 2)), r"^x must be \(\.\.\., T, 4\), got shape \(3, 2\)$"),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(2, 4), 6), r"^positions 6 to 7 are needed, .*context=7$"),
        (lambda: nn.RotaryEncoding(7, 4)(torch.ones(2, 4), -1), r"^positions -1 to 0 are needed, but"),
        (lambda: nn.SinusoidalEncoding(7, 4)(torch.ones(2, 4), -1), r"^positions -1 to 0 are needed, but"),
        (lambda: nn.RotaryEncoding(7, 6, frequencies=torch.ones(2)), r"^frequencies \(2,\) must be \(3,\)"),
        (lambda: nn.RotaryEncoding(7, 4, base=0.0), r"^base=0.0 must be a positive number$"),
    ],
)
def test_refuses_what_has_no_meaning(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()
