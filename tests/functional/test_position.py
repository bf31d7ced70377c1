"""Positions: by hand, as laws of rotations, and what they refuse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

seeds = st.integers(0, 2**32 - 1)
pairs = st.integers(1, 5)
places = st.integers(0, 5000)
shifts = st.integers(-300, 300)
layouts = st.sampled_from(["half", "interleaved"])
bases = st.sampled_from([1.0, 10.0, 10000.0, 500000.0])


def draw(seed: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=shape)


def to_half(x: np.ndarray) -> np.ndarray:
    """Reorder features so that pairs (2i, 2i + 1) become pairs (i, i + d_k / 2)."""
    return np.concatenate([x[..., ::2], x[..., 1::2]], axis=-1)


# --- by hand ---


def test_sinusoidal_by_hand() -> None:
    encoding = F.sinusoidal_encoding(3, 4, base=16.0)  # angles of p and p / 4
    expected = [[np.sin(p), np.cos(p), np.sin(p / 4), np.cos(p / 4)] for p in range(3)]
    np.testing.assert_allclose(encoding, expected, rtol=1e-15)
    assert encoding.dtype == np.float64


def test_sinusoidal_of_no_positions() -> None:
    assert F.sinusoidal_encoding(0, 2).shape == (0, 2)


@pytest.mark.parametrize(("layout", "partner"), [("interleaved", [1, 0, 3, 2]), ("half", [2, 3, 0, 1])])
def test_pairs_by_hand(layout: str, partner: list[int]) -> None:
    """With base 1 every pair turns by one radian a position; what a feature gains it takes from its partner."""
    x = np.eye(4)
    turned = F.rotary_encoding(x, np.ones(4, dtype=int), base=1.0, layout=layout)
    expected = np.cos(1) * np.eye(4)
    for feature, other in enumerate(partner):
        expected[feature, other] = np.sin(1) if feature < other else -np.sin(1)
    np.testing.assert_allclose(turned, expected, rtol=1e-15)


def test_pairs_turn_at_their_own_speed() -> None:
    got = F.rotary_encoding(np.array([[1.0, 0.0, 1.0, 0.0]]), np.array([3]), base=100.0, layout="interleaved")
    np.testing.assert_allclose(got, [[np.cos(3), np.sin(3), np.cos(0.3), np.sin(0.3)]], rtol=1e-14)


def test_positions_of_each_sequence_of_a_batch() -> None:
    x = draw(0, 2, 3, 5, 4)
    positions = np.array([[[0, 1, 2, 3, 4]], [[7, 8, 9, 10, 11]]])  # (B, 1, T)
    got = F.rotary_encoding(x, positions)
    np.testing.assert_array_equal(got[1, 2], F.rotary_encoding(x[1, 2], positions[1, 0]))


# --- laws ---


@given(pairs, places, shifts, bases)
def test_sinusoidal_shift_is_a_rotation(n: int, p: int, k: int, base: float) -> None:
    """PE(p + k) is PE(p) turned by an angle that depends on k alone."""
    k = max(k, -p)
    encoding = F.sinusoidal_encoding(p + max(k, 0) + 1, 2 * n, base)
    angles = k * base ** (-2 * np.arange(n) / (2 * n))
    sine, cosine = encoding[p, ::2], encoding[p, 1::2]
    turned = np.stack(
        [np.cos(angles) * sine + np.sin(angles) * cosine, np.cos(angles) * cosine - np.sin(angles) * sine]
    )
    np.testing.assert_allclose(encoding[p + k].reshape(n, 2).T, turned, rtol=0, atol=1e-11)


@given(pairs, places, st.integers(0, 300), bases)
def test_sinusoidal_products_depend_on_distance_only(n: int, p: int, k: int, base: float) -> None:
    encoding = F.sinusoidal_encoding(p + k + 1, 2 * n, base)
    np.testing.assert_allclose(encoding[p] @ encoding[p + k], encoding[0] @ encoding[k], rtol=0, atol=1e-11)
    np.testing.assert_allclose(encoding[p] @ encoding[p], n, rtol=1e-14)


@given(seeds, pairs, places, places, shifts, layouts, bases)
def test_scores_of_rotated_vectors_are_relative(
    seed: int, n: int, p: int, s: int, shift: int, layout: str, base: float
) -> None:
    q, k = draw(seed, 2, 1, 2 * n)

    def score(query_at: int, key_at: int) -> float:
        turned_q = F.rotary_encoding(q, np.array([query_at]), base=base, layout=layout)
        return float((turned_q * F.rotary_encoding(k, np.array([key_at]), base=base, layout=layout)).sum())

    np.testing.assert_allclose(score(p + shift, s + shift), score(p, s), rtol=0, atol=1e-10)


@given(seeds, pairs, places, layouts, bases)
def test_lengths_are_kept(seed: int, n: int, p: int, layout: str, base: float) -> None:
    x = draw(seed, 3, 2 * n)
    turned = F.rotary_encoding(x, np.array([p, 0, 1]), base=base, layout=layout)
    np.testing.assert_allclose(np.linalg.norm(turned, axis=-1), np.linalg.norm(x, axis=-1), rtol=1e-14)
    np.testing.assert_array_equal(turned[1], x[1])  # position 0 turns nothing


@given(seeds, pairs, places, shifts, layouts, bases)
def test_turns_add_up(seed: int, n: int, p: int, k: int, layout: str, base: float) -> None:
    x = draw(seed, 1, 2 * n)
    twice = F.rotary_encoding(
        F.rotary_encoding(x, np.array([p]), base=base, layout=layout), np.array([k]), base=base, layout=layout
    )
    once = F.rotary_encoding(x, np.array([p + k]), base=base, layout=layout)
    np.testing.assert_allclose(twice, once, rtol=0, atol=1e-10)


@given(seeds, pairs, places, bases)
def test_layouts_differ_by_a_permutation(seed: int, n: int, p: int, base: float) -> None:
    x, positions = draw(seed, 3, 2 * n), np.array([p, 1, 2])
    interleaved = F.rotary_encoding(x, positions, base=base, layout="interleaved")
    np.testing.assert_array_equal(
        F.rotary_encoding(to_half(x), positions, base=base, layout="half"), to_half(interleaved)
    )


@given(seeds, pairs, places, bases)
def test_rotation_is_a_product_of_complex_numbers(seed: int, n: int, p: int, base: float) -> None:
    x = draw(seed, 1, 2 * n)
    z = (x[..., ::2] + 1j * x[..., 1::2]) * np.exp(1j * p * base ** (-np.arange(n) / n))
    turned = F.rotary_encoding(x, np.array([p]), base=base, layout="interleaved")
    np.testing.assert_allclose(turned, np.stack([z.real, z.imag], axis=-1).reshape(x.shape), rtol=0, atol=1e-11)


@given(seeds, layouts)
def test_arguments_are_left_alone(seed: int, layout: str) -> None:
    x, positions = draw(seed, 3, 4), np.arange(3)
    x.flags.writeable = positions.flags.writeable = False
    F.rotary_encoding(x, positions, layout=layout)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_is_kept_and_angles_stay_exact(dtype: type) -> None:
    x, far = np.array([[1.0, 0.0]], dtype=dtype), np.array([100_000])
    turned = F.rotary_encoding(x, far)
    assert turned.dtype == dtype
    np.testing.assert_array_equal(turned, np.array([[np.cos(1e5), np.sin(1e5)]]).astype(dtype))


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.sinusoidal_encoding(3, 7), r"^d_model=7 must be even and at least 2"),
        (lambda: F.sinusoidal_encoding(3, 0), r"^d_model=0 must be even and at least 2"),
        (lambda: F.sinusoidal_encoding(-1, 4), r"^T=-1 positions: need 0 or more$"),
        (lambda: F.sinusoidal_encoding(3, 4, base=0.0), r"^base=0.0 must be a positive number$"),
        (lambda: F.sinusoidal_encoding(3, 4, base=float("nan")), r"^base=nan must be a positive number$"),
        (lambda: F.rotary_encoding(np.ones((3, 5)), np.arange(3)), r"^d_k=5 must be even and at least 2"),
        (lambda: F.rotary_encoding(np.ones(4), np.arange(3)), r"^x needs two axes or more .*\(4,\)$"),
        (
            lambda: F.rotary_encoding(np.ones((2, 3, 4)), np.arange(5)),
            r"^positions \(5,\) do not broadcast to the rows \(2, 3\) of x$",
        ),
        (
            lambda: F.rotary_encoding(np.ones((3, 4)), np.zeros((2, 3), dtype=int)),
            r"^positions \(2, 3\) do not broadcast to the rows \(3,\) of x$",
        ),
        (
            lambda: F.rotary_encoding(np.ones((3, 4)), np.arange(3), layout="neox"),
            r"^layout='neox' is none of 'half', 'interleaved'$",
        ),
    ],
)
def test_refuses_what_has_no_meaning(call, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: F.rotary_encoding(np.ones((3, 4), dtype=int), np.arange(3)), r"^x must hold floats, got dtype int64"),
        (
            lambda: F.rotary_encoding(np.ones((3, 4)), np.arange(3.0)),
            r"^positions must be integers, got dtype float64 and shape \(3,\)$",
        ),
        (lambda: F.rotary_encoding(np.ones((3, 4)), [0, 1, 2]), r"^positions must be a NumPy array .*, got list$"),
    ],
)
def test_refuses_other_types(call, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        call()
