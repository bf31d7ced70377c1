"""encoder.hide: (ids, ordinary, order, u, other, all (B, T), and mask) -> inputs and what is asked, (B, T) each."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

MASK = 4


def _hide(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    n = np.maximum(1, ordinary.sum(axis=1) * 15 // 100)  # (B,)
    ranked = np.where(ordinary, order, np.inf).argsort(axis=1).argsort(axis=1)  # (B, T)
    asked = ordinary & (ranked < n[:, None])
    inputs = np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids))
    return inputs, asked


def _draw(rng: Rng, B: int = 6, T: int = 30) -> tuple[Any, ...]:
    lengths = rng.integers(1, T - 2, size=B)
    t = np.arange(T)
    ordinary = (t > 0) & (t <= lengths[:, None])
    ids = np.where(ordinary, rng.integers(5, 90, size=(B, T)), np.where(t == 0, 2, 0))
    return ids, ordinary, rng.random((B, T)), rng.random((B, T)), rng.integers(5, 90, size=(B, T)), MASK


def _expect(answer: Answer, case: tuple[Any, ...], what: str) -> None:
    got = answer(*(part.copy() if isinstance(part, np.ndarray) else part for part in case))
    parts = got if isinstance(got, tuple) and len(got) == 2 else (None, None)
    for part, expected, name in zip(parts, _hide(*case), ("inputs", "asked"), strict=True):
        expect_close(part, expected, f"{what}: {name}")


def _by_hand(answer: Answer, rng: Rng) -> None:
    ids, ordinary = np.array([[2, 11, 12, 13, 3]]), np.array([[False, True, True, True, False]])
    order, other = np.array([[0.0, 0.9, 0.1, 0.5, 0.0]]), np.array([[5, 6, 7, 8, 9]])
    for u, read in ((0.3, MASK), (0.85, 7), (0.95, 12)):
        case = (ids, ordinary, order, np.full((1, 5), u), other, MASK)
        got = answer(*case)
        inputs, asked = got if isinstance(got, tuple) and len(got) == 2 else (None, None)
        expect_close(asked, [[False, False, True, False, False]], "three ordinary tokens: asked")
        expect_close(inputs, [[2, 11, read, 13, 3]], f"three ordinary tokens, u = {u}: inputs")


def _random(answer: Answer, rng: Rng) -> None:
    _expect(answer, _draw(rng), "rows of 1 to 27 ordinary tokens")


def _never_special(answer: Answer, rng: Rng) -> None:
    ids, ordinary, order, u, other, mask = _draw(rng)
    order = np.where(ordinary, order, -1.0)  # special tokens come first, if nobody leaves them out
    _expect(answer, (ids, ordinary, order, u, other, mask), "special tokens with the smallest numbers")


def _numbers(answer: Answer, rng: Rng) -> None:
    case = _draw(rng, B=12)
    got = answer(*case)
    asked = np.asarray(got[1] if isinstance(got, tuple) and len(got) == 2 else None)
    expected = np.maximum(1, case[1].sum(axis=1) * 15 // 100)
    expect_close(asked.sum(axis=-1), expected, "asked for in each row")


def _all_asked_differ(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    inputs, _ = _hide(ids, ordinary, order, u, other, mask)
    return inputs, inputs != ids


def _share_of_the_row(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    asked = ordinary & (order < 0.15)
    return np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids)), asked


def _special_too(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    n = np.maximum(1, ordinary.sum(axis=1) * 15 // 100)
    asked = order.argsort(axis=1).argsort(axis=1) < n[:, None]
    return np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids)), asked


def _of_all_tokens(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    ranked = np.where(ordinary, order, np.inf).argsort(axis=1).argsort(axis=1)
    asked = ordinary & (ranked < max(1, ids.shape[1] * 15 // 100))
    return np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids)), asked


def _one_argsort(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    n = np.maximum(1, ordinary.sum(axis=1) * 15 // 100)
    asked = ordinary & (np.where(ordinary, order, np.inf).argsort(axis=1) < n[:, None])
    return np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids)), asked


def _none_in_short_rows(ids: Any, ordinary: Any, order: Any, u: Any, other: Any, mask: int) -> Any:
    n = ordinary.sum(axis=1) * 15 // 100
    ranked = np.where(ordinary, order, np.inf).argsort(axis=1).argsort(axis=1)
    asked = ordinary & (ranked < n[:, None])
    return np.where(asked & (u < 0.8), mask, np.where(asked & (u < 0.9), other, ids)), asked


EXERCISE = Write(
    id="encoder.hide",
    title="Hide and ask",
    difficulty="medium",
    points=3,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("rows of unequal length", _random),
        Law("no special token is asked for", _never_special),
        Law("each row has its number", _numbers),
    ),
    wrong_answers={
        "always puts the mask": lambda ids, ordinary, order, u, other, mask: (
            np.where(_hide(ids, ordinary, order, u, other, mask)[1], mask, ids),
            _hide(ids, ordinary, order, u, other, mask)[1],
        ),
        "asks only where something changed": _all_asked_differ,
        "asks for a share by chance": _share_of_the_row,
        "hides special tokens, too": _special_too,
        "counts padding among the tokens": _of_all_tokens,
        "takes the order for the rank": _one_argsort,
        "asks for nothing in a short row": _none_in_short_rows,
        "replaces nine in ten": lambda ids, ordinary, order, u, other, mask: _hide(
            ids, ordinary, order, np.where(u < 0.1, 0.0, 0.85), other, mask
        ),
    },
)
