"""Matrices in whole numbers: what is rounded, by how much, and what they compute."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from clearformer.nn.int8 import FEW, STRIDE, Int8Matrix

sizes = st.integers(1, 40)


def drawn(n_in: int, n_out: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_in, n_out, generator=generator) * 10 ** torch.randn(n_out, generator=generator)


@given(sizes, sizes, st.integers(0, 2**30))
def test_no_weight_moves_by_more_than_half_a_step_and_numpy_rounds_alike(n_in: int, n_out: int, seed: int) -> None:
    w = drawn(n_in, n_out, seed)
    matrix = Int8Matrix.of(w)
    codes, scale = F.quantize(w.T.numpy())
    np.testing.assert_array_equal(matrix.codes.numpy(), codes)
    np.testing.assert_array_equal(matrix.scale.numpy(), scale[:, 0])
    moved = (matrix.codes.double() * matrix.scale[:, None].double() - w.T.double()).abs()
    assert (moved <= 0.5001 * matrix.scale[:, None]).all()


@pytest.mark.parametrize("rows", [(), (1,), (FEW,), (FEW + 1,), (3, 7), (2, 5, 4)])
@pytest.mark.parametrize("n_in", [1, 12, 33, 48, 64, 96])
def test_the_product_is_that_with_the_rounded_matrix(n_in: int, rows: tuple[int, ...]) -> None:
    matrix = Int8Matrix.of(drawn(n_in, 23, 0))
    x = torch.randn(*rows, n_in, generator=torch.Generator().manual_seed(1))
    rounded = (matrix.codes.double() * matrix.scale.double()[:, None]).T  # (n_in, 23)
    many = int(np.prod(rows)) > FEW or n_in % STRIDE > 0
    scale = x.double().norm(dim=-1, keepdim=True) * rounded.norm(dim=0)  # what a product can be at most
    off = (matrix(x) - x.double() @ rounded).abs() / scale
    assert off.max() < (1e-6 if many else 1e-2)
    assert matrix(x).shape == (*rows, 23)


def test_a_column_of_zeros_and_columns_alone() -> None:
    w = drawn(8, 5, 2)
    w[:, 3] = 0
    w[:, 4] = torch.finfo(torch.float32).tiny / 4  # its step would have hardly any digits
    matrix, x = Int8Matrix.of(w), torch.ones(20, 8)
    # Nothing was divided by zero: what a processor makes of a whole number that is none differs.
    assert matrix.scale[3:].tolist() == [1, 1]
    assert (matrix(x)[:, 3:] == 0).all()
    torch.testing.assert_close(matrix[:, 1:3](x), matrix(x)[:, 1:3])
    assert (matrix.shape, len(matrix)) == ((8, 5), 8)


def test_refusals() -> None:
    matrix = Int8Matrix.of(drawn(8, 5, 2))
    with pytest.raises(ValueError, match=r"x must be \(..., 8\), got shape \(2, 7\)"):
        matrix(torch.ones(2, 7))
    with pytest.raises(IndexError, match="columns only can be taken"):
        matrix[1:2, :]
