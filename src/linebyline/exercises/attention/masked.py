"""attention.masked: (q, k, v, mask) -> (output, weights), of which one line is at fault."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _pair(result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        raise AssertionError(f"expected a pair (output, weights), got {type(result).__name__}")
    return result


def _draw(rng: Rng, *batch: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Draw q (..., 3, 2), k (..., 5, 2), v (..., 5, 7) and a mask that leaves every query a key."""
    q, k = rng.normal(size=(*batch, 3, 2)), rng.normal(size=(*batch, 5, 2))
    mask = rng.random(size=(*batch, 3, 5)) < 0.5
    mask[..., np.arange(3), np.arange(3)] = True
    return q, k, rng.normal(size=(*batch, 5, 7)), mask


def _masked_by_hand(answer: Answer, rng: Rng) -> None:
    q, k = (
        np.array([[2.0, 0.0, 0.0, 0.0]]),
        np.array([[np.log(3.0), 0, 0, 0], [0, 1.0, 0, 0], [9.0, 0, 0, 0]]),
    )
    output, weights = _pair(answer(q, k, np.array([[4.0], [8.0], [1.0]]), np.array([[True, True, False]])))
    expect_close(weights, [[0.75, 0.25, 0.0]], "weights of scores log 3, 0 and a masked one")
    expect_close(output, [[5.0]], "output for the values 4, 8 and a masked 1")


def _masked_definition(answer: Answer, rng: Rng) -> None:
    q, k, v, mask = _draw(rng, 2, 4)
    output, weights = _pair(answer(q, k, v, mask))
    expected_output, expected_weights = F.scaled_dot_product_attention(q, k, v, mask)
    expect_close(weights, expected_weights, "weights, leading axes (2, 4)")
    expect_close(output, expected_output, "output, leading axes (2, 4)")


def _masked_broadcast(answer: Answer, rng: Rng) -> None:
    q, k, v, mask = _draw(rng, 2)
    output, _ = _pair(answer(q, k, v, mask[0]))
    both = np.stack([mask[0], mask[0]])
    expect_close(output, F.scaled_dot_product_attention(q, k, v, both)[0], "one (T, S) mask for a batch of 2")


def _masked_exactly(answer: Answer, rng: Rng) -> None:
    q, k, v, mask = _draw(rng, 2)
    _, weights = _pair(answer(q, k, v, mask))
    hidden = np.asarray(weights)[~mask]
    expect_close(hidden, np.zeros(hidden.shape), "weights of masked keys", atol=0)
    expect_close(np.sum(weights, axis=-1), np.ones((2, 3)), "sums of the weights in a row")


def _masked_nothing_left(answer: Answer, rng: Rng) -> None:
    q, k, v, mask = _draw(rng, 2)
    mask[1, 2] = False
    output, weights = _pair(answer(q, k, v, mask))
    expect_close(np.asarray(weights)[1, 2], np.zeros(5), "weights of a query that may see nothing")
    expect_close(np.asarray(output)[1, 2], np.zeros(7), "output of a query that may see nothing")


def _masked_large(answer: Answer, rng: Rng) -> None:
    q, k, v, mask = _draw(rng)
    expected, _ = F.scaled_dot_product_attention(1e4 * q, k, v, mask)
    expect_close(_pair(answer(1e4 * q, k, v, mask))[0], expected, "output for scores of about 10,000")


_HIDE = "scores = np.where(mask, scores, 0)"
_WEIGH = "weights = F.softmax(scores)"
_BROKEN = Code(
    """
def attention(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])  # (..., T, S)
    scores = np.where(mask, scores, 0)
    weights = F.softmax(scores)
    output = weights @ v
    return output, weights
""",
    np=np,
    F=F,
)
_SCALE = "scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])  # (..., T, S)"
_MENDED = _BROKEN.mend(_HIDE, "scores = np.where(mask, scores, -np.inf)")


EXERCISE = Diagnose(
    id="attention.masked",
    title="A mask that hides too little",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy and `F.softmax`",
    laws=(
        Law("a case worked by hand", _masked_by_hand),
        Law("the definition, with leading axes", _masked_definition),
        Law("one mask serves a whole batch", _masked_broadcast),
        Law("masked keys get weight exactly zero, the rest sums to one", _masked_exactly),
        Law("a query that may see nothing gets zeros", _masked_nothing_left),
        Law("large scores stay finite", _masked_large),
    ),
    broken=_BROKEN,
    mended=_MENDED,
    why=(
        "A score of 0 is a score like any other: it becomes exp(0), which is more than many a key gets that may be "
        "seen. Only minus infinity becomes a weight of 0."
    ),
    innocent={
        _SCALE: "This is the scaled score of each query with each key, for any leading axes.",
        _WEIGH: (
            "The softmax of the package goes along the last axis, and gives zeros for a row of minus infinities. "
            "Look at what it is given."
        ),
        "output = weights @ v": "This is the weighted average. With the right weights it is right.",
        "return output, weights": "These are the two things that were asked for, in this order.",
    },
    wrong_answers={
        "multiplies the scores by the mask": _BROKEN.mend(_HIDE, "scores = scores * mask"),
        "masks with -10, not -inf": _BROKEN.mend(_HIDE, "scores = np.where(mask, scores, -10)"),
        "masks with -1e9, so that nothing to see becomes uniform": _BROKEN.mend(
            _HIDE, "scores = np.where(mask, scores, -1e9)"
        ),
        "reads the mask the other way round": _BROKEN.mend(_HIDE, "scores = np.where(mask, -np.inf, scores)"),
        "masks with the smallest positive number": _BROKEN.mend(
            _HIDE, "scores = np.where(mask, scores, np.finfo(float).tiny)"
        ),
        "masks with nan": _BROKEN.mend(_HIDE, "scores = np.where(mask, scores, np.nan)"),
        "masks in place, row by row, without broadcasting": _BROKEN.mend(_HIDE, "scores[~mask] = -np.inf"),
        "leaves the masking out": _BROKEN.mend(_HIDE, "pass"),
        "masks after the softmax": _BROKEN.mend(_WEIGH, "weights = F.softmax(scores) * mask"),
        "normalises over the queries": _MENDED.mend(_WEIGH, "weights = F.softmax(scores, axis=-2)"),
        "does not scale any more": _MENDED.mend(_SCALE, "scores = q @ k.swapaxes(-1, -2)"),
        "scales by the width of the values": _MENDED.mend(
            _SCALE, "scores = q @ k.swapaxes(-1, -2) / np.sqrt(v.shape[-1])"
        ),
        "opens the caller's mask where a row is empty": _MENDED.mend(
            "output = weights @ v", "mask |= ~mask.any(axis=-1, keepdims=True); output = weights @ v"
        ),
    },
)
