"""attention_backward.numerical_gradient: (loss, x, h) -> the shape of x."""

from collections.abc import Callable
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _cube(x: Any) -> float:
    return float(np.sum(np.asarray(x) ** 3))


def _numerical_order(answer: Answer, rng: Rng) -> None:
    x = np.array([1.0, -2.0, 0.5])
    expect_close(answer(_cube, x, 0.1), 3 * x**2 + 0.01, "Σ x³ with h=0.1, where central differences give 3x² + h²")


def _numerical_axes(answer: Answer, rng: Rng) -> None:
    x, a = rng.normal(size=(2, 3, 2)), rng.normal(size=(2, 3, 2))

    def loss(y: Any) -> float:
        return float(np.sum(a * y**2))

    expect_close(answer(loss, x, 1e-3), 2 * a * x, "Σ a x², shape (2, 3, 2)", rtol=1e-6, atol=1e-8)


def _numerical_attention(answer: Answer, rng: Rng) -> None:
    q, k, v, d_output = rng.normal(size=(4, 3, 2))

    def loss(q: Any) -> float:
        return float((F.scaled_dot_product_attention(q, k, v)[0] * d_output).sum())

    expected = F.scaled_dot_product_attention_backward(d_output, q, k, v)[0]
    expect_close(answer(loss, q, 1e-5), expected, "gradient by the queries", rtol=1e-5, atol=1e-8)


def _numerical(
    loss: Callable[[Any], float], x: Any, h: float, *, ends: tuple[int, int] = (1, -1), by: float = 2
) -> Any:
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    slopes = [(loss(x + ends[0] * step) - loss(x + ends[1] * step)) / (by * h) for step in steps]
    return np.array(slopes).reshape(x.shape)


def _numerical_in_place(loss: Callable[[Any], float], x: Any, h: float) -> Any:
    gradient = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        x[place] += h
        up = loss(x)
        x[place] -= 2 * h
        gradient[place] = (up - loss(x)) / (2 * h)  # and x stays moved
    return gradient


EXERCISE = Write(
    id="attention_backward.numerical_gradient",
    title="A gradient without derivatives",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
    laws=(
        Law("central, to second order in h", _numerical_order),
        Law("every entry of an array of any shape", _numerical_axes),
        Law("the gradient of attention by its queries", _numerical_attention),
    ),
    wrong_answers={
        "looks forwards only": lambda loss, x, h: _numerical(loss, x, h, ends=(1, 0), by=1),
        "looks backwards only": lambda loss, x, h: _numerical(loss, x, h, ends=(0, -1), by=1),
        "divides by h": lambda loss, x, h: _numerical(loss, x, h, by=1),
        "flips the sign": lambda loss, x, h: _numerical(loss, x, h, ends=(-1, 1)),
        "moves all entries at once": lambda loss, x, h: np.full(x.shape, (loss(x + h) - loss(x - h)) / (2 * h)),
        "moves along the last axis only": lambda loss, x, h: np.array(
            [(loss(x + h * e) - loss(x - h * e)) / (2 * h) for e in np.eye(x.shape[-1])]
        ),
        "leaves the array moved": _numerical_in_place,
        "fixes the step": lambda loss, x, h: _numerical(loss, x, 1e-3),
    },
)
