"""attention_cost.stream: an iterable of arrays of scores -> the logarithm of the sum of all exp; one line is wrong."""

import math
from collections.abc import Iterator

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


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


_BROKEN = Code(
    """
def logsumexp_of_stream(blocks):
    m, total = -np.inf, 0.0
    for scores in blocks:
        new = max(m, scores.max())
        if new > -np.inf:
            total = total + np.exp(scores - new).sum()
            m = new
    return m + np.log(total) if total > 0 else -np.inf
""",
    np=np,
)
_START = "m, total = -np.inf, 0.0"
_NEW = "new = max(m, scores.max())"
_SEEN = "if new > -np.inf:"
_ADD = "total = total + np.exp(scores - new).sum()"
_RETURN = "return m + np.log(total) if total > 0 else -np.inf"
_FIXED = _BROKEN.replace_line(_ADD, "total = total * np.exp(m - new) + np.exp(scores - new).sum()")

EXERCISE = Diagnose(
    id="attention_cost.stream",
    title="A stream of scores",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _stream_by_hand),
        Law("blocks of any size", _stream_random),
        Law("a maximum that rises, and one that falls", _stream_rising),
        Law("masked scores", _stream_masked),
        Law("one block at a time", _stream_forgetful),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The sum so far was counted from the old maximum. When a larger score comes, it must be scaled down to the new "
        "one before anything is added."
    ),
    innocent={
        _START: "Before the first block there is no score, so the largest is minus infinity and the sum is 0.",
        "for scores in blocks:": "Each block is read once and in order, as a stream must be.",
        _NEW: "This is the largest score so far, of the old blocks and of this one.",
        _SEEN: "Where all scores so far are minus infinity there is nothing to add, and inf - inf would be NaN.",
        "m = new": "The maximum is replaced after it was used. Look at what the line before makes of the old one.",
        _RETURN: "The logarithm of the sum, with the maximum put back; minus infinity if nothing was seen.",
    },
    wrong_answers={
        "scales up in place of down": _BROKEN.replace_line(
            _ADD, "total = total * np.exp(new - m) + np.exp(scores - new).sum()"
        ),
        "scales the new block as well": _BROKEN.replace_line(
            _ADD, "total = (total + np.exp(scores - new).sum()) * np.exp(m - new)"
        ),
        "takes each block from its own maximum": _BROKEN.replace_line(
            _ADD, "total = total * np.exp(m - new) + np.exp(scores - scores.max()).sum()"
        ),
        "does not shift at all": _BROKEN.replace_line(_ADD, "new = 0.0; total = total + np.exp(scores).sum()"),
        "forgets the blocks before": _BROKEN.replace_line(_ADD, "total = np.exp(scores - new).sum()"),
        "keeps the first maximum": _BROKEN.replace_line("m = new", "m = new if m == -np.inf else m"),
        "starts the maximum at 0": _FIXED.replace_line(_START, "m, total = 0.0, 0.0"),
        "keeps all blocks": _FIXED.replace_line(_START, "m, total, blocks = -np.inf, 0.0, list(blocks)"),
        "does not look for hidden blocks": _FIXED.replace_line(_SEEN, "if True:"),
        "returns the sum without its maximum": _FIXED.replace_line(_RETURN, "return np.log(total)"),
    },
)
