"""attention_cost.stream: an iterable of arrays of scores, read once -> the logarithm of the sum of all exp."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _stream_by_hand(answer: Answer, rng: Rng) -> None:
    blocks = [np.log([1.0, 2.0]), np.log([5.0])]
    expect_close(answer(iter(blocks)), math.log(8.0), "log 1, log 2 and log 5")


def _stream_random(answer: Answer, rng: Rng) -> None:
    blocks = [10 * rng.normal(size=n) for n in (3, 1, 7, 2)]
    whole = np.concatenate(blocks)
    expected = whole.max() + np.log(np.exp(whole - whole.max()).sum())
    expect_close(answer(iter(blocks)), expected, "four blocks of 3, 1, 7 and 2 scores")


def _stream_rising(answer: Answer, rng: Rng) -> None:
    blocks = [np.full(2, 1000.0 * i) for i in range(-1, 3)]
    expect_close(answer(iter(blocks)), 2000 + math.log(2), "scores that rise from -1000 to 2000")
    expect_close(answer(iter(blocks[::-1])), 2000 + math.log(2), "scores that fall from 2000 to -1000")
    expect_close(answer(iter(blocks[:1])), -1000 + math.log(2), "scores of -1000 only")


def _stream_masked(answer: Answer, rng: Rng) -> None:
    hidden = np.full(3, -np.inf)
    expect_close(answer(iter([hidden, np.zeros(2), hidden])), math.log(2), "-inf before and after two zeros")
    expect_close(answer(iter([hidden, hidden])), -np.inf, "nothing but -inf")


class _Once:
    """Blocks that are gone once they were read; asking for many at a time is noticed."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __iter__(self) -> Iterator[np.ndarray]:
        shared = np.empty(2)
        for i in range(self.count):
            shared[:] = i % 7
            yield shared


def _stream_forgetful(answer: Answer, rng: Rng) -> None:
    expected = math.log(sum(2 * math.exp(i % 7) for i in range(100)))
    expect_close(answer(iter(_Once(100))), expected, "100 blocks in one array that is overwritten")


def _stream(
    blocks: Iterable[Any], *, start: float = -np.inf, rescale: bool = True, shift: bool = True, log: bool = True
) -> Any:
    m, total = start, 0.0
    for block in blocks:
        new = max(m, float(np.max(block))) if shift else 0.0
        if new == -np.inf:
            continue
        total = total * (math.exp(m - new) if rescale and m > -np.inf else 1.0) + float(np.exp(block - new).sum())
        m = new
    return (m + (math.log(total) if total > 0 else -np.inf)) if log else total


def _of_all_kept(blocks: Iterable[Any]) -> Any:
    return _stream([np.concatenate(list(blocks))])


EXERCISE = Write(
    id="attention_cost.stream",
    title="A stream of scores",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _stream_by_hand),
        Law("blocks of any size", _stream_random),
        Law("a maximum that rises, and one that falls", _stream_rising),
        Law("masked scores", _stream_masked),
        Law("one block at a time", _stream_forgetful),
    ),
    wrong_answers={
        "keeps all blocks": _of_all_kept,
        "does not rescale the sum": lambda blocks: _stream(blocks, rescale=False),
        "starts the maximum at 0": lambda blocks: _stream(blocks, start=0.0),
        "does not shift at all": lambda blocks: _stream(blocks, start=0.0, shift=False),
        "returns the sum without its maximum": lambda blocks: _stream(blocks, log=False),
        "uses the last block only": lambda blocks: _stream(list(blocks)[-1:]),
    },
)
