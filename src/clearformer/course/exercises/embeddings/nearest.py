"""The exercise on similarity: the tokens whose vectors point the same way."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _nearest_by_hand(answer: Answer, rng: Rng) -> None:
    table = np.array([[1.0, 0.0], [9.0, 9.0], [0.5, 0.1], [-1.0, 0.0], [0.0, 1.0]])
    expect_close(answer(table, 0, 3), [2, 1, 4], "directions 0°, 45°, 11°, 180°, 90°: the three nearest to the first")


def _nearest_brute_force(answer: Answer, rng: Rng) -> None:
    table = rng.normal(size=(11, 5)) * rng.uniform(0.1, 9, size=(11, 1))
    cosine = [row @ table[4] / np.sqrt((row @ row) * (table[4] @ table[4])) for row in table]
    order = [v for v in sorted(range(11), key=lambda v: -cosine[v]) if v != 4]
    expect_close(answer(table, 4, 10), order, "all others of 11 random tokens, most similar first")


def _nearest_lengths(answer: Answer, rng: Rng) -> None:
    table, lengths = rng.normal(size=(11, 5)), rng.uniform(0.1, 9, size=(11, 1))
    expect_close(answer(lengths * table, 2, 4), answer(table, 2, 4), "longer and shorter vectors, same directions")


def _nearest_twin(answer: Answer, rng: Rng) -> None:
    table = rng.normal(size=(7, 3))
    table[2] = table[5]
    expect_close(answer(table, 5, 1), [2], "a token with a double: the double, not itself")
    expect_close(answer(table, 2, 1), [5], "and the double's nearest")


def _nearest_with(score: Any, skip: bool = True, last: bool = False) -> Answer:
    def nearest(table: Any, token: int, count: int) -> Any:
        scores = score(table, token).astype(float)
        if skip:
            scores[token] = np.inf if last else -np.inf
        return np.argsort(scores if last else -scores, kind="stable")[:count]

    return nearest


def _cosines(table: Any, token: int) -> Any:
    unit = table / np.linalg.norm(table, axis=-1, keepdims=True)
    return unit @ unit[token]


def _nearest_in_place(table: Any, token: int, count: int) -> Any:
    table /= np.linalg.norm(table, axis=-1, keepdims=True)
    return _nearest_with(_cosines)(table, token, count)


EXERCISE = Write(
    id="embeddings.nearest",
    title="The most similar tokens",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _nearest_by_hand),
        Law("equal to a search one by one", _nearest_brute_force),
        Law("lengths do not matter", _nearest_lengths),
        Law("a token is not its own neighbour, its double is", _nearest_twin),
    ),
    wrong_answers={
        "ranks by the dot product": _nearest_with(lambda table, t: table @ table[t]),
        "ranks by the distance": _nearest_with(lambda table, t: -np.linalg.norm(table - table[t], axis=-1)),
        "counts the token itself": _nearest_with(_cosines, skip=False),
        "drops the first of the list, whoever it is": lambda table, t, n: np.argsort(
            -np.round(_cosines(table, t), 12), kind="stable"
        )[1 : n + 1],
        "gives the least similar": _nearest_with(_cosines, last=True),
        "takes the size of the cosine, whatever its sign": _nearest_with(lambda table, t: np.abs(_cosines(table, t))),
        "normalises columns, not rows": _nearest_with(
            lambda table, t: (table / np.linalg.norm(table, axis=0)) @ (table / np.linalg.norm(table, axis=0))[t]
        ),
        "normalises the caller's table": _nearest_in_place,
    },
)
