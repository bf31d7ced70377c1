"""feed_forward.backward: the five gradients of a ReLU layer, of which one line is at fault.

(d_output (..., n), x (..., d), w_in (d, d_ff), b_in (d_ff,), w_out (d_ff, n))
-> gradients by x, w_in, b_in, w_out, b_out.
"""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

NAMES = ("x", "w_in", "b_in", "w_out", "b_out")


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
        # Rounded, since the last digits of a difference are noise, and a report shows what was expected.
        expect_close(got[number], slope.round(6), f"against differences, gradient by {name}", rtol=1e-6, atol=1e-6)


def _batches(answer: Answer, rng: Rng) -> None:
    x, d_output = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 2))
    weights = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=(6, 2))
    _, *flat = _five(answer(d_output.reshape(6, 2), x.reshape(6, 4), *weights))
    d_x, *summed = _five(answer(d_output, x, *weights))
    expect_close(np.shape(d_x), x.shape, "shape of the gradient by x (2, 3, 4)")
    for name, got, expected in zip(NAMES[1:], summed, flat, strict=True):
        expect_close(got, expected, f"x of shape (2, 3, 4) against (6, 4), gradient by {name}", atol=1e-7)


def _behind(answer: Answer, rng: Rng) -> None:
    x, d_output = rng.normal(size=(3, 4)), rng.normal(size=(3, 2))
    w_in, b_in, w_out = rng.normal(size=(4, 6)), rng.normal(size=6), rng.normal(size=(6, 2))
    *_, d_w_out, d_b_out = _five(answer(d_output, x, w_in, b_in, w_out))
    expect_close(d_w_out, np.maximum(0, x @ w_in + b_in).T @ d_output, "gradient by w_out")
    expect_close(d_b_out, d_output.sum(axis=0), "gradient by b_out")


_BROKEN = Code(
    """
def feed_forward_backward(d_output, x, w_in, b_in, w_out):
    z = x @ w_in + b_in  # (..., d_ff)
    d_hidden = d_output @ w_out.T  # (..., d_ff)
    d_z = d_hidden * (d_hidden > 0)
    rows = tuple(range(x.ndim - 1))
    d_w_in = np.tensordot(x, d_z, (rows, rows))
    d_w_out = np.tensordot(np.maximum(0, z), d_output, (rows, rows))
    d_b_in, d_b_out = d_z.sum(axis=rows), d_output.sum(axis=rows)
    return d_z @ w_in.T, d_w_in, d_b_in, d_w_out, d_b_out
""",
    np=np,
)
_WIDEN = "z = x @ w_in + b_in  # (..., d_ff)"
_BEND = "d_z = d_hidden * (d_hidden > 0)"
_OUT = "d_w_out = np.tensordot(np.maximum(0, z), d_output, (rows, rows))"
_ROWS = "rows = tuple(range(x.ndim - 1))"
_BIASES = "d_b_in, d_b_out = d_z.sum(axis=rows), d_output.sum(axis=rows)"
_FIXED = _BROKEN.replace_line(_BEND, "d_z = d_hidden * (z > 0)")

EXERCISE = Diagnose(
    id="feed_forward.backward",
    title="The layer backwards",
    difficulty="hard",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("equal to finite differences", _differences),
        Law("any leading axes", _batches),
        Law("what lies behind the bend", _behind),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "A unit lets a gradient through where it let the number through, whatever the sign of the gradient: the "
        "slope of ReLU is asked at z. Negative gradients are half of what a layer learns from."
    ),
    innocent={
        _WIDEN: "The forward pass up to the bend, computed once more.",
        "d_hidden = d_output @ w_out.T  # (..., d_ff)": "The output is hidden @ w_out, so w_out is transposed.",
        "d_w_in = np.tensordot(x, d_z, (rows, rows))": "A product of input and gradient, summed over all rows.",
        _OUT: "Input of the second product is what came out of the bend; the sum runs over all rows.",
        _ROWS: "These are all axes but the last: biases serve every row.",
        _BIASES: "A bias is added to every row, so its gradient is the sum over the rows.",
        "return d_z @ w_in.T, d_w_in, d_b_in, d_w_out, d_b_out": "Five gradients, in the order that was asked for.",
    },
    wrong_answers={
        "lets the gradient through shut units": _BROKEN.replace_line(_BEND, "d_z = d_hidden"),
        "multiplies by the activation in place of its slope": _BROKEN.replace_line(
            _BEND, "d_z = d_hidden * np.maximum(0, z)"
        ),
        "asks both signs": _BROKEN.replace_line(_BEND, "d_z = d_hidden * (d_hidden > 0) * (z > 0)"),
        "lets it through where the unit is shut": _BROKEN.replace_line(_BEND, "d_z = d_hidden * (z < 0)"),
        "bends the gradient itself": _BROKEN.replace_line(_BEND, "d_z = np.maximum(0, d_hidden) * np.sign(z)"),
        "leaves the bias out of what is shut": _FIXED.replace_line(_WIDEN, "z = x @ w_in"),
        "takes w_out's gradient from before the bend": _FIXED.replace_line(
            _OUT, "d_w_out = np.tensordot(z, d_output, (rows, rows))"
        ),
        "sums over the first axis only": _FIXED.replace_line(_ROWS, "rows = (0,)"),
        "takes a mean over the rows": _FIXED.replace_line(
            _BIASES, "d_b_in, d_b_out = d_z.mean(axis=rows), d_output.mean(axis=rows)"
        ),
    },
)
