"""multi_head_attention.contributions: (heads (n_heads, T, d_v), w_o (n_heads * d_v, d)) -> (n_heads, T, d)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _parts_by_hand(answer: Answer, rng: Rng) -> None:
    heads = np.array([[[1.0]], [[2.0]]])
    expect_close(answer(heads, np.array([[3.0, 0.0], [5.0, 7.0]])), [[[3, 0]], [[10, 14]]], "two heads of width 1")


def _parts_add_up(answer: Answer, rng: Rng) -> None:
    heads, w_o = rng.normal(size=(3, 4, 5)), rng.normal(size=(15, 7))
    total = np.asarray(answer(heads, w_o)).sum(axis=0)
    expect_close(total, F.merge_heads(heads) @ w_o, "sum over 3 heads against concatenation times w_o")


def _parts_are_separate(answer: Answer, rng: Rng) -> None:
    heads, w_o = rng.normal(size=(3, 4, 5)), rng.normal(size=(15, 7))
    silenced = heads * (np.arange(3) == 1)[:, None, None]
    parts = np.asarray(answer(silenced, w_o))
    expect_close(parts[[0, 2]], np.zeros((2, 4, 7)), "contributions of the silent heads 0 and 2")
    expect_close(parts[1], np.asarray(answer(heads, w_o))[1], "contribution of head 1 when the others are silent")


def _blocks(heads: Any, w_o: Any, order: Any = None) -> Any:
    blocks = w_o.reshape(heads.shape[0], heads.shape[2], -1)
    return heads @ (blocks if order is None else blocks[order])


EXERCISE = Write(
    id="multi_head_attention.contributions",
    title="What each head adds",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _parts_by_hand),
        Law("contributions add up to the output", _parts_add_up),
        Law("a silent head contributes nothing and changes no other", _parts_are_separate),
    ),
    wrong_answers={
        "gives every head the whole output": lambda heads, w_o: np.repeat(
            (F.merge_heads(heads) @ w_o)[None], len(heads), axis=0
        ),
        "shares the output equally": lambda heads, w_o: np.repeat(
            (F.merge_heads(heads) @ w_o)[None] / len(heads), len(heads), axis=0
        ),
        "gives every head the first rows of w_o": lambda heads, w_o: heads @ w_o[: heads.shape[2]],
        "mixes up the blocks": lambda heads, w_o: _blocks(heads, w_o, slice(None, None, -1)),
        "takes every n_heads-th row of w_o": lambda heads, w_o: np.stack(
            [head @ w_o[h :: len(heads)] for h, head in enumerate(heads)]
        ),
        "cuts columns instead of rows": lambda heads, w_o: _blocks(
            heads, w_o.T.reshape(w_o.shape) if w_o.size else w_o
        ),
        "forgets w_o": lambda heads, w_o: heads,
    },
)
