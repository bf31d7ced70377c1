"""masks_and_cross_attention.window: (T, width) -> mask (T, T)."""

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _window_by_hand(answer: Answer, rng: Rng) -> None:
    expected = [[1, 0, 0, 0], [1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 1]]
    expect_close(answer(4, 2), expected, "T=4, width=2")


def _window_boolean(answer: Answer, rng: Rng) -> None:
    got = np.asarray(answer(5, 3))
    if got.dtype != np.bool_:
        raise AssertionError(f"expected a boolean mask, got dtype {got.dtype}")


def _window_ends(answer: Answer, rng: Rng) -> None:
    expect_close(answer(5, 1), np.eye(5), "T=5, width=1: each position sees itself")
    expect_close(answer(5, 5), np.tri(5), "T=5, width=5: the causal mask")
    expect_close(answer(5, 99), np.tri(5), "T=5, width=99: the causal mask")


def _window_counts(answer: Answer, rng: Rng) -> None:
    T, width = int(rng.integers(9, 15)), int(rng.integers(3, 7))
    expected = np.minimum(np.arange(T) + 1, width)
    expect_close(np.asarray(answer(T, width)).sum(axis=-1), expected, f"keys of each query, T={T}, width={width}")


EXERCISE = Write(
    id="masks_and_cross_attention.window",
    title="A sliding window",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _window_by_hand),
        Law("the mask is boolean", _window_boolean),
        Law("width 1 sees itself, width T is the causal mask", _window_ends),
        Law("every query sees as many keys as the window is wide, the first ones fewer", _window_counts),
    ),
    wrong_answers={
        "is the causal mask": lambda T, width: np.tri(T, dtype=bool),
        "is one position too wide": lambda T, width: np.tri(T, dtype=bool) & ~np.tri(T, k=-width - 1, dtype=bool),
        "is one position too narrow": lambda T, width: np.tri(T, dtype=bool) & ~np.tri(T, k=1 - width, dtype=bool),
        "looks ahead": lambda T, width: np.tri(T, dtype=bool).T & np.tri(T, k=width - 1, dtype=bool),
        "looks to both sides": lambda T, width: np.abs(np.subtract.outer(np.arange(T), np.arange(T))) < width,
        "cuts the sequence into blocks": lambda T, width: (
            np.tri(T, dtype=bool) & np.equal.outer(np.arange(T) // width, np.arange(T) // width)
        ),
        "hides what the window shows": lambda T, width: np.tri(T, k=-width, dtype=bool),
        "gives ones and zeros, not booleans": lambda T, width: np.tri(T) - np.tri(T, k=-width),
    },
)
