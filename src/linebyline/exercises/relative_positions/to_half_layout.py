"""relative_positions.to_half_layout: (w (d_model, n_heads * d_k), n_heads) -> the same shape."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _scores(w_q: Any, w_k: Any, x: np.ndarray, n_heads: int, layout: Any) -> np.ndarray:
    """Rotated scores of every head, (n_heads, T, T)."""
    heads = [(x @ w).reshape(len(x), n_heads, -1).swapaxes(0, 1) for w in (np.asarray(w_q), np.asarray(w_k))]
    q, k = (F.rotary_encoding(head, np.arange(len(x)), layout=layout) for head in heads)  # (n_heads, T, d_k)
    scores: np.ndarray = q @ k.swapaxes(-1, -2)  # (n_heads, T, T)
    return scores


def _layout_by_hand(answer: Answer, rng: Rng) -> None:
    w = np.array([[0.0, 1.0, 2.0, 3.0]])
    expect_close(answer(w, 1), [[0.0, 2.0, 1.0, 3.0]], "columns 0 1 2 3 of one head")


def _layout_scores(answer: Answer, rng: Rng) -> None:
    w_q, w_k, x = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), rng.normal(size=(4, 5))
    expected = _scores(w_q, w_k, x, 1, "interleaved")
    expect_close(_scores(answer(w_q, 1), answer(w_k, 1), x, 1, "half"), expected, "scores of one head, d_k=6")


def _layout_heads(answer: Answer, rng: Rng) -> None:
    w_q, w_k, x = rng.normal(size=(5, 24)), rng.normal(size=(5, 24)), rng.normal(size=(4, 5))
    expected = _scores(w_q, w_k, x, 3, "interleaved")
    expect_close(_scores(answer(w_q, 3), answer(w_k, 3), x, 3, "half"), expected, "scores of 3 heads, d_k=8")


def _layout_columns(answer: Answer, rng: Rng) -> None:
    w = rng.normal(size=(5, 16))
    order = np.argsort(np.asarray(answer(w, 2))[0])
    expect_close(np.asarray(answer(w, 2))[:, order], w[:, np.argsort(w[0])], "the columns, whatever their order")


def _reorder(w: Any, n_heads: int, order: Any) -> Any:
    d_k = w.shape[1] // n_heads
    return w.reshape(w.shape[0], n_heads, d_k)[:, :, order(d_k)].reshape(w.shape)


def _even_odd(d_k: int) -> Any:
    return np.concatenate([np.arange(0, d_k, 2), np.arange(1, d_k, 2)])


EXERCISE = Write(
    id="relative_positions.to_half_layout",
    title="From one layout to the other",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _layout_by_hand),
        Law("scores of one head stay the same", _layout_scores),
        Law("scores of several heads stay the same", _layout_heads),
        Law("columns are reordered, not changed", _layout_columns),
    ),
    wrong_answers={
        "changes nothing": lambda w, n_heads: w,
        "reorders across heads": lambda w, n_heads: _reorder(w, 1, _even_odd),
        "goes the other way": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.argsort(_even_odd(d))),
        "puts odd columns first": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.roll(_even_odd(d), d // 2)),
        "reverses the columns": lambda w, n_heads: _reorder(w, n_heads, lambda d: np.arange(d)[::-1]),
        "takes every n_heads-th column as a head": lambda w, n_heads: np.concatenate(
            [w[:, h::n_heads][:, _even_odd(w.shape[1] // n_heads)] for h in range(n_heads)], axis=1
        ),
        "flips the sign of the second half": lambda w, n_heads: (
            _reorder(w, n_heads, _even_odd) * np.where(np.arange(w.shape[1]) % 2, -1, 1)
        ),
    },
)
