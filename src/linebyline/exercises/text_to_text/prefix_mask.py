"""text_to_text.prefix_mask: (lengths (B,), T) -> where the tokens of a prefix language model may look, (B, T, T)."""

from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _mask(lengths: Any, T: int) -> Any:
    t = np.arange(T)
    return (t <= t[:, None]) | (t < np.asarray(lengths)[:, None, None])


def _by_hand(answer: Answer, rng: Rng) -> None:
    expected = [[[1, 1, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [1, 1, 1, 1]]]
    expect_close(np.asarray(answer(np.array([2]), 4)), np.array(expected, dtype=bool), "a prefix of 2 of 4 tokens")


def _draw(rng: Rng) -> tuple[np.ndarray, int]:
    T = int(rng.integers(5, 9))
    return rng.permutation(T + 1)[:4], T


def _pair_by_pair(answer: Answer, rng: Rng) -> None:
    lengths, T = _draw(rng)
    got = np.asarray(answer(lengths, T))
    for b, n in enumerate(lengths):
        expected = [[s <= t or (t < n and s < n) for s in range(T)] for t in range(T)]
        expect_close(got[b], expected, f"a prefix of {n} of {T} tokens")


def _no_prefix(answer: Answer, rng: Rng) -> None:
    T = int(rng.integers(4, 8))
    expect_close(np.asarray(answer(np.zeros(2, dtype=int), T)), np.tri(T, dtype=bool)[None].repeat(2, axis=0), "none")


def _all_prefix(answer: Answer, rng: Rng) -> None:
    T = int(rng.integers(4, 8))
    expect_close(np.asarray(answer(np.array([T]), T)), np.ones((1, T, T), dtype=bool), "nothing but a prefix")


def _boolean(answer: Answer, rng: Rng) -> None:
    lengths, T = _draw(rng)
    kind = np.asarray(answer(lengths, T)).dtype
    assert kind == np.bool_, f"a mask is boolean: expected bool, got {kind}"


EXERCISE = Write(
    id="text_to_text.prefix_mask",
    title="A decoder that reads its prefix at once",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("each pair of places", _pair_by_pair),
        Law("without a prefix the mask is causal", _no_prefix),
        Law("a prefix alone is read as by an encoder", _all_prefix),
        Law("the mask is boolean", _boolean),
    ),
    wrong_answers={
        "is causal throughout": lambda lengths, T: np.tri(T, dtype=bool)[None].repeat(len(lengths), axis=0),
        "lets everybody see everything": lambda lengths, T: np.ones((len(lengths), T, T), dtype=bool),
        "hides the prefix from what follows it": lambda lengths, T: (
            np.tri(T, dtype=bool) & (np.arange(T)[:, None] < lengths[:, None, None])
        ),
        "lets the prefix see what follows it": lambda lengths, T: (
            np.tri(T, dtype=bool) | (np.arange(T)[:, None] < lengths[:, None, None])
        ),
        "takes one token more for the prefix": lambda lengths, T: _mask(lengths + 1, T),
        "takes the first length for all": lambda lengths, T: _mask(np.full_like(lengths, lengths[0]), T),
        "looks ahead, not back": lambda lengths, T: _mask(lengths, T).swapaxes(-1, -2),
        "gives numbers to add": lambda lengths, T: np.where(_mask(lengths, T), 0.0, -np.inf),
    },
)
