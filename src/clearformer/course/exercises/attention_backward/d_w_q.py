"""attention_backward.d_w_q: (x (..., T, d_model), d_q (..., T, d_k)) -> (d_model, d_k)."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _d_w_by_hand(answer: Answer, rng: Rng) -> None:
    x, d_q = np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([[10.0], [1.0]])
    expect_close(answer(x, d_q), [[10.0], [23.0]], "x = [[1 2], [0 3]], d_q = [[10], [1]]")


def _d_w_slope(answer: Answer, rng: Rng) -> None:
    x, w, d_q = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
    direction = rng.normal(size=(3, 2))
    climb = ((x @ (w + direction) - x @ (w - direction)) * d_q).sum() / 2  # exact: queries are linear in w
    expect_close(np.sum(np.asarray(answer(x, d_q)) * direction), climb, "change of the loss along a direction of w")


def _d_w_batch(answer: Answer, rng: Rng) -> None:
    x, d_q = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 7))
    expect_close(answer(x, d_q), x[0].T @ d_q[0] + x[1].T @ d_q[1], "two sequences that share one matrix")


def _d_w_unused(answer: Answer, rng: Rng) -> None:
    x, d_q = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    x[:, 1] = 0
    expect_close(np.asarray(answer(x, d_q))[1], np.zeros(2), "row of w for a feature that is 0 in every token")


def _d_w(x: Any, d_q: Any) -> Any:
    return x.reshape(-1, x.shape[-1]).T @ d_q.reshape(-1, d_q.shape[-1])


EXERCISE = Write(
    id="attention_backward.d_w_q",
    title="The gradient of a projection",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _d_w_by_hand),
        Law("the slope of the loss in any direction", _d_w_slope),
        Law("the sum over the sequences of a batch", _d_w_batch),
        Law("a feature that is always 0 gets no gradient", _d_w_unused),
    ),
    wrong_answers={
        "keeps one matrix for each sequence": lambda x, d: x.swapaxes(-1, -2) @ d,
        "transposes the result": lambda x, d: _d_w(x, d).T,
        "averages over the tokens": lambda x, d: _d_w(x, d) / x.shape[-2],
        "averages over the batch": lambda x, d: _d_w(x, d) * x.shape[-2] / x[..., 0].size,
        "uses the first sequence only": lambda x, d: (
            x.reshape(-1, *x.shape[-2:])[0].T @ d.reshape(-1, *d.shape[-2:])[0]
        ),
        "sums tokens before multiplying": lambda x, d: np.outer(
            x.reshape(-1, x.shape[-1]).sum(axis=0), d.reshape(-1, d.shape[-1]).sum(axis=0)
        ),
        "adds the sum of the gradients to every row": lambda x, d: _d_w(x, d) + d.reshape(-1, d.shape[-1]).sum(axis=0),
    },
)
