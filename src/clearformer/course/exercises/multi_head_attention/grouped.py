"""The exercise on grouped heads: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _repeat(x: Any, n_heads: int) -> Any:
    return np.repeat(x, n_heads // len(x), axis=0)


def _grouped(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, _repeat(k, len(q)), _repeat(v, len(q)))[0]


def _grouped_by_hand(answer: Answer, rng: Rng) -> None:
    q, k = np.zeros((4, 1, 1)), np.zeros((2, 2, 1))
    v = np.array([[[2.0], [4.0]], [[10.0], [30.0]]])
    expect_close(answer(q, k, v), [[[3.0]], [[3.0]], [[20.0]], [[20.0]]], "4 flat heads on values of means 3 and 20")


def _grouped_repeated(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(6, 4, 3)), rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 7))
    expect_close(answer(q, k, v), _grouped(q, k, v), "6 heads on 2, against repeated keys and values")


def _grouped_one(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(3, 4, 2)), rng.normal(size=(1, 5, 2)), rng.normal(size=(1, 5, 2))
    expect_close(answer(q, k, v), _grouped(q, k, v), "3 heads on 1")


def _grouped_all(answer: Answer, rng: Rng) -> None:
    q, k, v = rng.normal(size=(3, 4, 2)), rng.normal(size=(3, 5, 2)), rng.normal(size=(3, 5, 2))
    expect_close(answer(q, k, v), _grouped(q, k, v), "3 heads on 3")


def _tiled(q: Any, k: Any, v: Any) -> Any:
    group = len(q) // len(k)
    return F.scaled_dot_product_attention(q, np.tile(k, (group, 1, 1)), np.tile(v, (group, 1, 1)))[0]


def _first_of_group(q: Any, k: Any, v: Any) -> Any:
    group = len(q) // len(k)
    return _repeat(F.scaled_dot_product_attention(q[::group], k, v)[0], len(q))


def _mean_of_group(q: Any, k: Any, v: Any) -> Any:
    mean = q.reshape(len(k), -1, *q.shape[1:]).mean(axis=1)
    return _repeat(F.scaled_dot_product_attention(mean, k, v)[0], len(q))


def _in_place(q: Any, k: Any, v: Any) -> Any:
    q /= np.sqrt(q.shape[-1])
    return F.softmax(q @ _repeat(k, len(q)).swapaxes(-1, -2)) @ _repeat(v, len(q))


EXERCISE = Write(
    id="multi_head_attention.grouped",
    title="Heads that share",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy and `F.scaled_dot_product_attention`",
    laws=(
        Law("a case worked by hand", _grouped_by_hand),
        Law("grouped heads are heads with repeated keys and values", _grouped_repeated),
        Law("a single key-value head serves all", _grouped_one),
        Law("as many key-value heads as queries: nothing is shared", _grouped_all),
    ),
    wrong_answers={
        "deals heads out in turn": _tiled,
        "lets one query speak for its group": _first_of_group,
        "averages the queries of a group": _mean_of_group,
        "always takes the first key-value head": lambda q, k, v: F.scaled_dot_product_attention(
            q, _repeat(k[:1], len(q)), _repeat(v[:1], len(q))
        )[0],
        "scales by the width of all heads": lambda q, k, v: _grouped(q / np.sqrt(len(q)), k, v),
        "forgets the scale": lambda q, k, v: _grouped(q * np.sqrt(q.shape[-1]), k, v),
        "averages the keys and values of all heads": lambda q, k, v: _grouped(
            q, k.mean(axis=0, keepdims=True), v.mean(axis=0, keepdims=True)
        ),
        "scales the caller's queries in place": _in_place,
    },
)
