"""embeddings.one_hot: (ids (...), vocab_size) -> (..., vocab_size)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close, expect_raises


def _one_hot_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([2, 0]), 3), [[0, 0, 1], [1, 0, 0]], "ids 2 and 0 of a vocabulary of 3")


def _one_hot_axes(answer: Answer, rng: Rng) -> None:
    ids = rng.integers(7, size=(2, 3, 5))
    expect_close(answer(ids, 7), F.one_hot(ids, 7), "ids of shape (2, 3, 5)")


def _one_hot_selects(answer: Answer, rng: Rng) -> None:
    ids, table = rng.integers(11, size=5), rng.normal(size=(11, 3))
    expect_close(answer(ids, 11) @ table, table[ids], "product with a table")


def _one_hot_refuses(answer: Answer, rng: Rng) -> None:
    expect_raises(lambda: answer(np.array([0, 3]), 3), ValueError, "id 3 of a vocabulary of 3")
    expect_raises(lambda: answer(np.array([0, -1]), 3), ValueError, "id -1")


def _refuse(ids: Any, vocab_size: int) -> None:
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise ValueError(f"ids must lie between 0 and {vocab_size - 1}")


def _one_hot_with(function: Any, refuse: Any = _refuse) -> Answer:
    def one_hot(ids: Any, vocab_size: int) -> Any:
        refuse(ids, vocab_size)
        return function(ids, vocab_size)

    return one_hot


def _one_hot_in_place(ids: Any, vocab_size: int) -> Any:
    _refuse(ids, vocab_size)
    result = np.eye(vocab_size)[ids]
    ids += 1
    return result


EXERCISE = Write(
    id="embeddings.one_hot",
    title="One-hot vectors",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _one_hot_by_hand),
        Law("ids of any shape get one more axis", _one_hot_axes),
        Law("the product with a table selects its rows", _one_hot_selects),
        Law("an id outside the vocabulary is refused", _one_hot_refuses),
    ),
    wrong_answers={
        "lets a negative id count from the end": lambda ids, n: np.eye(n)[ids] if ids.max() < n else F.one_hot(ids, n),
        "gives zeros for an id outside": lambda ids, n: (ids[..., None] == np.arange(n)).astype(float),
        "puts the vocabulary first": _one_hot_with(lambda ids, n: np.moveaxis(np.eye(n)[ids], -1, 0)),
        "flattens the ids": _one_hot_with(lambda ids, n: np.eye(n)[ids.ravel()]),
        "counts ids from 1": _one_hot_with(lambda ids, n: np.eye(n)[ids - 1]),
        "counts the tokens of a text into one vector": _one_hot_with(lambda ids, n: np.eye(n)[ids].sum(axis=-2)),
        "changes the caller's ids": _one_hot_in_place,
    },
)
