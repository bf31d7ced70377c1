"""attention_backward.d_x: (d_output, x, w_q, w_k, w_v) -> gradient of the tokens, of which one line is at fault."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _draw(rng: Rng, T: int = 4) -> tuple[np.ndarray, ...]:
    shapes = (T, 2), (T, 5), (5, 3), (5, 3), (5, 2)
    d_output, x, w_q, w_k, w_v = (rng.normal(size=shape) for shape in shapes)
    return d_output, x, w_q, w_k, w_v


def _one_token(answer: Answer, rng: Rng) -> None:
    d_output, x, w_q, w_k, w_v = _draw(rng, T=1)
    expect_close(answer(d_output, x, w_q, w_k, w_v), d_output @ w_v.T, "one token, whose weight is always 1")


def _no_keys(answer: Answer, rng: Rng) -> None:
    d_output, x, w_q, w_k, w_v = _draw(rng)
    expected = np.tile(d_output.mean(axis=0) @ w_v.T, (4, 1))
    expect_close(answer(d_output, x, 0 * w_q, 0 * w_k, w_v), expected, "queries and keys of 0, weights of 1/4")


def _slope(answer: Answer, rng: Rng) -> None:
    d_output, x, *matrices = _draw(rng)
    direction, step = rng.normal(size=x.shape), 1e-5
    q_k_v = ([moved @ w for w in matrices] for moved in (x + step * direction, x - step * direction))
    ahead, behind = (F.scaled_dot_product_attention(*each)[0] for each in q_k_v)
    slope = ((ahead - behind) * d_output).sum() / (2 * step)
    got = np.sum(np.asarray(answer(d_output, x, *matrices)) * direction)
    # Rounded, since the last digits of a difference are noise, and a report shows what was expected.
    expect_close(got, slope.round(6), "slope of the loss along a direction", rtol=1e-6, atol=1e-6)


_BROKEN = Code(
    """
def self_attention_backward(d_output, x, w_q, w_k, w_v):
    scale = 1 / np.sqrt(w_q.shape[-1])
    q, k, v = x @ w_q, x @ w_k, x @ w_v  # (T, d) each
    weights = F.softmax(scale * q @ k.T)  # (T, T)
    d_scores = F.softmax_backward(weights, d_output @ v.T)
    d_x = scale * d_scores @ k @ w_q.T
    d_x += scale * d_scores @ q @ w_k.T
    d_x += weights.T @ d_output @ w_v.T
    return d_x
""",
    np=np,
    F=F,
)
_QUERIES = "d_x = scale * d_scores @ k @ w_q.T"
_KEYS = "d_x += scale * d_scores @ q @ w_k.T"
_VALUES = "d_x += weights.T @ d_output @ w_v.T"
_FIXED = _BROKEN.replace_line(_KEYS, "d_x += scale * d_scores.T @ q @ w_k.T")

EXERCISE = Diagnose(
    id="attention_backward.d_x",
    title="The shapes say nothing",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy, `F.softmax` and `F.softmax_backward`",
    laws=(
        Law("one token", _one_token),
        Law("queries and keys of zero", _no_keys),
        Law("the slope of the loss in any direction", _slope),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The gradient of a key is a sum over the queries that saw it, so over the rows of the scores: the scores must "
        "be transposed. In self-attention they are square, and no shape complains."
    ),
    innocent={
        "scale = 1 / np.sqrt(w_q.shape[-1])": "This is the factor of the scores; a query has d_k numbers.",
        "q, k, v = x @ w_q, x @ w_k, x @ w_v  # (T, d) each": "These are the three projections of the forward pass.",
        "weights = F.softmax(scale * q @ k.T)  # (T, T)": "These are the weights of the forward pass, row by row.",
        "d_scores = F.softmax_backward(weights, d_output @ v.T)": (
            "The gradient of the weights goes back through the softmax. Rows are queries, as in the scores."
        ),
        _QUERIES: "A query collects the keys that it saw, along its row, and goes back through its own matrix.",
        _VALUES: "A value collects from the queries that used it, down its column: hence the transposed weights.",
        "return d_x": "Three ways lead from the tokens to the output, and their three gradients were added.",
    },
    wrong_answers={
        "gives keys the gradient of queries": _BROKEN.replace_line(_KEYS, "d_x += scale * d_scores @ k @ w_k.T"),
        "sends the keys back through the other matrix": _BROKEN.replace_line(
            _KEYS, "d_x += scale * d_scores.T @ q @ w_q.T"
        ),
        "makes the scores symmetric": _BROKEN.replace_line(
            _KEYS, "d_x += scale * (d_scores + d_scores.T) / 2 @ q @ w_k.T"
        ),
        "forgets the factor": _BROKEN.replace_line(_KEYS, "d_x += d_scores.T @ q @ w_k.T"),
        "overwrites what the queries gave": _BROKEN.replace_line(_KEYS, "d_x = scale * d_scores.T @ q @ w_k.T"),
        "leaves the keys out": _BROKEN.replace_line(_KEYS, "pass"),
        "transposes for the queries too": _FIXED.replace_line(_QUERIES, "d_x = scale * d_scores.T @ k @ w_q.T"),
        "uses the weights as they are": _FIXED.replace_line(_VALUES, "d_x += weights @ d_output @ w_v.T"),
        "scales the values too": _FIXED.replace_line(_VALUES, "d_x += scale * weights.T @ d_output @ w_v.T"),
    },
)
