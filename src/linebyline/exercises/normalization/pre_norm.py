"""normalization.pre_norm: (x (..., T, d), attention, feed_forward, norm) -> (..., T, d); one line is at fault."""

from collections.abc import Callable
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

Layer = Callable[[Any], Any]


def _norm(x: Any) -> Any:
    return F.layer_norm(x, np.ones(x.shape[-1]), np.zeros(x.shape[-1]))


def _draw(rng: Rng) -> tuple[np.ndarray, Layer, Layer]:
    """Draw tokens (2, 3, 5), a layer that mixes positions, and one that does not."""
    mix, w = rng.normal(size=(3, 3)), rng.normal(size=(5, 5))
    return rng.normal(size=(2, 3, 5)), lambda x: mix @ x, lambda x: np.tanh(x @ w)


def _by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[20.0]]), lambda x: 3 * x, lambda x: x + 1, lambda x: x / 10)
    expect_close(got, [[29.6]], "x = 20, attention 3 x, feed-forward x + 1, and a norm that divides by 10")


def _idle(answer: Answer, rng: Rng) -> None:
    x, *_ = _draw(rng)
    expect_close(answer(x, np.zeros_like, np.zeros_like, _norm), x, "layers that add nothing")


def _equation(answer: Answer, rng: Rng) -> None:
    x, attention, feed_forward = _draw(rng)
    between = x + attention(_norm(x))
    expected = between + feed_forward(_norm(between))
    expect_close(answer(x, attention, feed_forward, _norm), expected, "random layers")


def _no_norm(answer: Answer, rng: Rng) -> None:
    x, attention, feed_forward = _draw(rng)
    between = x + attention(x)
    got = answer(x, attention, feed_forward, lambda x: x)
    expect_close(got, between + feed_forward(between), "a norm that does nothing")


def _given(answer: Answer, rng: Rng) -> None:
    x, attention, feed_forward = _draw(rng)
    seen = []

    def watched(given: Any) -> Any:
        seen.append(given.copy())
        return attention(given)

    answer(x, watched, feed_forward, _norm)
    expect_close(seen, [_norm(x)], "what attention was given")


_BROKEN = Code(
    """
def pre_norm_block(x, attention, feed_forward, norm):
    first = norm(x)
    x = first + attention(first)
    second = norm(x)
    x = x + feed_forward(second)
    return x
"""
)
_FAULT = "x = first + attention(first)"
_SECOND = "x = x + feed_forward(second)"
_FIXED = _BROKEN.replace_line(_FAULT, "x = x + attention(first)")

EXERCISE = Diagnose(
    id="normalization.pre_norm",
    title="A block that forgets",
    difficulty="medium",
    points=3,
    minutes=10,
    may_use="the four arguments",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("layers that add nothing leave the stream as it was", _idle),
        Law("the equation, for any layers", _equation),
        Law("without a norm", _no_norm),
        Law("attention is given what the norm makes", _given),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The layer adds to a normed copy, and the stream itself is lost: with two of these in a row nothing but norms "
        "and layers lies between input and output, and its length is forgotten at each of them."
    ),
    innocent={
        "first = norm(x)": "The norm makes what attention will work on. The stream is still x.",
        "second = norm(x)": "The second layer has a norm of its own, of the stream as it is by now.",
        _SECOND: "What the feed-forward layer makes of the normed rows is added to the stream.",
        "return x": "Pre-norm returns the stream; the last norm of a model comes after its last block.",
    },
    wrong_answers={
        "norms the sum": _BROKEN.replace_line(_FAULT, "x = norm(x + attention(x))"),
        "shows attention the stream as it is": _BROKEN.replace_line(_FAULT, "x = x + attention(x)"),
        "leaves the residual out": _BROKEN.replace_line(_FAULT, "x = attention(first)"),
        "adds the normed copy as well": _BROKEN.replace_line(_FAULT, "x = x + first + attention(first)"),
        "norms what attention adds": _BROKEN.replace_line(_FAULT, "x = x + norm(attention(first))"),
        "takes the first normed rows twice": _FIXED.replace_line(_SECOND, "x = x + feed_forward(first)"),
        "adds to the second normed copy": _FIXED.replace_line(_SECOND, "x = second + feed_forward(second)"),
        "norms the result": _FIXED.replace_line("return x", "return norm(x)"),
    },
)
