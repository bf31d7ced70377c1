"""One-hot vectors and look-ups: by hand, against PyTorch, as laws, and what they refuse."""

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


# --- by hand ---


def test_one_hot_by_hand() -> None:
    np.testing.assert_array_equal(F.one_hot([2, 0, 2], 3), [[0, 0, 1], [1, 0, 0], [0, 0, 1]])
    assert F.one_hot(np.array([1]), 3).dtype == np.float64


def test_embed_by_hand() -> None:
    table = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
    np.testing.assert_array_equal(F.embed([2, 0, 2], table), [[4, 5], [0, 1], [4, 5]])
    np.testing.assert_array_equal(F.embed(np.array(1), table), [2, 3])


def test_backward_by_hand() -> None:
    d_table = F.embed_backward(np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), [2, 0, 2], 4)
    np.testing.assert_array_equal(d_table, [[10, 20], [0, 0], [101, 202], [0, 0]])


# --- against PyTorch ---


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


# --- laws ---


@given(seeds, sizes, sizes, sizes, sizes)
def test_backward_is_the_transpose_of_the_look_up(seed: int, B: int, T: int, V: int, d: int) -> None:
    ids, table, d_output = draw(seed, B, T, V, d)
    d_table = F.embed_backward(d_output, ids, V)
    # <x(E), dx> = <E, dE> for a map that is linear in E.
    np.testing.assert_allclose((F.embed(ids, table) * d_output).sum(), (table * d_table).sum(), atol=1e-10)
    np.testing.assert_allclose(d_table, np.einsum("btv,btd->vd", F.one_hot(ids, V), d_output), atol=1e-12)


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
def test_refuses_ids_without_a_row() -> None:
    message = r"^ids must lie between 0 and 2 for vocab_size=3, got -1$"
    ids = np.array([[0, 1], [-1, 2]])
    with pytest.raises(ValueError, match=message):
        F.one_hot(ids, 3)
    with pytest.raises(ValueError, match=message):
        F.embed(ids, np.zeros((3, 2)))
    with pytest.raises(ValueError, match=message):
        F.embed_backward(np.zeros((2, 2, 5)), ids, 3)


@pytest.mark.usefixtures("unchecked")
def test_refuses_float_ids() -> None:
    message = r"^ids must be integers, got dtype float64 and shape \(2,\)$"
    with pytest.raises(TypeError, match=message):
        F.embed([0.0, 1.0], np.zeros((3, 2)))


@pytest.mark.usefixtures("unchecked")
def test_refuses_tables_and_gradients_that_do_not_fit() -> None:
    with pytest.raises(TypeError, match=r"^table must hold floats, got dtype int64 and shape \(3, 2\)$"):
        F.embed([0], np.zeros((3, 2), dtype=np.int64))
    with pytest.raises(ValueError, match=r"^table must be \(vocab_size, d_model\), got shape \(3,\)$"):
        F.embed([0], np.zeros(3))
    with pytest.raises(ValueError, match=r"^d_output \(3, 5\) must have one row for each of the ids \(2,\)$"):
        F.embed_backward(np.zeros((3, 5)), [0, 1], 7)
