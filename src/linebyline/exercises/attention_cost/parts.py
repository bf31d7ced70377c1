"""The exercises on the operations of a layer, and on partial results."""

import math

import numpy as np

from linebyline.exercises.core import Chapter, expect_close

chapter = Chapter("attention_cost")


@chapter.predict(
    "layer_flops",
    "Half of the work, with shared keys",
    "easy · 2 points · 10 minutes · may use a pocket calculator",
    "tokens",
    within=0.01,
    right=5.125 * 512,
    wrong={
        "This is so where each head has keys and values of its own; here their two matrices are smaller.": 3072,
        "One head of keys and values is little, but not nothing: two matrices are left.": 2560,
        "Two products are between tokens: the scores, and the sums of the values.": 5248,
        "Eight heads of width 64 do as many operations as one of width 512: heads share the width.": 328,
        "Sharing saves no work between tokens: each query head still meets every key.": 20992,
    },
)
def _(rng, d_model=512, d_k=64):
    """Count the operations of all products at two lengths, and solve for equality."""
    N = rng.integers(100, 10_000, size=2)  # any two will do: one count is linear in N, the other quadratic
    projections = [(d_model, d_model)] * 2 + [(d_model, d_k)] * 2  # queries and output, keys and values
    feed_forward = [(d_model, 4 * d_model), (4 * d_model, d_model)]
    weights = sum(2 * N * math.prod(shape) for shape in projections + feed_forward)
    pairs = 2 * (2 * N * N * d_model)  # scores, and sums of values, of eight heads of width 64
    return np.mean(weights / pairs * N)


def _partial(scores, values):
    """Return the largest score, the sum of exp(scores - largest) and the output of a part of the keys."""
    m = scores.max(axis=-1)
    e = np.exp(scores - m[..., None])
    return m, e.sum(axis=-1), e @ values / e.sum(axis=-1)[..., None]


def _merge(a, b, *, rescale=True, divide=True, safe=True, largest=np.maximum):
    m = largest(a[0], b[0])
    shift = np.where(np.isinf(m), 0, m) if safe else m
    factors = [np.exp(part[0] - shift) if rescale else np.ones_like(m) for part in (a, b)]
    total = factors[0] * a[1] + factors[1] * b[1]
    output = sum((f * part[1])[..., None] * part[2] for f, part in zip(factors, (a, b), strict=True))
    return m, total, output / (np.where(total == 0, 1, total) if safe else total)[..., None] if divide else output


def _merge_by_logarithms(a, b):
    """The logarithm of a sum plus its largest score is what the parts have in common."""
    m = np.maximum(a[0], b[0])
    with np.errstate(divide="ignore"):
        logs = [part[0] + np.log(part[1]) for part in (a, b)]
    both = np.logaddexp(*logs)
    seen = np.isfinite(both)
    fractions = [np.where(seen, np.exp(log - np.where(seen, both, 0)), 0)[..., None] for log in logs]
    return m, np.where(seen, np.exp(both - np.where(seen, m, 0)), 0), fractions[0] * a[2] + fractions[1] * b[2]


def _undoes_the_shifts(a, b):
    m, _, output = _merge(a, b)
    return m, (a[1] * np.exp(a[0]) + b[1] * np.exp(b[0])) / np.exp(m), output


@chapter.write(
    "merge",
    "Merge two partial results",
    "medium · 4 points · 20 minutes · may use NumPy",
    entry="merge_outputs",
    right=_merge_by_logarithms,
    wrong={
        "adds the sums as they are": lambda a, b: _merge(a, b, rescale=False),
        "averages the outputs": lambda a, b: (*_merge(a, b)[:2], (a[2] + b[2]) / 2),
        "weighs the outputs by l alone": lambda a, b: (*_merge(a, b)[:2], _merge(a, b, rescale=False)[2]),
        "forgets to divide": lambda a, b: _merge(a, b, divide=False),
        "shifts by the smaller maximum": lambda a, b: _merge(a, b, largest=np.minimum),
        "subtracts infinity from infinity": lambda a, b: _merge(a, b, safe=False),
        "undoes the shifts first": _undoes_the_shifts,
        "returns the output only": lambda a, b: _merge(a, b)[2],
    },
)
def _(law):
    def expect_three(got, expected, what):
        if not isinstance(got, tuple) or len(got) != 3:
            raise AssertionError(f"{what}: expected three arrays (m, l, y), got {type(got).__name__}")
        for name, part, right in zip("mly", got, expected, strict=True):
            expect_close(part, right, f"{what}, {name}")

    @law("a case worked by hand")
    def _(answer, rng):
        one = np.array([0.0]), np.array([1.0]), np.array([[4.0]])
        other = np.log([3.0]), np.array([1.0]), np.array([[8.0]])
        expected = np.log([3.0]), np.array([4 / 3]), np.array([[7.0]])
        expect_three(answer(one, other), expected, "scores 0 and log 3, values 4 and 8")

    @law("two parts make the whole")
    def _(answer, rng):
        scores, values = rng.normal(size=(3, 7)), rng.normal(size=(7, 2))
        parts = _partial(scores[:, :2], values[:2]), _partial(scores[:, 2:], values[2:])
        expect_three(answer(*parts), _partial(scores, values), "2 keys and 5 keys against all 7")

    @law("in any order")
    def _(answer, rng):
        scores, values = 10 * rng.normal(size=(3, 9)), rng.normal(size=(9, 2))
        a, b, c = (_partial(scores[:, i : i + 3], values[i : i + 3]) for i in (0, 3, 6))
        expect_three(answer(answer(c, a), b), _partial(scores, values), "three parts, the last first")

    @law("scores that exp alone does not survive")
    def _(answer, rng):
        scores, values = np.array([[-2000.0, 1000.0, 1000.0, -2000.0]]), rng.normal(size=(4, 2))
        parts = _partial(scores[:, :2], values[:2]), _partial(scores[:, 2:], values[2:])
        expect_three(answer(*parts), _partial(scores, values), "scores of 1000 and -2000")

    @law("nothing changes nothing")
    def _(answer, rng):
        some = _partial(rng.normal(size=(3, 4)), rng.normal(size=(4, 2)))
        nothing = np.full(3, -np.inf), np.zeros(3), np.zeros((3, 2))
        expect_three(answer(nothing, some), some, "nothing, (-inf, 0, 0), and something")
        expect_three(answer(some, nothing), some, "something and nothing")
        expect_three(answer(nothing, nothing), nothing, "nothing and nothing")
