"""The exercise on a table that serves input and output: its gradient is a sum of two."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def loss(ids: np.ndarray, targets: np.ndarray, table: np.ndarray, w: np.ndarray) -> float:
    """Mean cross-entropy of the logits ``table[ids] @ w @ table.T``."""
    log_probabilities = F.log_softmax(F.embed(ids, table) @ w @ table.T)  # (T, V)
    return float(-log_probabilities[np.arange(len(ids)), targets].mean())


def _parts(ids: Any, targets: Any, table: Any, w: Any) -> tuple[Any, Any]:
    """The gradient through the output, (V, d), and through the look-up, (V, d)."""
    h = table[ids] @ w  # (T, d)
    d_logits = (F.softmax(h @ table.T) - F.one_hot(targets, len(table))) / len(ids)  # (T, V)
    d_x = d_logits @ table @ w.T  # (T, d)
    return d_logits.T @ h, F.embed_backward(d_x, ids, len(table))


def _draw(rng: Rng) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    V, d, T = 7, 3, 5
    return rng.integers(V, size=T), rng.integers(V, size=T), rng.normal(size=(V, d)), rng.normal(size=(d, d))


def _tied_by_hand(answer: Answer, rng: Rng) -> None:
    ids, targets = np.array([0]), np.array([1])
    got = answer(ids, targets, np.array([[2.0], [0.0]]), np.zeros((1, 1)))
    expect_close(got, [[0.0], [0.0]], "w = 0 makes every token equally likely, and nothing depends on the table")
    got = answer(ids, targets, np.array([[1.0], [1.0]]), np.eye(1))
    expect_close(got, [[0.5], [-0.5]], "two tokens with the vector [1], id 0, target 1, w = [[1]]")


def _tied_differences(answer: Answer, rng: Rng) -> None:
    ids, targets, table, w = _draw(rng)
    slopes, step = np.zeros_like(table), 1e-5
    for v, a in np.ndindex(*table.shape):
        shift = np.zeros_like(table)
        shift[v, a] = step
        slopes[v, a] = (loss(ids, targets, table + shift, w) - loss(ids, targets, table - shift, w)) / (2 * step)
    expect_close(answer(ids, targets, table, w), slopes, "against finite differences", rtol=1e-6, atol=1e-8)


def _tied_repeats(answer: Answer, rng: Rng) -> None:
    ids, targets, table, w = _draw(rng)
    once = answer(ids, targets, table, w)
    twice = answer(np.tile(ids, 2), np.tile(targets, 2), table, w)
    expect_close(twice, once, "the same text twice, which leaves the mean loss as it was")


def _tied_unseen(answer: Answer, rng: Rng) -> None:
    _, targets, table, w = _draw(rng)
    ids = np.zeros(5, dtype=int)
    through_output = np.asarray(answer(ids, targets, table, w))[1:]
    expect_close(through_output, _parts(ids, targets, table, w)[0][1:], "rows of tokens that were not looked up")


def _tied_assigning(ids: Any, targets: Any, table: Any, w: Any) -> Any:
    through_output, _ = _parts(ids, targets, table, w)
    d_logits = (F.softmax(table[ids] @ w @ table.T) - F.one_hot(targets, len(table))) / len(ids)
    through_output[ids] += d_logits @ table @ w.T
    return through_output


def _tied_in_place(ids: Any, targets: Any, table: Any, w: Any) -> Any:
    gradient = sum(_parts(ids, targets, table, w))
    table -= 0.1 * gradient
    return gradient


EXERCISE = Write(
    id="embeddings.tied_gradient",
    title="One table, two gradients",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy, `F.embed`, `F.embed_backward` and `F.softmax`",
    laws=(
        Law("cases worked by hand", _tied_by_hand),
        Law("equal to finite differences of the loss", _tied_differences),
        Law("the mean does not depend on how often a text is repeated", _tied_repeats),
        Law("a token that was not looked up learns through the output", _tied_unseen),
    ),
    wrong_answers={
        "only through the look-up": lambda i, t, e, w: _parts(i, t, e, w)[1],
        "only through the output": lambda i, t, e, w: _parts(i, t, e, w)[0],
        "averages the two": lambda i, t, e, w: sum(_parts(i, t, e, w)) / 2,
        "sums over the positions, without the mean": lambda i, t, e, w: sum(_parts(i, t, e, w)) * len(i),
        "forgets to transpose w": lambda i, t, e, w: sum(_parts(i, t, e, w.T)),
        "forgets w on the way back": lambda i, t, e, w: (
            _parts(i, t, e, w)[0]
            + F.embed_backward(
                (F.softmax(e[i] @ w @ e.T) - F.one_hot(t, len(e))) @ e / len(i),
                i,
                len(e),
            )
        ),
        "climbs instead of descending": lambda i, t, e, w: -sum(_parts(i, t, e, w)),
        "adds with +=, which keeps one of several": _tied_assigning,
        "takes a step on the caller's table": _tied_in_place,
    },
)
