"""training_at_scale.accumulate: (gradients (n, d), counts (n,)) -> the gradient of all targets' mean loss, (d,)."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _accumulate(gradients: Any, counts: Any) -> Any:
    counts = np.asarray(counts)
    some = counts > 0
    return counts[some] @ np.asarray(gradients)[some] / max(counts.sum(), 1)


def _draw(rng: Rng, counts: Any) -> tuple[np.ndarray, np.ndarray]:
    """Targets in parts: the gradient of each part's mean, and that of the mean of all of them."""
    parts = [rng.normal(size=(count, 5)) for count in counts]
    gradients = np.array([part.mean(axis=0) if len(part) else np.full(5, np.nan) for part in parts])
    every = np.concatenate(parts)
    return gradients, every.mean(axis=0) if len(every) else np.zeros(5)


def _by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1.0, 0.0], [5.0, 8.0]]), np.array([3, 1]))
    expect_close(got, [2.0, 2.0], "gradients [1, 0] of 3 targets and [5, 8] of one")


def _random(answer: Answer, rng: Rng) -> None:
    counts = rng.integers(1, 9, size=4)
    gradients, expected = _draw(rng, counts)
    expect_close(answer(gradients, counts), expected, f"parts of {counts.tolist()} targets")


def _alike(answer: Answer, rng: Rng) -> None:
    counts = np.full(3, 4)
    gradients, expected = _draw(rng, counts)
    expect_close(answer(gradients, counts), expected, "three parts of 4 targets")


def _empty_part(answer: Answer, rng: Rng) -> None:
    counts = rng.permutation([0, 2, 5, 0])
    gradients, expected = _draw(rng, counts)
    expect_close(answer(gradients, counts), expected, f"parts of {counts.tolist()} targets, gradients of none are NaN")


def _nothing(answer: Answer, rng: Rng) -> None:
    gradients, expected = _draw(rng, [0, 0])
    expect_close(answer(gradients, np.zeros(2, int)), expected, "no target in any part")


def _means(gradients: Any, counts: Any) -> Any:
    some = counts > 0
    return gradients[some].mean(axis=0) if some.any() else np.zeros(gradients.shape[1])


def _before_division(gradients: Any, counts: Any) -> Any:
    return np.nan_to_num(counts @ np.nan_to_num(gradients) / len(counts))


EXERCISE = Write(
    id="training_at_scale.accumulate",
    title="Parts of unequal size",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("random parts", _random),
        Law("parts of one size", _alike),
        Law("parts without a target", _empty_part),
        Law("no target at all", _nothing),
    ),
    wrong_answers={
        "averages the means": _means,
        "adds the means up": lambda gradients, counts: np.nan_to_num(gradients).sum(axis=0),
        "divides by the number of parts": _before_division,
        "does not divide": lambda gradients, counts: counts @ np.nan_to_num(gradients),
        "multiplies NaN by 0": lambda gradients, counts: counts @ gradients / max(counts.sum(), 1),
        "divides by 0": lambda gradients, counts: counts @ np.nan_to_num(gradients) / counts.sum(),
        "counts an empty part as one target": lambda gradients, counts: (
            np.maximum(counts, 1) @ np.nan_to_num(gradients) / np.maximum(counts, 1).sum()
        ),
        "weighs by the root of the count": lambda gradients, counts: (
            np.sqrt(counts) @ np.nan_to_num(gradients) / max(np.sqrt(counts).sum(), 1)
        ),
    },
)
