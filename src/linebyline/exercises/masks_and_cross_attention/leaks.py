"""The leak detector of the chapter on masks: laws that right answers obey, and wrong answers that break them."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

VOCAB_SIZE = 5


# The layer maps ids (T,) to outputs (T, d); [t, s] is True if output t depends on a later token s.
def _attention(mask: np.ndarray, rng: Rng) -> Answer:
    """Embed the ids at random, then attend under a mask."""
    table = rng.normal(size=(VOCAB_SIZE, 4))

    def layer(ids: Any) -> np.ndarray:
        x = table[ids]  # (T, d)
        return F.scaled_dot_product_attention(x, x, x, mask)[0]

    return layer


def _leak_none(answer: Answer, rng: Rng) -> None:
    layer, ids = _attention(np.tri(6, dtype=bool), rng), rng.integers(VOCAB_SIZE, size=6)
    expect_close(answer(layer, ids, VOCAB_SIZE), np.zeros((6, 6)), "attention with the causal mask")


def _leak_all(answer: Answer, rng: Rng) -> None:
    layer, ids = _attention(np.ones((6, 6), dtype=bool), rng), rng.integers(VOCAB_SIZE, size=6)
    expect_close(answer(layer, ids, VOCAB_SIZE), ~np.tri(6, dtype=bool), "attention without a mask, T=6")


def _leak_some(answer: Answer, rng: Rng) -> None:
    holes = rng.random(size=(6, 6)) < 0.3
    holes[1, 4], holes[4, 5] = True, False
    mask = np.tri(6, dtype=bool) | holes
    layer, ids = _attention(mask, rng), rng.integers(VOCAB_SIZE, size=6)
    expect_close(answer(layer, ids, VOCAB_SIZE), mask & ~np.tri(6, dtype=bool), "a causal mask with some holes")


def _leak_by_one_id(answer: Answer, rng: Rng) -> None:
    for special in range(VOCAB_SIZE):
        ids = np.delete(np.arange(VOCAB_SIZE), special)  # the special id does not occur

        def layer(ids: Any, special: int = special) -> np.ndarray:
            following = np.append(ids[1:], -1)
            return np.stack([ids, following == special], axis=-1).astype(float)  # (T, 2)

        expected = np.eye(len(ids), k=1)
        expect_close(answer(layer, ids, VOCAB_SIZE), expected, f"a layer that sees whether id {special} comes next")


def _leak_small(answer: Answer, rng: Rng) -> None:
    ids = np.array([0, 1, 2, 0])
    expected = [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]]
    expect_close(answer(lambda ids: ids[:, None] + 1e-6 * ids[::-1, None], ids, 3), expected, "ids + 1e-6 * reversed")


def _detector(
    others: Callable[[int, int], Iterable[int]] = lambda own, vocab_size: range(vocab_size),
    atol: float = 1e-9,
    keep: Callable[[np.ndarray], Any] = lambda moved: np.triu(moved, k=1),
) -> Answer:
    """Build an answer from the ids it tries, its tolerance, and what it reports of the outputs that moved."""

    def leaks(layer: Any, ids: Any, vocab_size: Any) -> Any:
        before, moved = layer(ids), np.zeros((len(ids), len(ids)), dtype=bool)
        for s in range(len(ids)):
            for other in others(int(ids[s]), vocab_size):
                changed = np.where(np.arange(len(ids)) == s, other, ids)
                moved[:, s] |= np.abs(layer(changed) - before).max(axis=-1) > atol
        return keep(moved)

    return leaks


def _replaces_all_at_once(layer: Any, ids: Any, vocab_size: Any) -> Any:
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    for t in range(len(ids) - 1):
        changed = np.where(np.arange(len(ids)) > t, (ids + 1) % vocab_size, ids)
        found[t, t + 1 :] = np.abs(layer(changed) - layer(ids)).max(axis=-1)[t] > 1e-9
    return found


def _forgets_to_put_back(layer: Any, ids: Any, vocab_size: Any) -> Any:
    before, found = layer(ids), np.zeros((len(ids), len(ids)), dtype=bool)
    for s in range(len(ids)):
        for other in range(vocab_size):
            ids[s] = other
            found[:s, s] |= np.abs(layer(ids) - before).max(axis=-1)[:s] > 1e-9
    return found


EXERCISE = Write(
    id="masks_and_cross_attention.leaks",
    entry="find_leaks",
    title="A leak detector for token ids",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("the causal mask does not leak", _leak_none),
        Law("without a mask every later token leaks", _leak_all),
        Law("holes in a mask are found, each at its place", _leak_some),
        Law("a leak that a single id shows is found", _leak_by_one_id),
        Law("a small leak is a leak", _leak_small),
    ),
    wrong_answers={
        "tries the next id only": _detector(others=lambda own, vocab_size: [(own + 1) % vocab_size]),
        "tries id 0 only": _detector(others=lambda own, vocab_size: [0]),
        "leaves out the last id": _detector(others=lambda own, vocab_size: range(vocab_size - 1)),
        "puts the same id back": _detector(others=lambda own, vocab_size: [own]),
        "takes small changes for rounding": _detector(atol=1e-3),
        "reports the past as well": _detector(keep=lambda moved: moved),
        "reports the past instead": _detector(keep=lambda moved: np.tril(moved, k=-1)),
        "looks one token ahead only": _detector(keep=lambda moved: np.triu(moved, k=1) & ~np.triu(moved, k=2)),
        "gives keys before queries": _detector(keep=lambda moved: np.triu(moved, k=1).T),
        "says only whether there is a leak": _detector(keep=lambda moved: np.triu(moved, k=1).any()),
        "replaces the whole future at once": _replaces_all_at_once,
        "forgets to put the token back": _forgets_to_put_back,
    },
)
