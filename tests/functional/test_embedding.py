"""One-hot vectors and look-ups: equal to PyTorch, with the gradient."""

import numpy as np
import pytest
import torch

from clearformer import functional as F

RTOL = {np.float32: 1e-5, np.float64: 1e-10}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_equal_to_torch(dtype: type) -> None:
    rng = np.random.default_rng(0)
    ids = rng.integers(7, size=(2, 11))
    table, d_output = rng.normal(size=(7, 5)).astype(dtype), rng.normal(size=(2, 11, 5)).astype(dtype)
    weight = torch.from_numpy(table).requires_grad_()
    output = torch.nn.functional.embedding(torch.from_numpy(ids), weight)
    output.backward(torch.from_numpy(d_output))
    assert weight.grad is not None
    assert F.embed(ids, table).dtype == F.embed_backward(d_output, ids, 7).dtype == dtype
    np.testing.assert_array_equal(F.embed(ids, table), output.detach().numpy())
    np.testing.assert_allclose(F.embed_backward(d_output, ids, 7), weight.grad.numpy(), rtol=RTOL[dtype])
    np.testing.assert_array_equal(F.one_hot(ids, 7), torch.nn.functional.one_hot(torch.from_numpy(ids), 7).numpy())
