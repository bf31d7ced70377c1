"""The exercise on the whole backward pass of attention, mask included."""

import math
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close

NAMES = ("d_queries", "d_keys", "d_values")


def _three(answer: Answer, *arguments: Any) -> tuple[Any, Any, Any]:
    got = answer(*arguments)
    if not isinstance(got, tuple) or len(got) != 3:
        raise AssertionError(f"expected three arrays ({', '.join(NAMES)}), got {type(got).__name__}")
    return got


def _expect(got: Any, expected: Any, what: str, rtol: float = 1e-9) -> None:
    for name, mine, right in zip(NAMES, got, expected, strict=True):
        expect_close(mine, right, f"{name}, {what}", rtol=rtol, atol=1e-8 if rtol > 1e-9 else 1e-12)


def _draw(rng: Rng, *batch: int, T: int = 4, S: int = 5) -> tuple[Any, Any, Any, Any]:
    shapes = (*batch, T, 2), (*batch, T, 3), (*batch, S, 3), (*batch, S, 2)
    d_output, q, k, v = (rng.normal(size=shape) for shape in shapes)
    return d_output, q, k, v


def _by_hand(answer: Answer, rng: Rng) -> None:
    q, k, v = np.zeros((1, 1)), np.array([[2.0], [0.0]]), np.array([[4.0], [8.0]])
    got = _three(answer, np.ones((1, 1)), q, k, v, np.ones((1, 2), dtype=bool))
    _expect(got, ([[-2.0]], [[0.0], [0.0]], [[0.5], [0.5]]), "q = 0, k = [2 0], v = [4 8]")


def _slope(answer: Answer, rng: Rng) -> None:
    d_output, *arrays = _draw(rng)
    mask, step, slopes = np.ones((4, 5), dtype=bool), 1e-5, []
    gradients = _three(answer, d_output, *arrays, mask)
    directions = [rng.normal(size=array.shape) for array in arrays]
    for number, direction in enumerate(directions):
        ends = []
        for sign in (1, -1):
            q, k, v = (a + sign * step * direction if i == number else a for i, a in enumerate(arrays))
            ends.append((F.scaled_dot_product_attention(q, k, v, mask)[0] * d_output).sum())
        slopes.append((ends[0] - ends[1]) / (2 * step))
    got = [np.sum(np.asarray(g) * d) for g, d in zip(gradients, directions, strict=True)]
    _expect(got, slopes, "slope of the loss along a direction", rtol=1e-6)


def _causal(answer: Answer, rng: Rng) -> None:
    arguments = *_draw(rng, S=4), F.causal_mask(4)
    _expect(_three(answer, *arguments), F.scaled_dot_product_attention_backward(*arguments), "causal mask")


def _batch(answer: Answer, rng: Rng) -> None:
    arguments = *_draw(rng, 2, 3), F.padding_mask(np.array([[5], [2]]), 5)
    _expect(_three(answer, *arguments), F.scaled_dot_product_attention_backward(*arguments), "(2, 3) heads, padded")


def _blind(answer: Answer, rng: Rng) -> None:
    arguments = *_draw(rng), np.arange(4)[:, None] < np.array([[3, 2, 3, 0, 3]])
    expected = F.scaled_dot_product_attention_backward(*arguments)
    _expect(_three(answer, *arguments), expected, "query 3 sees nothing, key 3 is never seen")


def _backward(
    d_output: Any, q: Any, k: Any, v: Any, mask: Any, *, axis: int = -1, row: float = 1.0, scale: float = 0.5
) -> Any:
    weights = F.scaled_dot_product_attention(q, k, v, mask)[1]
    d_weights = d_output @ v.swapaxes(-1, -2)
    d_scores = weights * (d_weights - row * (weights * d_weights).sum(axis=axis, keepdims=True))
    d_scores = d_scores / q.shape[-1] ** scale
    return d_scores @ k, d_scores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ d_output


def _unmasked(d_output: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
    return _backward(d_output, q, k, v, np.ones_like(mask))


def _naive_softmax(d_output: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = weights / weights.sum(axis=-1, keepdims=True)
    d_weights = d_output @ v.swapaxes(-1, -2)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True)) / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.swapaxes(-1, -2) @ q, weights.swapaxes(-1, -2) @ d_output


def _masks_afterwards(d_output: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
    """Let the row term see the whole row, and cut the gradient only at the end."""
    weights = F.scaled_dot_product_attention(q, k, v)[1]
    d_scores = mask * F.softmax_backward(weights, d_output @ v.swapaxes(-1, -2)) / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.swapaxes(-1, -2) @ q, (mask * weights).swapaxes(-1, -2) @ d_output


def _one_head(d_output: Any, q: Any, k: Any, v: Any, mask: Any) -> Any:
    weights = F.scaled_dot_product_attention(q, k, v, mask)[1]
    d_scores = F.softmax_backward(weights, d_output @ v.swapaxes(-1, -2)) / math.sqrt(q.shape[-1])
    return d_scores @ k, d_scores.T @ q, weights.T @ d_output


EXERCISE = Write(
    id="attention_backward.backward",
    entry="attention_backward",
    title="The whole backward pass",
    difficulty="hard",
    points=8,
    minutes=60,
    may_use="NumPy and `F.softmax`",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("the slope of the loss in q, k and v", _slope),
        Law("the causal mask", _causal),
        Law("any leading axes, and padding", _batch),
        Law("queries that see nothing, keys that are never seen", _blind),
    ),
    wrong_answers={
        "forgets the factor on the scores": lambda *a: _backward(*a, scale=0.0),
        "divides by d_k": lambda *a: _backward(*a, scale=1.0),
        "forgets the row term": lambda *a: _backward(*a, row=0.0),
        "sums the row term over the queries": lambda *a: _backward(*a, axis=-2),
        "ignores the mask": _unmasked,
        "masks after the softmax": _masks_afterwards,
        "divides 0 by 0 in a row that sees nothing": _naive_softmax,
        "transposes all axes": _one_head,
        "swaps queries and keys": lambda *a: (lambda g: (g[1], g[0], g[2]))(_backward(*a)),
        "returns only the first": lambda *a: _backward(*a)[0],
        "flips the sign for the keys": lambda *a: (lambda g: (g[0], -g[1], g[2]))(_backward(*a)),
    },
)
