"""The exercises on masks and cross-attention: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.cross import CROSS
from clearformer.exercises.leaks import LEAKS

Rng = np.random.Generator


# --- masks_and_cross_attention.shift_right: (targets (B, T), sos) -> decoder inputs (B, T) ---


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


SHIFT_RIGHT = Exercise(
    id="masks_and_cross_attention.shift_right",
    title="Shifted by one",
    difficulty="easy",
    points=1,
    minutes=5,
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


# --- masks_and_cross_attention.compose: (lengths (B,), T) -> mask (B, T, T) ---


def _compose_by_hand(answer: Answer, rng: Rng) -> None:
    expected = [[[1, 0, 0], [1, 1, 0], [1, 1, 0]]]
    expect_close(answer(np.array([2]), 3), expected, "lengths [2], T=3")


def _compose_boolean(answer: Answer, rng: Rng) -> None:
    got = np.asarray(answer(np.array([2, 4]), 5))
    if got.dtype != np.bool_:
        raise AssertionError(f"expected a boolean mask, got dtype {got.dtype}")


def _compose_definition(answer: Answer, rng: Rng) -> None:
    lengths = rng.integers(1, 7, size=5)
    got = np.asarray(answer(lengths, 7))
    expect_close(got.shape, (5, 7, 7), "shape for 5 lengths and T=7")
    t, s = np.arange(7)[:, None], np.arange(7)
    expected = np.stack([(s <= t) & (s < length) for length in lengths])
    expect_close(got, expected, f"lengths {lengths}, T=7")


def _compose_empty(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([0, 3]), 3), [np.zeros((3, 3)), np.tri(3)], "lengths [0 3], T=3")


def _compose_with(combine: Any) -> Answer:
    return lambda lengths, T: combine(F.causal_mask(T), F.padding_mask(lengths, T))


COMPOSE = Exercise(
    id="masks_and_cross_attention.compose",
    title="Two masks in one",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _compose_by_hand),
        Law("the mask is boolean", _compose_boolean),
        Law("a key is seen if it is neither later nor padding", _compose_definition),
        Law("an empty sequence shows nothing", _compose_empty),
    ),
    wrong_answers={
        "shows what either mask shows": _compose_with(lambda causal, padding: causal | padding),
        "forgets the padding": _compose_with(lambda causal, padding: causal | (padding & False)),
        "forgets the future": _compose_with(lambda causal, padding: padding | (causal & False)),
        "hides the past": _compose_with(lambda causal, padding: causal.T & padding),
        "hides the rows of the padding, not its columns": _compose_with(
            lambda causal, padding: causal & padding.swapaxes(-1, -2)
        ),
        "lets padded queries see nothing": _compose_with(
            lambda causal, padding: causal & padding & padding.swapaxes(-1, -2)
        ),
        "gives numbers for an added mask": _compose_with(
            lambda causal, padding: np.where(causal & padding, 0.0, -np.inf)
        ),
        "gives ones and zeros, not booleans": _compose_with(lambda causal, padding: (causal & padding).astype(int)),
        "keeps one mask for the whole batch": _compose_with(lambda causal, padding: causal & padding.all(axis=0)),
        "says True where attention is forbidden": _compose_with(lambda causal, padding: ~(causal & padding)),
    },
)


# --- masks_and_cross_attention.window: (T, width) -> mask (T, T) ---


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


WINDOW = Exercise(
    id="masks_and_cross_attention.window",
    title="A sliding window",
    difficulty="medium",
    points=3,
    minutes=15,
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


# In the order of the chapter.
EXERCISES = (SHIFT_RIGHT, COMPOSE, WINDOW, CROSS, LEAKS)
