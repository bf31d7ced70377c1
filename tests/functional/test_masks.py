"""The masks: by hand, against PyTorch, as laws."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F


def test_causal_queries_are_the_last_positions() -> None:
    np.testing.assert_array_equal(F.causal_mask(2, 5), [[1, 1, 1, 1, 0], [1, 1, 1, 1, 1]])
    assert F.causal_mask(0, 3).shape == (0, 3)


def test_padding_by_hand() -> None:
    np.testing.assert_array_equal(F.padding_mask([3, 0, 4], 4), [[[1, 1, 1, 0]], [[0, 0, 0, 0]], [[1, 1, 1, 1]]])


@pytest.mark.parametrize("T", [1, 2, 7])
def test_causal_equal_to_torch(T: int) -> None:
    may_not = torch.nn.Transformer.generate_square_subsequent_mask(T).isinf().numpy()
    np.testing.assert_array_equal(F.causal_mask(T), ~may_not)


@given(st.integers(1, 9), st.integers(0, 5), st.integers(1, 4), st.integers(1, 4))
def test_blocks_put_together_are_the_causal_mask(T: int, past: int, rows: int, columns: int) -> None:
    S = T + past
    mask, seen = F.causal_blocks(T, S), np.zeros((T, S), dtype=bool)
    for first in range(0, T, rows):
        for start in range(0, S, columns):
            queries, keys = np.arange(first, min(first + rows, T)), np.arange(start, min(start + columns, S))
            seen[np.ix_(queries, keys)] = mask(queries, keys)
    np.testing.assert_array_equal(seen, F.causal_mask(T, S))
