"""embeddings.backward: (d_output (T, d_model), ids (T,), vocab_size) -> (vocab_size, d_model)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _backward_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 2.0], [10.0, 20.0], [100.0, 200.0]]), np.array([2, 0, 1]), 4)
    expect_close(got, [[10, 20], [100, 200], [1, 2], [0, 0]], "ids 2, 0, 1 of a vocabulary of 4")


def _backward_repeats(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0], [10.0], [100.0]]), np.array([1, 0, 1]), 3)
    expect_close(got, [[10], [101], [0]], "ids 1, 0, 1 of a vocabulary of 3")


def _backward_differences(answer: Answer, rng: Rng) -> None:
    ids, d_output = rng.integers(5, size=7), rng.normal(size=(7, 3))
    table, step = rng.normal(size=(5, 3)), 1e-5
    slopes = np.zeros((5, 3))
    for v, a in np.ndindex(5, 3):
        moved = table.copy()
        moved[v, a] += step
        slopes[v, a] = ((F.embed(ids, moved) - F.embed(ids, table)) * d_output).sum() / step
    expect_close(answer(d_output, ids, 5), slopes, "against finite differences", rtol=1e-5, atol=1e-8)


def _backward_parts(answer: Answer, rng: Rng) -> None:
    ids, d_output = rng.integers(5, size=8), rng.normal(size=(8, 2))
    halves = np.asarray(answer(d_output[:4], ids[:4], 5)) + np.asarray(answer(d_output[4:], ids[4:], 5))
    expect_close(answer(d_output, ids, 5), halves, "a text against the sum over its two halves")


def _backward_assigns(d_output: Any, ids: Any, vocab_size: int) -> Any:
    d_table = np.zeros((vocab_size, d_output.shape[-1]))
    d_table[ids] += d_output
    return d_table


def _backward_short(d_output: Any, ids: Any, vocab_size: int) -> Any:
    return F.embed_backward(d_output, ids, vocab_size)[: ids.max() + 1]


def _backward_in_place(d_output: Any, ids: Any, vocab_size: int) -> Any:
    d_table = F.embed_backward(d_output, ids, vocab_size)
    d_output[:] = 0
    return d_table


EXERCISE = Write(
    id="embeddings.backward",
    title="Back to the table",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _backward_by_hand),
        Law("a token that occurs twice gets the sum", _backward_repeats),
        Law("equal to finite differences of the look-up", _backward_differences),
        Law("two halves of a text add up", _backward_parts),
    ),
    wrong_answers={
        "adds with +=, which keeps one of several": _backward_assigns,
        "averages over the occurrences": lambda d, ids, n: (
            F.embed_backward(d, ids, n) / np.maximum(np.bincount(ids, minlength=n), 1)[:, None]
        ),
        "averages over the positions": lambda d, ids, n: F.embed_backward(d, ids, n) / len(ids),
        "looks up once more": lambda d, ids, n: np.resize(d, (n, d.shape[-1])),
        "gives a table that ends with the largest id": _backward_short,
        "multiplies with the one-hot vectors on the wrong side": lambda d, ids, n: d.T @ F.one_hot(ids, n),
        "clears the caller's gradient": _backward_in_place,
    },
)
