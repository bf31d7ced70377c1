"""masks_and_cross_attention.compose: (lengths (B,), T) -> mask (B, T, T)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


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


EXERCISE = Write(
    id="masks_and_cross_attention.compose",
    title="Two masks in one",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
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
