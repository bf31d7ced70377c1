"""The exercises of the embeddings chapter: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close, expect_raises
from clearformer.exercises.nearest import NEAREST
from clearformer.exercises.tied_table import TIED_GRADIENT

Rng = np.random.Generator


# --- embeddings.one_hot: (ids (...), vocab_size) -> (..., vocab_size) ---


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


ONE_HOT = Exercise(
    id="embeddings.one_hot",
    title="One-hot vectors",
    difficulty="easy",
    points=1,
    minutes=5,
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


# --- embeddings.parameters: (vocab_size, d_model, tied) -> int ---


def _parameters_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(5, 3, False), 30, "vocab_size=5, d_model=3, two tables")
    expect_close(answer(5, 3, True), 15, "vocab_size=5, d_model=3, one table for both")


def _parameters_counted(answer: Answer, rng: Rng) -> None:
    for _ in range(3):
        vocab_size, d_model = (int(n) for n in rng.integers(2, 40, size=2))
        tables = np.zeros((2, vocab_size, d_model))
        expect_close(answer(vocab_size, d_model, False), tables.size, f"{vocab_size} tokens, width {d_model}, untied")
        expect_close(answer(vocab_size, d_model, True), tables[0].size, f"{vocab_size} tokens, width {d_model}, tied")


PARAMETERS = Exercise(
    id="embeddings.parameters",
    title="What tying saves",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("a case worked by hand", _parameters_by_hand),
        Law("as many as the tables have entries", _parameters_counted),
    ),
    wrong_answers={
        "counts one table in either case": lambda v, d, tied: v * d,
        "counts two tables in either case": lambda v, d, tied: 2 * v * d,
        "has it the wrong way round": lambda v, d, tied: v * d * (2 if tied else 1),
        "halves the width instead": lambda v, d, tied: v * (d // 2 if tied else d),
        "adds a bias for each token": lambda v, d, tied: v * d * (1 if tied else 2) + v,
        "adds rows and columns": lambda v, d, tied: (v + d) * (1 if tied else 2),
    },
)


# --- embeddings.backward: (d_output (T, d_model), ids (T,), vocab_size) -> (vocab_size, d_model) ---


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


BACKWARD = Exercise(
    id="embeddings.backward",
    title="Back to the table",
    difficulty="medium",
    points=3,
    minutes=15,
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


# In the order of the chapter.
EXERCISES = (ONE_HOT, PARAMETERS, BACKWARD, NEAREST, TIED_GRADIENT)
