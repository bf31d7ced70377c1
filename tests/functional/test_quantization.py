"""Weights as whole numbers of a byte: worked by hand, no further off than half a step."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 11)


def test_by_hand() -> None:
    codes, scale = F.quantize(np.array([[2.54, -1.0, 0.03], [0.0, 0.0, 0.0]]))
    assert codes.tolist() == [[127, -50, 2], [0, 0, 0]]  # 0.03 / 0.02 = 1.5 is rounded to the even 2
    np.testing.assert_allclose(scale, [[0.02], [1.0]], rtol=1e-7)


@given(seeds, sizes, sizes)
def test_no_weight_moves_by_more_than_half_a_step(seed: int, n: int, d: int) -> None:
    rng = np.random.default_rng(seed)
    matrix = (rng.normal(size=(n, d)) * 10.0 ** rng.integers(-6, 6, size=(n, 1))).astype(np.float32)
    codes, scale = F.quantize(matrix)
    moved = np.abs(F.dequantize(codes, scale) - matrix)
    assert codes.dtype == np.int8
    assert (moved <= scale * (0.5 + 1e-4)).all()
    assert (np.abs(codes.astype(int)).max(axis=1) == 127).all()


def test_equals_torch_per_channel() -> None:
    matrix = torch.randn(5, 7, generator=torch.Generator().manual_seed(0))
    codes, scale = F.quantize(matrix.numpy())
    zeros = torch.zeros(5, dtype=torch.int32)
    theirs = torch.fake_quantize_per_channel_affine(matrix, torch.from_numpy(scale[:, 0]), zeros, 0, -127, 127)
    np.testing.assert_allclose(F.dequantize(codes, scale), theirs, rtol=1e-6)


def test_a_step_too_short_for_float32() -> None:
    codes, _ = F.quantize(np.array([[2.6e-43, -2.6e-43]], np.float32))  # rounded, its step would be too short
    assert not codes.any()
