"""The hard exercise of the normalization chapter: back through RMS normalization."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close
from linebyline.exercises.normalization._pairs import pair


def _by_hand(answer: Answer, rng: Rng) -> None:
    d_x, d_gamma = pair(answer(np.array([[25.0, 0.0]]), np.array([[1.0, 7.0]]), np.ones(2), 0.0))
    expect_close(d_x, [[4.9, -0.7]], "x (1, 7) with root mean square 5, d_output (25, 0)")
    expect_close(d_gamma, [5, 0], "x (1, 7), d_output (25, 0), by gamma")


def _slopes(d_output: Any, x: Any, gamma: Any, eps: float, step: float = 1e-5) -> tuple[Any, Any]:
    """Finite differences of the loss sum(d_output * rms_norm(x, gamma, eps))."""

    def loss(x: Any, gamma: Any) -> float:
        return float((d_output * F.rms_norm(x, gamma, eps)).sum())

    d_x, d_gamma = np.zeros_like(x), np.zeros_like(gamma)
    for place in np.ndindex(*x.shape):
        move = np.zeros_like(x)
        move[place] = step
        d_x[place] = (loss(x + move, gamma) - loss(x - move, gamma)) / (2 * step)
    for a in range(len(gamma)):
        move = step * np.eye(len(gamma))[a]
        d_gamma[a] = (loss(x, gamma + move) - loss(x, gamma - move)) / (2 * step)
    return d_x, d_gamma


def _differences(answer: Answer, rng: Rng) -> None:
    for eps in (1e-5, 1.0):
        x, d_output, gamma = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=5)
        got, expected = pair(answer(d_output, x, gamma, eps)), _slopes(d_output, x, gamma, eps)
        for name, one, other in zip(("x", "gamma"), got, expected, strict=True):
            expect_close(one, other, f"finite differences, eps={eps}, by {name}", rtol=1e-5, atol=1e-7)


def _axes(answer: Answer, rng: Rng) -> None:
    x, d_output, gamma = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 3, 4)), rng.normal(size=4)
    d_x, d_gamma = pair(answer(d_output, x, gamma, 1e-5))
    expected = _slopes(d_output, x, gamma, 1e-5)
    expect_close(d_x, expected[0], "x of shape (2, 3, 4), by x", rtol=1e-5, atol=1e-7)
    expect_close(d_gamma, expected[1], "x of shape (2, 3, 4), by gamma", rtol=1e-5, atol=1e-7)


def _orthogonal(answer: Answer, rng: Rng) -> None:
    x, d_output, gamma = rng.normal(size=(3, 5)), rng.normal(size=(3, 5)), rng.normal(size=5)
    d_x, _ = pair(answer(d_output, x, gamma, 0.0))
    expect_close((np.asarray(d_x) * x).sum(axis=-1), np.zeros(3), "d_x · x for eps=0", atol=1e-10)


def _right(d_output: Any, x: Any, gamma: Any, eps: float) -> Any:
    inverse = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    x_hat, g = x * inverse, gamma * d_output
    d_x = inverse * (g - x_hat * (x_hat * g).mean(axis=-1, keepdims=True))
    return d_x, (d_output * x_hat).reshape(-1, x.shape[-1]).sum(axis=0)


def _constant_scale(d_output: Any, x: Any, gamma: Any, eps: float) -> Any:
    inverse = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    return inverse * gamma * d_output, _right(d_output, x, gamma, eps)[1]


def _sum_for_mean(d_output: Any, x: Any, gamma: Any, eps: float) -> Any:
    inverse = 1 / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps)
    x_hat, g = x * inverse, gamma * d_output
    d_x = inverse * (g - x_hat * (x_hat * g).sum(axis=-1, keepdims=True))
    return d_x, _right(d_output, x, gamma, eps)[1]


def _first_axis_only(d_output: Any, x: Any, gamma: Any, eps: float) -> Any:
    x_hat = F.rms_norm(x, np.ones_like(gamma), eps)
    return _right(d_output, x, gamma, eps)[0], (d_output * x_hat).sum(axis=0)


def _in_place(d_output: Any, x: Any, gamma: Any, eps: float) -> Any:
    result = _right(d_output, x, gamma, eps)
    d_output *= gamma
    return result


EXERCISE = Write(
    id="normalization.rms_backward",
    entry="rms_norm_backward",
    title="Back through RMS normalization",
    difficulty="hard",
    points=5,
    minutes=30,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("equal to finite differences", _differences),
        Law("any leading axes", _axes),
        Law("no gradient along the row itself, for eps = 0", _orthogonal),
    ),
    wrong_answers={
        "takes the root mean square for a constant": _constant_scale,
        "sums where it should average": _sum_for_mean,
        "uses the backward pass of layer normalization": lambda d_output, x, gamma, eps: F.layer_norm_backward(
            d_output, x, gamma, eps
        )[:2],
        "leaves the gain out": lambda d_output, x, gamma, eps: (
            _right(d_output, x, np.ones_like(gamma), eps)[0],
            _right(d_output, x, gamma, eps)[1],
        ),
        "leaves eps out": lambda d_output, x, gamma, eps: _right(d_output, x, gamma, 0.0),
        "sums the gain's gradient over the first axis only": _first_axis_only,
        "multiplies the caller's gradient": _in_place,
    },
)
