"""The exercises of the chapter on heads: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.grouped import GROUPED
from clearformer.exercises.induction import INDUCTION

Rng = np.random.Generator


# --- multi_head_attention.cache_bytes: (n_layers, n_kv_heads, d_k, tokens, bytes_per_number) -> bytes ---


def _cache_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(1, 1, 1, 1, 1), 2, "one number for the key, one for the value")
    expect_close(answer(2, 3, 5, 7, 4), 1680, "2 layers, 3 heads of 5 features, 7 tokens, 4 bytes")


def _cache_of_a_model(answer: Answer, rng: Rng) -> None:
    expect_close(answer(32, 8, 128, 1, 2), 131072, "32 layers, 8 heads of 128 features, 1 token, 2 bytes")


def _cache_grows(answer: Answer, rng: Rng) -> None:
    sizes = [int(size) for size in rng.integers(2, 9, size=5)]
    names = ("n_layers", "n_kv_heads", "d_k", "tokens", "bytes_per_number")
    for place, name in enumerate(names):
        doubled = [size * (1 + (i == place)) for i, size in enumerate(sizes)]
        expect_close(answer(*doubled), 2 * answer(*sizes), f"twice as large {name}")


CACHE_BYTES = Exercise(
    id="multi_head_attention.cache_bytes",
    title="What a conversation costs",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("cases worked by hand", _cache_by_hand),
        Law("a model of 32 layers", _cache_of_a_model),
        Law("twice of anything is twice the cache", _cache_grows),
    ),
    wrong_answers={
        "forgets the values": lambda layers, heads, d_k, tokens, width: layers * heads * d_k * tokens * width,
        "keeps the queries, too": lambda layers, heads, d_k, tokens, width: 3 * layers * heads * d_k * tokens * width,
        "counts one layer": lambda layers, heads, d_k, tokens, width: 2 * heads * d_k * tokens * width,
        "keeps the scores, too": lambda layers, heads, d_k, tokens, width: (
            layers * heads * (2 * d_k * tokens + tokens**2) * width
        ),
        "counts numbers, not bytes": lambda layers, heads, d_k, tokens, width: 2 * layers * heads * d_k * tokens,
    },
)


# --- multi_head_attention.split: (x (..., T, n_heads * d_k), n_heads) -> (..., n_heads, T, d_k) ---


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


SPLIT = Exercise(
    id="multi_head_attention.split",
    title="Cut into heads",
    difficulty="easy",
    points=2,
    minutes=10,
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


# --- multi_head_attention.contributions: (heads (n_heads, T, d_v), w_o (n_heads * d_v, d)) -> (n_heads, T, d) ---


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


CONTRIBUTIONS = Exercise(
    id="multi_head_attention.contributions",
    title="What each head adds",
    difficulty="medium",
    points=3,
    minutes=15,
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


# In the order of the chapter.
EXERCISES = (CACHE_BYTES, SPLIT, CONTRIBUTIONS, GROUPED, INDUCTION)
