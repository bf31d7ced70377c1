"""One-hot vectors and look-ups: by hand, against PyTorch, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}
seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 7)


def draw(seed: int, B: int, T: int, vocab_size: int, d_model: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    ids = rng.integers(vocab_size, size=(B, T))
    return ids, rng.normal(size=(vocab_size, d_model)), rng.normal(size=(B, T, d_model))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_to_torch(dtype: type) -> None:
    ids, table, d_output = (array.astype(dtype) if array.dtype == float else array for array in draw(0, 2, 11, 7, 5))
    weight = torch.from_numpy(table).requires_grad_()
    output = torch.nn.functional.embedding(torch.from_numpy(ids), weight)
    output.backward(torch.from_numpy(d_output))
    assert weight.grad is not None
    assert F.embed(ids, table).dtype == F.embed_backward(d_output, ids, 7).dtype == dtype
    np.testing.assert_array_equal(F.embed(ids, table), output.detach().numpy())
    np.testing.assert_allclose(F.embed_backward(d_output, ids, 7), weight.grad.numpy(), rtol=RTOL[dtype])
    np.testing.assert_array_equal(F.one_hot(ids, 7), torch.nn.functional.one_hot(torch.from_numpy(ids), 7).numpy())


@given(seeds, sizes, sizes, sizes, sizes)
def test_backward_is_the_transpose_of_the_look_up(seed: int, B: int, T: int, V: int, d: int) -> None:
    ids, table, d_output = draw(seed, B, T, V, d)
    d_table = F.embed_backward(d_output, ids, V)
    # <x(E), dx> = <E, dE> for a map that is linear in E.
    np.testing.assert_allclose((F.embed(ids, table) * d_output).sum(), (table * d_table).sum(), atol=1e-10)
    np.testing.assert_allclose(d_table, np.einsum("btv,btd->vd", F.one_hot(ids, V), d_output), atol=1e-12)
