"""The exercises of the attention chapter: laws that right answers obey, and wrong answers that break them."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close, expect_raises
from clearformer.exercises.softmax import SOFTMAX, SOFTMAX_JACOBIAN

Rng = np.random.Generator


# --- attention.weighted_average: (weights (S,), values (S, d_v)) -> (d_v,) ---


def _average_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([1.0, 3.0]), np.array([[0.0, 4.0], [8.0, 0.0]]))
    expect_close(got, [6.0, 1.0], "weights [1, 3] of the values [0, 4] and [8, 0]")


def _average_proportions(answer: Answer, rng: Rng) -> None:
    weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
    once = answer(weights, values)
    expect_close(answer(7 * weights, values), once, "the same weights times 7 should change nothing")


def _average_equal(answer: Answer, rng: Rng) -> None:
    values = rng.normal(size=(7, 2))
    expect_close(answer(np.full(7, 0.3), values), values.mean(axis=0), "equal weights should give the mean")


def _average_zero_weight(answer: Answer, rng: Rng) -> None:
    weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
    weights[2] = 0
    without = np.average(np.delete(values, 2, axis=0), axis=0, weights=np.delete(weights, 2))
    expect_close(answer(weights, values), without, "a value of weight 0 should not count")


def _average_refuses_nothing(answer: Answer, rng: Rng) -> None:
    values = rng.normal(size=(3, 2))
    expect_raises(lambda: answer(np.zeros(3), values), ValueError, "weights that are all zero")


def _average_normalises_in_place(weights: Any, values: Any) -> Any:
    if not weights.any():
        raise ValueError
    weights /= weights.sum()
    return weights @ values


WEIGHTED_AVERAGE = Exercise(
    id="attention.weighted_average",
    title="A weighted average",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("a case worked by hand", _average_by_hand),
        Law("only the proportions of the weights matter", _average_proportions),
        Law("equal weights give the mean", _average_equal),
        Law("a weight of zero leaves its value out", _average_zero_weight),
        Law("weights that are all zero are refused", _average_refuses_nothing),
    ),
    wrong_answers={
        "does not normalise": lambda w, v: w @ v,
        "divides by the number of values, not by the sum of the weights": lambda w, v: w @ v / len(w),
        "ignores the weights": lambda w, v: v.mean(axis=0),
        "takes the softmax of the weights": lambda w, v: F.softmax(w) @ v,
        "gives nan for weights that are all zero": lambda w, v: w @ v / w.sum(),
        "gives zeros for weights that are all zero": lambda w, v: w @ v / max(w.sum(), 1e-300),
        "averages over the wrong axis": lambda w, v: (w[:, None] * v).sum(axis=1) / w.sum(),
        "normalises the caller's weights in place": _average_normalises_in_place,
    },
)


# --- attention.score_scale: (sigma_q, sigma_k, d_k) -> factor ---


def _scale_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(1.0, 1.0, 64), 0.125, "sigma_q=1, sigma_k=1, d_k=64")


def _scale_measured(answer: Answer, rng: Rng) -> None:
    for sigma_q, sigma_k, d_k in ((1.0, 1.0, 16), (2.0, 2.0, 16), (0.5, 3.0, 64)):
        q = sigma_q * rng.normal(size=(20_000, d_k))  # (pairs, d_k)
        k = sigma_k * rng.normal(size=(20_000, d_k))  # (pairs, d_k)
        variance = ((q * k).sum(axis=-1) * answer(sigma_q, sigma_k, d_k)).var()
        expect_close(variance, 1.0, f"variance, sigma_q={sigma_q}, sigma_k={sigma_k}, d_k={d_k}", atol=0.1)


def _scale_of_spread(answer: Answer, rng: Rng) -> None:
    sigma_q, sigma_k = rng.uniform(0.5, 2, size=2).tolist()
    once = answer(sigma_q, sigma_k, 48)
    expect_close(answer(2 * sigma_q, sigma_k, 48), np.asarray(once) / 2, "doubling sigma_q should halve it")
    expect_close(answer(sigma_q, 2 * sigma_k, 48), np.asarray(once) / 2, "doubling sigma_k should halve it")


def _scale_of_width(answer: Answer, rng: Rng) -> None:
    sigma_q, sigma_k = rng.uniform(0.5, 2, size=2).tolist()
    once = answer(sigma_q, sigma_k, 32)
    expect_close(answer(sigma_q, sigma_k, 128), np.asarray(once) / 2, "four times d_k should halve it")


SCORE_SCALE = Exercise(
    id="attention.score_scale",
    title="The scale of a score",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("a case worked by hand", _scale_by_hand),
        Law("scaled scores have variance one, measured on 20,000 pairs", _scale_measured),
        Law("doubling either spread halves the factor", _scale_of_spread),
        Law("four times the width halves the factor", _scale_of_width),
    ),
    wrong_answers={
        "ignores the spreads": lambda sq, sk, d: 1 / np.sqrt(d),
        "divides by the variance, not by the standard deviation": lambda sq, sk, d: 1 / (sq**2 * sk**2 * d),
        "divides by the width": lambda sq, sk, d: 1 / (sq * sk * d),
        "gives the standard deviation, not its inverse": lambda sq, sk, d: sq * sk * np.sqrt(d),
        "takes the variance for d times one sigma squared": lambda sq, sk, d: 1 / np.sqrt(d * sq * sk),
        "forgets the keys": lambda sq, sk, d: 1 / (sq * np.sqrt(d)),
        "adds the variances of queries and keys": lambda sq, sk, d: 1 / np.sqrt(d * (sq**2 + sk**2) / 2),
    },
)


# --- attention.masked: (q, k, v, mask) -> (output, weights) ---


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


MASKED = Exercise(
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


# In the order of the chapter.
EXERCISES = (WEIGHTED_AVERAGE, SOFTMAX, SCORE_SCALE, MASKED, SOFTMAX_JACOBIAN)
