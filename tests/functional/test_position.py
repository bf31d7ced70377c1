"""Positions: by hand, against transformers, as laws of rotations; against Llama as modules of its model."""

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


@pytest.mark.parametrize(("layout", "partner"), [("interleaved", [1, 0, 3, 2]), ("half", [2, 3, 0, 1])])
def test_pairs_by_hand(layout: str, partner: list[int]) -> None:
    """With base 1 every pair turns by one radian a position; what a feature gains it takes from its partner."""
    x = np.eye(4)
    turned = F.rotary_encoding(x, np.ones(4, dtype=int), base=1.0, layout=layout)
    expected = np.cos(1) * np.eye(4)
    for feature, other in enumerate(partner):
        expected[feature, other] = np.sin(1) if feature < other else -np.sin(1)
    np.testing.assert_allclose(turned, expected, rtol=1e-15)


@pytest.mark.parametrize(("T", "d_model"), [(7, 4), (512, 64)])
def test_sinusoidal_equal_to_roformer(T: int, d_model: int) -> None:
    from transformers.models.roformer.modeling_roformer import RoFormerSinusoidalPositionalEmbedding

    peer = RoFormerSinusoidalPositionalEmbedding(T, d_model).create_weight().numpy()  # sines, then cosines
    ours = F.sinusoidal_encoding(T, d_model)
    np.testing.assert_allclose(np.hstack([ours[:, ::2], ours[:, 1::2]]), peer, rtol=0, atol=1e-6)


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


@given(seeds, pairs, places, places, shifts, layouts, bases)
def test_scores_of_rotated_vectors_are_relative(
    seed: int, n: int, p: int, s: int, shift: int, layout: str, base: float
) -> None:
    q, k = draw(seed, 2, 1, 2 * n)

    def score(query_at: int, key_at: int) -> float:
        turned_q = F.rotary_encoding(q, np.array([query_at]), base=base, layout=layout)
        return float((turned_q * F.rotary_encoding(k, np.array([key_at]), base=base, layout=layout)).sum())

    np.testing.assert_allclose(score(p + shift, s + shift), score(p, s), rtol=0, atol=1e-10)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtype_is_kept_and_angles_stay_exact(dtype: type) -> None:
    x, far = np.array([[1.0, 0.0]], dtype=dtype), np.array([100_000])
    turned = F.rotary_encoding(x, far)
    assert turned.dtype == dtype
    np.testing.assert_array_equal(turned, np.array([[np.cos(1e5), np.sin(1e5)]]).astype(dtype))
