"""attention.masked: (q, k, v, mask) -> (output, weights)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Exercise, Law, Rng, expect_close


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


def _answer_with(scale: Any = None, hide: Any = None, axis: int = -1, afterwards: Any = None) -> Answer:
    """Make an attention with one step replaced: the scale, the masking, the softmax's axis, the weights."""

    def attention(q: Any, k: Any, v: Any, mask: Any) -> Any:
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(scale(q, v) if scale else q.shape[-1])
        scores = hide(scores, mask) if hide else np.where(mask, scores, -np.inf)
        weights = F.softmax(scores, axis=axis)
        weights = afterwards(weights, mask) if afterwards else weights
        return weights @ v, weights

    return attention


def _attention_with_nan(q: Any, k: Any, v: Any, mask: Any) -> Any:
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    weights = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return weights @ v, weights


def _attention_overflowing(q: Any, k: Any, v: Any, mask: Any) -> Any:
    exponentials = np.exp(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])) * mask
    weights = exponentials / np.maximum(exponentials.sum(axis=-1, keepdims=True), 1e-300)
    return weights @ v, weights


def _attention_masking_in_place(q: Any, k: Any, v: Any, mask: Any) -> Any:
    mask |= ~mask.any(axis=-1, keepdims=True)
    return F.scaled_dot_product_attention(q, k, v, mask)


EXERCISE = Exercise(
    id="attention.masked",
    title="Attention with a mask",
    difficulty="medium",
    points=4,
    minutes=25,
    laws=(
        Law("a case worked by hand", _masked_by_hand),
        Law("the definition, with leading axes", _masked_definition),
        Law("one mask serves a whole batch", _masked_broadcast),
        Law("masked keys get weight exactly zero, the rest sums to one", _masked_exactly),
        Law("a query that may see nothing gets zeros", _masked_nothing_left),
        Law("large scores stay finite", _masked_large),
    ),
    wrong_answers={
        "does not scale": _answer_with(scale=lambda q, v: 1),
        "scales by the width of the values": _answer_with(scale=lambda q, v: v.shape[-1]),
        "reads the mask the other way round": _answer_with(hide=lambda s, m: np.where(m, -np.inf, s)),
        "multiplies the scores by the mask": _answer_with(hide=lambda s, m: s * m),
        "masks with -10, not -inf": _answer_with(hide=lambda s, m: np.where(m, s, -10.0)),
        "masks with -1e9, so that nothing to see becomes uniform": _answer_with(hide=lambda s, m: np.where(m, s, -1e9)),
        "masks after the softmax": _answer_with(hide=lambda s, m: s, afterwards=lambda w, m: w * m),
        "normalises over the queries": _answer_with(axis=-2),
        "transposes the batch too": lambda q, k, v, m: F.scaled_dot_product_attention(q, k.T, v, m),
        "reshapes the mask instead of broadcasting it": _answer_with(
            hide=lambda s, m: np.where(m.reshape(s.shape), s, -np.inf)
        ),
        "gives nan where nothing may be seen": _attention_with_nan,
        "lets exp overflow": _attention_overflowing,
        "opens the caller's mask in place": _attention_masking_in_place,
    },
)
