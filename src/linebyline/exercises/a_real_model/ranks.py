"""a_real_model.ranks: (states between the blocks, norm, table) -> the rank of the last answer in each of them."""

from collections.abc import Callable
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_equal

Norm = Callable[[np.ndarray], np.ndarray]


def _ranks(states: np.ndarray, norm: Norm, table: np.ndarray) -> Any:
    """The right answer, as the laws see it."""
    logits = norm(states) @ table.T  # (n_states, T, vocab_size)
    answers = logits[-1].argmax(-1)
    own = np.take_along_axis(logits, np.broadcast_to(answers, logits.shape[:2])[..., None], axis=-1)
    return (logits > own).sum(-1) + 1


def _norm(rng: Rng, d: int) -> Norm:
    gamma, beta = rng.normal(size=(2, d))
    return lambda x: F.layer_norm(x, gamma, beta)


def _draw(rng: Rng, n: int = 4) -> tuple[np.ndarray, Norm, np.ndarray]:
    T, d, vocab_size = (int(rng.integers(low, low + 3)) for low in (3, 4, 11))
    return rng.normal(size=(n, T, d)), _norm(rng, d), rng.normal(size=(vocab_size, d))


def _by_hand(answer: Answer, rng: Rng) -> None:
    table = np.array([[3.0, 0.0], [2.0, 1.0], [0.0, 3.0], [0.0, -1.0]])
    states = np.array([[[1.0, 0.1]], [[0.5, 0.4]], [[0.1, 1.0]]])  # logits of the last: 0.3, 1.2, 3, -1
    expect_equal(np.asarray(answer(states, lambda x: x, table)).tolist(), [[3], [3], [1]], "ranks with three states")


def _each(answer: Answer, rng: Rng) -> None:
    drawn = _draw(rng)
    expect_equal(np.asarray(answer(*drawn)).tolist(), _ranks(*drawn).tolist(), "ranks in four states")


def _last(answer: Answer, rng: Rng) -> None:
    drawn = _draw(rng, n=1)
    expect_equal(np.asarray(answer(*drawn)).tolist(), [[1] * drawn[0].shape[1]], "ranks in the only state")


def _norm_counts(answer: Answer, rng: Rng) -> None:
    states, _, table = _draw(rng)
    drawn = states, (lambda x: -x), table
    expect_equal(np.asarray(answer(*drawn)).tolist(), _ranks(*drawn).tolist(), "ranks with a norm that turns signs")


def _own_answers(states: np.ndarray, norm: Norm, table: np.ndarray) -> Any:
    return np.ones(np.shape(states)[:2], dtype=int)


EXERCISE = Write(
    id="a_real_model.ranks",
    title="How far down was the answer?",
    difficulty="hard",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("three states by hand", _by_hand),
        Law("the rank in every state", _each),
        Law("the last state ranks its answer first", _last),
        Law("the norm is applied to every state", _norm_counts),
    ),
    wrong_answers={
        "asks each state for its own answer": _own_answers,
        "counts from 0": lambda states, norm, table: _ranks(states, norm, table) - 1,
        "leaves the norm out": lambda states, norm, table: _ranks(states, lambda x: x, table),
        "takes the last state through the norm twice": lambda states, norm, table: _ranks(
            np.concatenate([states[:-1], norm(states[-1:])]), norm, table
        ),
        "looks for the answer of the first state": lambda states, norm, table: _ranks(states[::-1], norm, table)[::-1],
        "counts from the worst": lambda states, norm, table: len(table) + 1 - _ranks(states, norm, table),
    },
)
