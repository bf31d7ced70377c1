"""The exercises on the gradients of attention, in the order of the chapter."""

from functools import partial

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close

chapter = Chapter("attention_backward", np=np, F=F)

WEIGHTS, D_WEIGHTS = np.array([0.7, 0.2, 0.1]), np.array([1.0, 1.0, 4.0])
MEAN = WEIGHTS @ D_WEIGHTS


@chapter.predict(
    "Which scores rise? · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("score of weight 0.7", "score of weight 0.2", "score of weight 0.1"),
    within=0.05,
    right=(-0.21, -0.06, 0.27),
    wrong={
        "These do not sum to zero: the row term is missing.": WEIGHTS * D_WEIGHTS,
        "The row term is an average by the weights, not the plain mean.": WEIGHTS * (D_WEIGHTS - D_WEIGHTS.mean()),
        "The row term is right; now each score moves in proportion to its weight.": D_WEIGHTS - MEAN,
        "This is the way downhill: the gradient points to where the loss grows.": WEIGHTS * (MEAN - D_WEIGHTS),
        "This is the Jacobian's diagonal alone: a score moves other weights, too.": WEIGHTS * (1 - WEIGHTS) * D_WEIGHTS,
    },
)
def score_gradient(rng, step=1e-5):
    """Move each score and watch the loss."""
    scores = np.log(WEIGHTS) + rng.normal()  # any constant will do
    moves = step * np.eye(3)
    ahead, behind = F.softmax(scores + moves), F.softmax(scores - moves)  # (score moved, weight) each
    return (ahead - behind) @ D_WEIGHTS / (2 * step)


def _draw_self_attention(rng, T=4):
    """Draw the gradient of the output, the tokens, and the three matrices."""
    return [rng.normal(size=shape) for shape in ((T, 2), (T, 5), (5, 3), (5, 3), (5, 2))]


@chapter.diagnose(
    "The shapes say nothing · medium · 3 points · 15 minutes · may use NumPy, `F.softmax` and `F.softmax_backward`",
    """
def self_attention_backward(d_output, x, w_q, w_k, w_v):
    scale = 1 / np.sqrt(w_q.shape[-1])
?   This is the factor of the scores; a query has d_k numbers.
    q, k, v = x @ w_q, x @ w_k, x @ w_v  # (T, d) each
?   These are the three projections of the forward pass.
    weights = F.softmax(scale * q @ k.T)  # (T, T)
?   These are the weights of the forward pass, row by row.
    d_scores = F.softmax_backward(weights, d_output @ v.T)
?   The gradient of the weights goes back through the softmax. Rows are queries, as in the scores.
    d_x = scale * d_scores @ k @ w_q.T
?   A query collects the keys that it saw, along its row, and goes back through its own matrix.
    d_x += scale * d_scores @ q @ w_k.T
!   d_x += scale * d_scores.T @ q @ w_k.T
?   The gradient of a key is a sum over the queries that saw it, so over the rows of the scores: the scores must
?   be transposed. In self-attention they are square, and no shape complains.
    d_x += weights.T @ d_output @ w_v.T
?   A value collects from the queries that used it, down its column: hence the transposed weights.
    return d_x
?   Three ways lead from the tokens to the output, and their three gradients were added.
""",
    wrong={
        "gives keys the gradient of queries": "d_x += scale * d_scores @ k @ w_k.T",
        "sends the keys back through the other matrix": "d_x += scale * d_scores.T @ q @ w_q.T",
        "makes the scores symmetric": "d_x += scale * (d_scores + d_scores.T) / 2 @ q @ w_k.T",
        "forgets the factor": "d_x += d_scores.T @ q @ w_k.T",
        "overwrites what the queries gave": "d_x = scale * d_scores.T @ q @ w_k.T",
        "leaves the keys out": "pass",
        "transposes for the queries too": also(5, "d_x = scale * d_scores.T @ k @ w_q.T"),
        "uses the weights as they are": also(7, "d_x += weights @ d_output @ w_v.T"),
        "scales the values too": also(7, "d_x += scale * weights.T @ d_output @ w_v.T"),
    },
)
class d_x:
    def one_token(self, answer, rng):
        d_output, x, w_q, w_k, w_v = _draw_self_attention(rng, T=1)
        expect_close(answer(d_output, x, w_q, w_k, w_v), d_output @ w_v.T, "one token, whose weight is always 1")

    def queries_and_keys_of_zero(self, answer, rng):
        d_output, x, w_q, w_k, w_v = _draw_self_attention(rng)
        expected = np.tile(d_output.mean(axis=0) @ w_v.T, (4, 1))
        expect_close(answer(d_output, x, 0 * w_q, 0 * w_k, w_v), expected, "queries and keys of 0, weights of 1/4")

    def the_slope_of_the_loss_in_any_direction(self, answer, rng):
        d_output, x, *matrices = _draw_self_attention(rng)
        direction, step = rng.normal(size=x.shape), 1e-5
        q_k_v = ([moved @ w for w in matrices] for moved in (x + step * direction, x - step * direction))
        ahead, behind = (F.scaled_dot_product_attention(*each)[0] for each in q_k_v)
        slope = ((ahead - behind) * d_output).sum() / (2 * step)
        got = np.sum(np.asarray(answer(d_output, x, *matrices)) * direction)
        # Rounded, since the last digits of a difference are noise, and a report shows what was expected.
        expect_close(got, slope.round(6), "slope of the loss along a direction", rtol=1e-6, atol=1e-6)


