"""masks_and_cross_attention.shift_right: (targets (B, T), sos) -> decoder inputs (B, T)."""

from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _shift_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([[5, 6, 7, 2]]), 1), [[1, 5, 6, 7]], "targets [5 6 7 2], <sos> is 1")


def _shift_batch(answer: Answer, rng: Rng) -> None:
    targets = rng.integers(3, 50, size=(3, 5))
    got = np.asarray(answer(targets, 0))
    expect_close(got.shape, (3, 5), "shape for targets (3, 5)")
    expect_close(got[:, 0], [0, 0, 0], "first column, <sos> is 0")
    expect_close(got[:, 1:], targets[:, :-1], "the other columns")


def _shift_single(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([[4], [9]]), 1), [[1], [1]], "targets of one token each")


def _shifts_in_place(targets: Any, sos: Any) -> Any:
    targets[:, 1:] = targets[:, :-1].copy()
    targets[:, 0] = sos
    return targets


def _column(targets: Any, sos: Any) -> Any:
    return np.full((len(targets), 1), sos)


EXERCISE = Write(
    id="masks_and_cross_attention.shift_right",
    title="Shifted by one",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _shift_by_hand),
        Law("every sequence of a batch starts with the sign and is then one late", _shift_batch),
        Law("of a single token only the sign is left", _shift_single),
    ),
    wrong_answers={
        "does not shift": lambda targets, sos: targets,
        "brings the last token to the front": lambda targets, sos: np.roll(targets, 1, axis=1),
        "shifts to the left": lambda targets, sos: np.concatenate([targets[:, 1:], _column(targets, sos)], axis=1),
        "keeps the last token, one too long": lambda targets, sos: np.concatenate(
            [_column(targets, sos), targets], axis=1
        ),
        "overwrites the first token": lambda targets, sos: np.concatenate(
            [_column(targets, sos), targets[:, 1:]], axis=1
        ),
        "shifts along the batch": lambda targets, sos: np.concatenate(
            [np.full((1, targets.shape[1]), sos), targets[:-1]]
        ),
        "shifts the caller's targets in place": _shifts_in_place,
    },
)
