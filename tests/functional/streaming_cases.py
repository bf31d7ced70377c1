"""Random inputs and masks for attention in blocks."""

import numpy as np
from hypothesis import strategies as st

from clearformer import functional as F

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 5)
KINDS = ("none", "causal", "blocks", "padding", "scattered", "some rows nothing", "rows", "two pieces")


def draw(seed: int, T: int, S: int, d_k: int = 3, d_v: int = 5, dtype: type = np.float64) -> list[np.ndarray]:
    """Draw d_output, q, k and v of 1 x 3 heads."""
    rng = np.random.default_rng(seed)
    shapes = (T, d_v), (T, d_k), (S, d_k), (S, d_v)
    return [rng.normal(size=(1, 3, *shape)).astype(dtype) for shape in shapes]


def draw_mask(kind: str, seed: int, T: int, S: int) -> tuple[object, np.ndarray | None]:
    """Draw a mask of a kind, as streaming attention takes it and as an array."""
    rng = np.random.default_rng(seed)
    if kind == "none":
        return None, None
    if kind in ("causal", "blocks"):
        array = F.causal_mask(T, S)
        return (array if kind == "causal" else F.causal_blocks(T, S)), array
    if kind == "padding":
        array = F.padding_mask(rng.integers(0, S + 1, size=(1, 1)), S)  # (1, 1, 1, S)
    elif kind == "rows":
        array = rng.random((3, T, 1)) < 0.6
    elif kind == "two pieces":
        array = np.abs(np.arange(S) - S // 2) >= min(2, S // 2)  # (S,)
    else:
        array = rng.random((3, T, S)) < 0.6
        if kind == "some rows nothing":
            array = array & (np.arange(T) % 2 == 0)[:, None]
    return array, array


def assert_equal(got: np.ndarray, expected: np.ndarray, bound: float) -> None:
    assert got.dtype == expected.dtype
    assert got.shape == expected.shape
    assert np.abs(got - expected).max() <= bound * max(np.abs(expected).max(), 1)