NAMES = ("d_queries", "d_keys", "d_values")


def _naive(q, k, v, mask):
    scores = np.where(mask, q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]), -np.inf)
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return None, weights / weights.sum(axis=-1, keepdims=True)


def _backward(
    d, q, k, v, mask, *, axis=-1, row=1.0, scale=0.5, cut=1, attend=F.scaled_dot_product_attention, turn=lambda x: x.mT
):
    """The right answer, or with a mistake; ``cut`` hides weights and gradients of scores at the end."""
    weights, d_weights = attend(q, k, v, mask)[1], d @ v.swapaxes(-1, -2)
    d_scores = cut * weights * (d_weights - row * (weights * d_weights).sum(axis=axis, keepdims=True))
    d_scores = d_scores / q.shape[-1] ** scale
    return d_scores @ k, turn(d_scores) @ q, turn(cut * weights) @ d


def _changing(change):
    """An answer that returns ``change(d_queries, d_keys, d_values)``."""
    return lambda *case: change(*_backward(*case))


@chapter.write(
    "The whole backward pass · hard · 8 points · 60 minutes · may use NumPy and `F.softmax`",
    entry="attention_backward",
    right=F.scaled_dot_product_attention_backward,
    wrong={
        "forgets the factor on the scores": partial(_backward, scale=0.0),
        "divides by d_k": partial(_backward, scale=1.0),
        "forgets the row term": partial(_backward, row=0.0),
        "sums the row term over the queries": partial(_backward, axis=-2),
        "ignores the mask": lambda d_output, q, k, v, mask: _backward(d_output, q, k, v, np.ones_like(mask)),
        "masks after the softmax": lambda d, q, k, v, mask: _backward(d, q, k, v, None, cut=mask),
        "divides 0 by 0 in a row that sees nothing": partial(_backward, attend=_naive),
        "transposes all axes": partial(_backward, turn=np.transpose),
        "swaps queries and keys": _changing(lambda d_q, d_k, d_v: (d_k, d_q, d_v)),
        "returns only the first": _changing(lambda d_q, d_k, d_v: d_q),
        "flips the sign for the keys": _changing(lambda d_q, d_k, d_v: (d_q, -d_k, d_v)),
    },
)
class backward:
    def _three(self, answer, *case):
        got = answer(*case)
        if not isinstance(got, tuple) or len(got) != 3:
            raise AssertionError(f"expected three arrays ({', '.join(NAMES)}), got {type(got).__name__}")
        return got

    def _expect_three(self, got, expected, what, **tolerances):
        for name, gradient, right in zip(NAMES, got, expected, strict=True):
            expect_close(gradient, right, f"{name}, {what}", **tolerances)

    def _expect_gradients(self, answer, case, what):
        self._expect_three(self._three(answer, *case), F.scaled_dot_product_attention_backward(*case), what)

    def _draw(self, rng, *batch, T=4, S=5):
        shapes = (*batch, T, 2), (*batch, T, 3), (*batch, S, 3), (*batch, S, 2)
        return [rng.normal(size=shape) for shape in shapes]

    def a_case_worked_by_hand(self, answer, rng):
        q, k, v = np.zeros((1, 1)), np.array([[2.0], [0.0]]), np.array([[4.0], [8.0]])
        got = self._three(answer, np.ones((1, 1)), q, k, v, np.ones((1, 2), dtype=bool))
        self._expect_three(got, ([[-2.0]], [[0.0], [0.0]], [[0.5], [0.5]]), "q = 0, k = [2 0], v = [4 8]")

    def the_slope_of_the_loss_in_q__k_and_v(self, answer, rng):
        d_output, *arrays = self._draw(rng)
        mask, step, slopes = np.ones((4, 5), dtype=bool), 1e-5, []
        gradients = self._three(answer, d_output, *arrays, mask)
        directions = [rng.normal(size=array.shape) for array in arrays]
        for i, direction in enumerate(directions):
            ends = []
            for sign in (1, -1):
                q, k, v = (a + sign * step * direction if j == i else a for j, a in enumerate(arrays))
                ends.append((F.scaled_dot_product_attention(q, k, v, mask)[0] * d_output).sum())
            slopes.append((ends[0] - ends[1]) / (2 * step))
        got = [np.sum(np.asarray(g) * d) for g, d in zip(gradients, directions, strict=True)]
        self._expect_three(got, slopes, "slope of the loss along a direction", rtol=1e-6, atol=1e-8)

    def the_causal_mask(self, answer, rng):
        self._expect_gradients(answer, (*self._draw(rng, S=4), F.causal_mask(4)), "causal mask")

    def any_leading_axes__and_padding(self, answer, rng):
        case = *self._draw(rng, 2, 3), F.padding_mask(np.array([[5], [2]]), 5)
        self._expect_gradients(answer, case, "(2, 3) heads, padded")

    def queries_that_see_nothing__keys_that_are_never_seen(self, answer, rng):
        case = *self._draw(rng), np.arange(4)[:, None] < np.array([[3, 2, 3, 0, 3]])
        self._expect_gradients(answer, case, "query 3 sees nothing, key 3 is never seen")
