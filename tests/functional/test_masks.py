"""The masks: by hand, against PyTorch, as laws, and what they refuse."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F

# --- by hand ---


def test_causal_by_hand() -> None:
    np.testing.assert_array_equal(F.causal_mask(3), [[1, 0, 0], [1, 1, 0], [1, 1, 1]])
    assert F.causal_mask(3).dtype == np.bool_


def test_causal_queries_are_the_last_positions() -> None:
    np.testing.assert_array_equal(F.causal_mask(2, 5), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    assert F.causal_mask(0, 3).shape == (0, 3)


def test_padding_by_hand() -> None:
    np.testing.assert_array_equal(F.padding_mask([3, 0, 4], 4), [[[1, 1, 1, 0]], [[0, 0, 0, 0]], [[1, 1, 1, 1]]])


# --- against PyTorch ---


@pytest.mark.parametrize("T", [1, 2, 7])
def test_causal_equal_to_torch(T: int) -> None:
    may_not = torch.nn.Transformer.generate_square_subsequent_mask(T).isinf().numpy()
    np.testing.assert_array_equal(F.causal_mask(T), ~may_not)


# --- refusals ---


@pytest.mark.usefixtures("unchecked")
def test_causal_refuses_fewer_keys_than_queries() -> None:
    with pytest.raises(ValueError, match=r"^T=3 query positions must be the last of S=2 key positions"):
        F.causal_mask(3, 2)
    with pytest.raises(ValueError, match=r"^T=-1 query positions"):
        F.causal_mask(-1)


@pytest.mark.usefixtures("unchecked")
def test_padding_refuses_lengths_it_cannot_show() -> None:
    with pytest.raises(ValueError, match=r"^lengths must lie between 0 and S=4, got 5$"):
        F.padding_mask([3, 5], 4)
    with pytest.raises(ValueError, match=r"^lengths must lie between 0 and S=4, got -1$"):
        F.padding_mask([3, -1], 4)
    with pytest.raises(TypeError, match=r"^lengths must be integers, got dtype float64 and shape \(2,\)$"):
        F.padding_mask(np.array([3.0, 1.0]), 4)


# --- block by block ---


@given(st.integers(1, 9), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))
def test_blocks_put_together_are_the_causal_mask(T: int, past: int, rows: int, columns: int) -> None:
    S = T + past
    mask, seen = F.causal_blocks(T, S), np.zeros((T, S), dtype=bool)
    for first in range(0, T, rows):
        for start in range(0, S, columns):
            queries, keys = np.arange(first, min(first + rows, T)), np.arange(start, min(start + columns, S))
            seen[np.ix_(queries, keys)] = mask(queries, keys)
    np.testing.assert_array_equal(seen, F.causal_mask(T, S))
