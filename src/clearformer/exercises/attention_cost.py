"""Exercises of the chapter on cost: counting operations, merging partial results, a stream of scores."""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from clearformer.exercises.core import Answer, Exercise, Law, expect_close
from clearformer.exercises.streaming import STREAMING

Rng = np.random.Generator


# --- attention_cost.layer_flops: (N, d_model, d_ff) -> (operations with weights, operations between tokens) ---


def _flops_by_hand(answer: Answer, rng: Rng) -> None:
    # Four products (1, 1)(1, 1), then (1, 1)(1, 4) and (1, 4)(4, 1); scores (1, 1)(1, 1) and values (1, 1)(1, 1).
    expect_close(answer(1, 1, 4), (24, 4), "N=1, d_model=1, d_ff=4")


def _flops_formula(answer: Answer, rng: Rng) -> None:
    N, d = (int(x) for x in rng.integers(10, 1000, size=2))
    expect_close(answer(N, d, 4 * d), (24 * N * d**2, 4 * N**2 * d), f"N={N}, d_model={d}, d_ff={4 * d}")


def _flops_narrow(answer: Answer, rng: Rng) -> None:
    N, d, d_ff = (int(x) for x in rng.integers(10, 1000, size=3))
    more = np.subtract(answer(N, d, d_ff + 1), answer(N, d, d_ff))
    expect_close(more, (4 * N * d, 0), "one more hidden unit, difference of the counts")


def _flops_crossover(answer: Answer, rng: Rng) -> None:
    d = int(rng.integers(10, 1000))
    weights, pairs = answer(6 * d, d, 4 * d)
    expect_close(weights, pairs, f"N = 6 d_model = {6 * d}: both halves")


def _flops(N: int, d: int, d_ff: int, *, products: int = 4, factor: int = 2, scores: int = 2) -> tuple[int, int]:
    return factor * N * (products * d * d + 2 * d * d_ff), factor * scores * N * N * d


LAYER_FLOPS = Exercise(
    id="attention_cost.layer_flops",
    title="Count a layer",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _flops_by_hand),
        Law("24 N d² and 4 N² d when d_ff = 4 d", _flops_formula),
        Law("any hidden width", _flops_narrow),
        Law("both are equal at N = 6 d", _flops_crossover),
    ),
    wrong_answers={
        "counts multiplications only": lambda N, d, f: _flops(N, d, f, factor=1),
        "forgets W_O": lambda N, d, f: _flops(N, d, f, products=3),
        "forgets the sum of the values": lambda N, d, f: _flops(N, d, f, scores=1),
        "takes d_ff to be 4 d": lambda N, d, f: _flops(N, d, 4 * d),
        "counts one token": lambda N, d, f: tuple(x // N for x in _flops(N, d, f)),
        "returns them the other way round": lambda N, d, f: _flops(N, d, f)[::-1],
    },
)


# --- attention_cost.merge: ((m, l, o), (m, l, o)) -> (m, l, o), with o already divided by l ---

Partial = tuple[Any, Any, Any]


def _partial(scores: Any, values: Any) -> Partial:
    m = scores.max(axis=-1)
    e = np.exp(scores - m[..., None])
    return m, e.sum(axis=-1), e @ values / e.sum(axis=-1)[..., None]


def _three(got: Any, expected: Partial, what: str) -> None:
    if not isinstance(got, tuple) or len(got) != 3:
        raise AssertionError(f"{what}: expected three arrays (m, l, y), got {type(got).__name__}")
    for name, mine, right in zip("mly", got, expected, strict=True):
        expect_close(mine, right, f"{what}, {name}")


def _merge_by_hand(answer: Answer, rng: Rng) -> None:
    one = np.array([0.0]), np.array([1.0]), np.array([[4.0]])
    other = np.array([math.log(3.0)]), np.array([1.0]), np.array([[8.0]])
    expected = np.array([math.log(3.0)]), np.array([4 / 3]), np.array([[7.0]])
    _three(answer(one, other), expected, "scores 0 and log 3, values 4 and 8")


