"""The exercise on the gradients of a feed-forward layer."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close

NAMES = ("x", "w_in", "b_in", "w_out", "b_out")


# --- feed_forward.backward: (d_output (..., n), x (..., d), w_in (d, d_ff), b_in (d_ff,), w_out (d_ff, n))
#     -> gradients by x, w_in, b_in, w_out, b_out ---
def _flat(array: Any) -> Any:
    return array.reshape(-1, array.shape[-1])


def _backward(d_output: Any, x: Any, w_in: Any, b_in: Any, w_out: Any, slope: Any = lambda z: z > 0) -> Any:
    rows = tuple(range(x.ndim - 1))
    z = x @ w_in + b_in  # (..., d_ff)
    d_z = (d_output @ w_out.T) * slope(z)  # (..., d_ff)
    d_w_in, d_w_out = _flat(x).T @ _flat(d_z), _flat(F.relu(z)).T @ _flat(d_output)
    return d_z @ w_in.T, d_w_in, d_z.sum(axis=rows), d_w_out, d_output.sum(axis=rows)


def _five(got: Any) -> Any:
    if not isinstance(got, tuple) or len(got) != 5:
        raise AssertionError(f"expected a tuple of five arrays, got {type(got).__name__}")
    return got


def _expect_all(got: Any, expected: Any, what: str) -> None:
    for name, array, right in zip(NAMES, _five(got), expected, strict=True):
        expect_close(array, right, f"{what}, gradient by {name}", atol=1e-7)


def _by_hand(answer: Answer, rng: Rng) -> None:
    x, w_in, b_in, w_out = np.array([[2.0]]), np.array([[1.0, -1.0]]), np.array([1.0, 1.0]), np.array([[5.0], [7.0]])
    expected = [[5]], [[10, 0]], [5, 0], [[3], [0]], [1]  # hidden: 3, and -1 which is shut
    _expect_all(answer(np.ones((1, 1)), x, w_in, b_in, w_out), expected, "one row, two units, of which one is shut")


def _differences(answer: Answer, rng: Rng) -> None:
    x, w_in, b_in = rng.normal(size=(3, 2)), rng.normal(size=(2, 5)), rng.normal(size=5)
    w_out, b_out, d_output = rng.normal(size=(5, 4)), rng.normal(size=4), rng.normal(size=(3, 4))
    got = _five(answer(d_output, x, w_in, b_in, w_out))
    arrays = [x, w_in, b_in, w_out, b_out]
    for number, name in enumerate(NAMES):
        slope = np.zeros_like(arrays[number])
        for place in np.ndindex(slope.shape):
            step = np.zeros_like(slope)
            step[place] = 1e-6
            both = ([a + sign * step if n == number else a for n, a in enumerate(arrays)] for sign in (1, -1))
            ahead, behind = (F.feed_forward(*moved, activation=F.relu) for moved in both)
            slope[place] = (d_output * (ahead - behind)).sum() / 2e-6
        expect_close(got[number], slope, f"against differences, gradient by {name}", rtol=1e-6, atol=1e-7)


def _batches(answer: Answer, rng: Rng) -> None:
    x, d_output = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 2))
    w_in, b_in, w_out = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=(6, 2))
    expected = _backward(d_output, x, w_in, b_in, w_out)
    _expect_all(answer(d_output, x, w_in, b_in, w_out), expected, "x of shape (2, 3, 4)")


def _with_slope(slope: Any) -> Answer:
    return lambda d_output, x, w_in, b_in, w_out: _backward(d_output, x, w_in, b_in, w_out, slope)


def _instead(number: int, other: Any) -> Answer:
    """Give the right gradients but one."""

    def answer(d_output: Any, x: Any, w_in: Any, b_in: Any, w_out: Any) -> Any:
        right = list(_backward(d_output, x, w_in, b_in, w_out))
        right[number] = other(d_output, x, w_in, b_in, w_out)
        return tuple(right)

    return answer


EXERCISE = Write(
    id="feed_forward.backward",
    title="The layer backwards",
    difficulty="hard",
    points=6,
    minutes=40,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("equal to finite differences", _differences),
        Law("any leading axes", _batches),
    ),
    wrong_answers={
        "lets the gradient through shut units": _with_slope(np.ones_like),
        "multiplies by the activation in place of its slope": _with_slope(F.relu),
        "sends the gradient of w_out from before the activation": _instead(
            3, lambda d_output, x, w_in, b_in, w_out: _flat(x @ w_in + b_in).T @ _flat(d_output)
        ),
        "takes a mean over the rows for b_out": _instead(
            4, lambda d_output, x, w_in, b_in, w_out: _flat(d_output).mean(axis=0)
        ),
        "leaves the bias out of what is shut": lambda d_output, x, w_in, b_in, w_out: _backward(
            d_output, x, w_in, 0 * b_in, w_out
        ),
        "sums over the first axis only": _instead(4, lambda d_output, x, w_in, b_in, w_out: d_output.sum(axis=0)),
    },
)
