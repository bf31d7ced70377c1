"""The exercise on induction heads: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _ideal(ids: Any, *, shift: int = 1, causal: bool = True, normal: bool = True, latest: bool = False) -> Any:
    """Find the keys that come ``shift`` places after the query's own token."""
    T = len(ids)
    hits = np.zeros((T, T))
    hits[:, shift:] = ids[:, None] == ids[: T - shift]
    hits = np.tril(hits) if causal else hits
    if latest:
        hits = hits * (np.arange(T) == np.where(hits.any(axis=-1), T - 1 - hits[:, ::-1].argmax(axis=-1), -1)[:, None])
    total = hits.sum(axis=-1, keepdims=True)
    return hits / np.where(total == 0, 1, total) if normal else hits


def _induction_by_hand(answer: Answer, rng: Rng) -> None:
    expected = np.zeros((5, 5))
    expected[2, 1] = 1  # a b a: what followed a was b
    expected[3, 2] = 1  # a b a b: what followed b was a
    expect_close(answer(np.array([0, 1, 0, 1, 2])), expected, "ids a b a b c")


def _induction_several(answer: Answer, rng: Rng) -> None:
    expected = np.zeros((5, 5))
    expected[2, 1], expected[4, 1], expected[4, 3] = 1, 0.5, 0.5
    expect_close(answer(np.array([0, 1, 0, 2, 0])), expected, "ids a b a c a: b and c followed a")


def _induction_twice(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([3, 3, 3])), [[0, 0, 0], [0, 1, 0], [0, 0.5, 0.5]], "ids a a a")


def _induction_new(answer: Answer, rng: Rng) -> None:
    ids = rng.permutation(7)
    expect_close(answer(ids), np.zeros((7, 7)), "7 different ids: nothing to copy from")


def _induction_copies(answer: Answer, rng: Rng) -> None:
    ids = np.tile(rng.permutation(11)[:6], 3)
    copied = np.asarray(answer(ids))[6:-1] @ np.eye(11)[ids]
    expect_close(copied, np.eye(11)[ids[7:]], "what the second and third round copy, against the next id")


EXERCISE = Write(
    id="multi_head_attention.induction",
    title="The ideal induction head",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _induction_by_hand),
        Law("several earlier places share the weight", _induction_several),
        Law("a token may follow itself", _induction_twice),
        Law("a query without an earlier place gets zeros", _induction_new),
        Law("on a repeated sequence it copies the next token", _induction_copies),
    ),
    wrong_answers={
        "looks at the same token, not behind it": lambda ids: _ideal(ids, shift=0),
        "looks two behind": lambda ids: _ideal(ids, shift=2),
        "sees the future": lambda ids: _ideal(ids, causal=False),
        "forgets to share": lambda ids: _ideal(ids, normal=False),
        "takes the latest place only": lambda ids: _ideal(ids, latest=True),
        "looks at the token before": lambda ids: np.eye(len(ids), k=-1),
        "spreads over the past where nothing is found": lambda ids: np.where(
            _ideal(ids).any(axis=-1, keepdims=True), _ideal(ids), np.tri(len(ids)) / np.arange(1, len(ids) + 1)[:, None]
        ),
    },
)