def _merge_whole(answer: Answer, rng: Rng) -> None:
    scores, values = rng.normal(size=(3, 7)), rng.normal(size=(7, 2))
    parts = [_partial(scores[:, part], values[part]) for part in (slice(0, 2), slice(2, 7))]
    _three(answer(*parts), _partial(scores, values), "2 keys and 5 keys against all 7")


def _merge_order(answer: Answer, rng: Rng) -> None:
    scores, values = 10 * rng.normal(size=(3, 9)), rng.normal(size=(9, 2))
    a, b, c = (_partial(scores[:, i : i + 3], values[i : i + 3]) for i in (0, 3, 6))
    _three(answer(answer(c, a), b), _partial(scores, values), "three parts, the last first")


def _merge_extreme(answer: Answer, rng: Rng) -> None:
    scores, values = np.array([[-2000.0, 1000.0, 1000.0, -2000.0]]), rng.normal(size=(4, 2))
    parts = [_partial(scores[:, part], values[part]) for part in (slice(0, 2), slice(2, 4))]
    _three(answer(*parts), _partial(scores, values), "scores of 1000 and -2000")


def _merge_nothing(answer: Answer, rng: Rng) -> None:
    some = _partial(rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))
    nothing = np.full(3, -np.inf), np.zeros(3), np.zeros((3, 2))
    _three(answer(nothing, some), some, "nothing, (-inf, 0, 0), and something")
    _three(answer(some, nothing), some, "something and nothing")
    _three(answer(nothing, nothing), nothing, "nothing and nothing")


def _merge(
    a: Partial, b: Partial, *, safe: bool = True, rescale: bool = True, normalise: bool = True, low: bool = False
) -> Partial:
    m = (np.minimum if low else np.maximum)(a[0], b[0])
    shift = np.where(np.isinf(m), 0, m) if safe else m
    factors = [np.exp(part[0] - shift) if rescale else np.ones_like(m) for part in (a, b)]
    l = factors[0] * a[1] + factors[1] * b[1]  # noqa: E741
    o = sum((f * part[1])[..., None] * part[2] for f, part in zip(factors, (a, b), strict=True))
    return m, l, o / (np.where(l == 0, 1, l) if safe else l)[..., None] if normalise else o


MERGE = Exercise(
    id="attention_cost.merge",
    title="Merge two partial results",
    difficulty="medium",
    points=4,
    minutes=20,
    laws=(
        Law("a case worked by hand", _merge_by_hand),
        Law("two parts make the whole", _merge_whole),
        Law("in any order", _merge_order),
        Law("scores that exp alone does not survive", _merge_extreme),
        Law("nothing changes nothing", _merge_nothing),
    ),
    wrong_answers={
        "adds the sums as they are": lambda a, b: _merge(a, b, rescale=False),
        "averages the outputs": lambda a, b: (*_merge(a, b)[:2], (a[2] + b[2]) / 2),
        "weighs the outputs by l alone": lambda a, b: (*_merge(a, b)[:2], _merge(a, b, rescale=False)[2]),
        "forgets to divide": lambda a, b: _merge(a, b, normalise=False),
        "shifts by the smaller maximum": lambda a, b: _merge(a, b, low=True),
        "subtracts infinity from infinity": lambda a, b: _merge(a, b, safe=False),
        "undoes the shifts first": lambda a, b: (
            np.maximum(a[0], b[0]),
            (a[1] * np.exp(a[0]) + b[1] * np.exp(b[0])) / np.exp(np.maximum(a[0], b[0])),
            _merge(a, b)[2],
        ),
        "returns the output only": lambda a, b: _merge(a, b)[2],
    },
)


# --- attention_cost.stream: an iterable of arrays of scores, read once -> the logarithm of the sum of all exp ---


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


STREAM = Exercise(
    id="attention_cost.stream",
    title="A stream of scores",
    difficulty="medium",
    points=4,
    minutes=20,
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


EXERCISES = (LAYER_FLOPS, MERGE, STREAM, STREAMING)
