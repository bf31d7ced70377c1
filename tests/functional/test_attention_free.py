"""Attention without a match of queries and keys: by hand, as the formula says, and as a softmax for each feature."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from clearformer import functional as F
from tests.few import few

seeds, sizes = st.integers(0, 2**32 - 1), st.integers(1, 7)


def draw(seed: int, T: int, S: int, d: int = 3) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [rng.normal(size=shape) for shape in ((2, T, d), (2, S, d), (2, S, d), (T, S))]


@few
@given(seeds, sizes, sizes)
def test_the_formula(seed: int, T: int, S: int) -> None:
    """Einsum over (T, S, d), in PyTorch, with exponentials that small numbers allow."""
    q, k, v, w = map(torch.tensor, draw(seed, T, S))
    e = torch.exp(k[:, None] + w[..., None])  # (2, T, S, d)
    expected = torch.sigmoid(q) * torch.einsum("btsd,bsd->btd", e, v) / e.sum(dim=2)
    np.testing.assert_allclose(F.attention_free(*map(np.asarray, (q, k, v, w))), expected, rtol=1e-12, atol=1e-14)


@given(seeds, sizes)
def test_what_a_mask_hides_cannot_touch_a_position(seed: int, T: int) -> None:
    q, k, v, w = draw(seed, T, T)
    before = F.attention_free(q, k, v, w, F.causal_mask(T))
    k[:, -1], v[:, -1], w[:-1, -1] = np.nan, np.inf, np.nan
    after = F.attention_free(q, k, v, w, F.causal_mask(T))
    np.testing.assert_allclose(after[:, :-1], before[:, :-1], rtol=1e-12)


def test_no_shift_of_keys_or_biases_alone_would_do() -> None:
    """Bias and key are extreme at different positions; only their sum may be shifted."""
    k, v = np.array([[0.0], [300.0]], dtype=np.float32), np.array([[2.0], [4.0]], dtype=np.float32)
    w = np.array([[300.0, 0.0]], dtype=np.float32)
    q = np.array([[-1000.0]], dtype=np.float32)
    np.testing.assert_array_equal(F.attention_free(-q, k, v, w), [[3.0]])
    np.testing.assert_array_equal(F.attention_free(q, k, v, w), [[0.0]])
    assert F.attention_free(q, k, v, w).dtype == np.float32
