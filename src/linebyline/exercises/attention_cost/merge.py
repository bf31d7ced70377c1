"""attention_cost.merge: ((m, l, o), (m, l, o)) -> (m, l, o), with o already divided by l."""

import math
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

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


EXERCISE = Write(
    id="attention_cost.merge",
    entry="merge_outputs",
    title="Merge two partial results",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
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
