"""multi_head_attention.split: (x (..., T, n_heads * d_k), n_heads) -> (..., n_heads, T, d_k)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _split_by_hand(answer: Answer, rng: Rng) -> None:
    x = np.array([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]])
    expect_close(answer(x, 2), [[[0, 1], [4, 5]], [[2, 3], [6, 7]]], "2 positions, 4 features, 2 heads")


def _split_axes(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(2, 3, 5, 28))
    expect_close(answer(x, 7), F.split_heads(x, 7), "x (2, 3, 5, 28) in 7 heads")


def _split_one(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(3, 4))
    expect_close(answer(x, 1), x[None], "a single head")


def _split_projection(answer: Answer, rng: Rng) -> None:
    x, w = rng.normal(size=(5, 6)), rng.normal(size=(6, 6))
    expect_close(np.asarray(answer(x @ w, 3))[1], x @ w[:, 2:4], "head 1 of x @ w against x @ w[:, 2:4]")


def _interleaved(x: Any, n_heads: int) -> Any:
    return np.moveaxis(x.reshape(*x.shape[:-1], -1, n_heads), -1, -3)


EXERCISE = Write(
    id="multi_head_attention.split",
    title="Cut into heads",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _split_by_hand),
        Law("any leading axes", _split_axes),
        Law("a single head is everything", _split_one),
        Law("head i owns d_k neighbouring columns of the weights", _split_projection),
    ),
    wrong_answers={
        "reshapes without moving an axis": lambda x, n: x.reshape(*x.shape[:-2], n, x.shape[-2], x.shape[-1] // n),
        "leaves positions in front of heads": lambda x, n: x.reshape(*x.shape[:-1], n, -1),
        "takes every n-th feature": _interleaved,
        "reverses the heads": lambda x, n: F.split_heads(x, n)[..., ::-1, :, :],
        "knows no leading axes": lambda x, n: x.reshape(x.shape[0], n, -1).swapaxes(0, 1),
        "cuts the positions": lambda x, n: np.stack(np.array_split(x, n, axis=-2), axis=-3),
    },
)
