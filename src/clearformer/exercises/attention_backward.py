"""Exercises of the chapter on the backward pass: a projection, shared keys, a numerical gradient."""

from collections.abc import Callable
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.backward_pass import BACKWARD_PASS
from clearformer.exercises.core import Answer, Exercise, Law, expect_close

Rng = np.random.Generator


# --- attention_backward.d_w_q: (x (..., T, d_model), d_q (..., T, d_k)) -> (d_model, d_k) ---


def _d_w_by_hand(answer: Answer, rng: Rng) -> None:
    x, d_q = np.array([[1.0, 2.0], [0.0, 3.0]]), np.array([[10.0], [1.0]])
    expect_close(answer(x, d_q), [[10.0], [23.0]], "x = [[1 2], [0 3]], d_q = [[10], [1]]")


def _d_w_slope(answer: Answer, rng: Rng) -> None:
    x, w, d_q = rng.normal(size=(5, 3)), rng.normal(size=(3, 2)), rng.normal(size=(5, 2))
    direction = rng.normal(size=(3, 2))
    climb = ((x @ (w + direction) - x @ (w - direction)) * d_q).sum() / 2  # exact: queries are linear in w
    expect_close(np.sum(np.asarray(answer(x, d_q)) * direction), climb, "change of the loss along a direction of w")


def _d_w_batch(answer: Answer, rng: Rng) -> None:
    x, d_q = rng.normal(size=(2, 5, 3)), rng.normal(size=(2, 5, 7))
    expect_close(answer(x, d_q), x[0].T @ d_q[0] + x[1].T @ d_q[1], "two sequences that share one matrix")


def _d_w_unused(answer: Answer, rng: Rng) -> None:
    x, d_q = rng.normal(size=(4, 3)), rng.normal(size=(4, 2))
    x[:, 1] = 0
    expect_close(np.asarray(answer(x, d_q))[1], np.zeros(2), "row of w for a feature that is 0 in every token")


def _d_w(x: Any, d_q: Any) -> Any:
    return x.reshape(-1, x.shape[-1]).T @ d_q.reshape(-1, d_q.shape[-1])


D_W_Q = Exercise(
    id="attention_backward.d_w_q",
    title="The gradient of a projection",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _d_w_by_hand),
        Law("the slope of the loss in any direction", _d_w_slope),
        Law("the sum over the sequences of a batch", _d_w_batch),
        Law("a feature that is always 0 gets no gradient", _d_w_unused),
    ),
    wrong_answers={
        "keeps one matrix for each sequence": lambda x, d: x.swapaxes(-1, -2) @ d,
        "transposes the result": lambda x, d: _d_w(x, d).T,
        "averages over the tokens": lambda x, d: _d_w(x, d) / x.shape[-2],
        "averages over the batch": lambda x, d: _d_w(x, d) * x.shape[-2] / x[..., 0].size,
        "uses the first sequence only": lambda x, d: (
            x.reshape(-1, *x.shape[-2:])[0].T @ d.reshape(-1, *d.shape[-2:])[0]
        ),
        "sums tokens before multiplying": lambda x, d: np.outer(
            x.reshape(-1, x.shape[-1]).sum(axis=0), d.reshape(-1, d.shape[-1]).sum(axis=0)
        ),
        "adds the sum of the gradients to every row": lambda x, d: _d_w(x, d) + d.reshape(-1, d.shape[-1]).sum(axis=0),
    },
)


# --- attention_backward.shared_keys: (d_repeated (..., n_heads, S, d), n_kv_heads) -> (..., n_kv_heads, S, d) ---


def _shared_by_hand(answer: Answer, rng: Rng) -> None:
    d_repeated = np.array([1.0, 10.0, 100.0, 1000.0]).reshape(4, 1, 1)
    expect_close(answer(d_repeated, 2), [[[11.0]], [[1100.0]]], "heads 1, 10, 100, 1000 that share two keys")


def _shared_adjoint(answer: Answer, rng: Rng) -> None:
    k, d_repeated = rng.normal(size=(2, 5, 3)), rng.normal(size=(6, 5, 3))
    expected = np.sum(np.repeat(k, 3, axis=0) * d_repeated)
    got = np.sum(k * np.asarray(answer(d_repeated, 2)))
    expect_close(got, expected, "Σ k · answer against Σ repeat(k) · d_repeated, 6 heads on 2")


def _shared_batch(answer: Answer, rng: Rng) -> None:
    d_repeated = rng.normal(size=(2, 4, 5, 3))
    expected = np.stack([d_repeated[:, :2].sum(axis=1), d_repeated[:, 2:].sum(axis=1)], axis=1)
    expect_close(answer(d_repeated, 2), expected, "a batch of two, 4 heads on 2")


def _shared_ends(answer: Answer, rng: Rng) -> None:
    d_repeated = rng.normal(size=(4, 5, 3))
    expect_close(answer(d_repeated, 4), d_repeated, "nothing shared: 4 heads on 4")
    expect_close(answer(d_repeated, 1), d_repeated.sum(axis=0, keepdims=True), "all shared: 4 heads on 1")


def _grouped(d: Any, n_kv_heads: int) -> Any:
    return d.reshape(*d.shape[:-3], n_kv_heads, d.shape[-3] // n_kv_heads, *d.shape[-2:])


SHARED_KEYS = Exercise(
    id="attention_backward.shared_keys",
    title="Keys that several heads share",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("a case worked by hand", _shared_by_hand),
        Law("the transpose of repeating", _shared_adjoint),
        Law("leading axes are kept", _shared_batch),
        Law("nothing shared, and all shared", _shared_ends),
    ),
    wrong_answers={
        "takes the mean of the group": lambda d, n: _grouped(d, n).mean(axis=-3),
        "takes the first of the group": lambda d, n: _grouped(d, n)[..., 0, :, :],
        "groups every n-th head": lambda d, n: np.stack([d[..., g::n, :, :].sum(axis=-3) for g in range(n)], axis=-3),
        "sums over all heads": lambda d, n: np.repeat(d.sum(axis=-3, keepdims=True), n, axis=-3),
        "leaves the heads as they are": lambda d, n: d,
        "mixes the batch with the heads": lambda d, n: d.reshape(n, -1, *d.shape[-2:]).sum(axis=1),
        "drops the axis when all share": lambda d, n: d.sum(axis=-3) if n == 1 else _grouped(d, n).sum(axis=-3),
    },
)


# --- attention_backward.numerical_gradient: (loss, x, h) -> the shape of x ---


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


NUMERICAL_GRADIENT = Exercise(
    id="attention_backward.numerical_gradient",
    title="A gradient without derivatives",
    difficulty="medium",
    points=4,
    minutes=20,
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


EXERCISES = (D_W_Q, SHARED_KEYS, NUMERICAL_GRADIENT, BACKWARD_PASS)
