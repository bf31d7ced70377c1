"""embeddings.renumber: (table (V, d), new_ids (V,)) -> the table for texts that are written in new ids."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal


def _draw(rng: Rng) -> tuple[np.ndarray, np.ndarray]:
    return rng.normal(size=(7, 3)), rng.permutation(7)


def _by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 10.0], [2.0, 20.0], [3.0, 30.0]]), np.array([2, 0, 1]))
    expect_close(got, [[2, 20], [3, 30], [1, 10]], "tokens 0, 1, 2 become 2, 0, 1")


def _look_up(answer: Answer, rng: Rng) -> None:
    table, new_ids = _draw(rng)
    ids = rng.integers(7, size=(2, 5))
    got = np.asarray(answer(table, new_ids))
    expect_close(got.shape, table.shape, "shape of the table")
    expect_close(F.embed(new_ids[ids], got), F.embed(ids, table), "the vectors of a text in its new ids")


def _logits(answer: Answer, rng: Rng) -> None:
    table, new_ids = _draw(rng)
    h = rng.normal(size=(5, 3))
    got = (h @ np.asarray(answer(table, new_ids)).T)[:, new_ids]
    expect_close(got, h @ table.T, "the logits of a tied output, each token's at its new place")


def _there_and_back(answer: Answer, rng: Rng) -> None:
    table, new_ids = _draw(rng)
    back = answer(answer(table, new_ids), np.argsort(new_ids))
    expect_close(back, table, "renumbered, and then given the old ids again")


def _precision(answer: Answer, rng: Rng) -> None:
    table, new_ids = _draw(rng)
    got = answer(table.astype(np.float32), new_ids)
    expect_equal(str(np.asarray(got).dtype), "float32", "dtype of a table in float32")


def _renumbered(table: Any, new_ids: Any) -> Any:
    result = np.zeros(table.shape)
    result[new_ids] = table
    return result


def _in_place(table: Any, new_ids: Any) -> Any:
    table[new_ids] = table.copy()
    return table


EXERCISE = Write(
    id="embeddings.renumber",
    title="New ids for old tokens",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("a text in its new ids has the vectors it had", _look_up),
        Law("a tied output gives each token the logit it had", _logits),
        Law("the old ids bring the old table back", _there_and_back),
        Law("the table keeps its precision", _precision),
    ),
    wrong_answers={
        "takes new ids for old ones": lambda table, new_ids: table[new_ids],
        "leaves the table as it is": lambda table, new_ids: table.copy(),
        "turns the table upside down": lambda table, new_ids: table[::-1],
        "numbers by the first component": lambda table, new_ids: table[np.argsort(table[:, 0])],
        "moves columns": lambda table, new_ids: table[:, np.argsort(new_ids[: table.shape[1]])],
        "computes in another precision": _renumbered,
        "changes the caller's table": _in_place,
    },
)
