"""The last exercises on attention: masks, and the way back through the softmax."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.attention.weights import chapter
from linebyline.exercises.core import also, expect_close, instead, peak_memory, spoiling


def _pair(result):
    right = isinstance(result, tuple) and len(result) == 2
    assert right, f"expected a pair (output, weights), got {type(result).__name__}"
    return result


def _draw(rng, *batch):
    """Draw q (..., 3, 2), k (..., 5, 2), v (..., 5, 7) and a mask that leaves every query a key."""
    q, k = rng.normal(size=(*batch, 3, 2)), rng.normal(size=(*batch, 5, 2))
    mask = rng.random(size=(*batch, 3, 5)) < 0.5
    mask[..., np.arange(3), np.arange(3)] = True
    return q, k, rng.normal(size=(*batch, 5, 7)), mask


@chapter.diagnose(
    "A mask that hides too little · medium · 3 points · 15 minutes · may use NumPy and `F.softmax`",
    """
def attention(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])  # (..., T, S)
?   This is the scaled score of each query with each key, for any leading axes.
    scores = np.where(mask, scores, 0)
!   scores = np.where(mask, scores, -np.inf)
?   A score of 0 is a score like any other: it becomes exp(0), which is more than many a key gets that may be seen.
?   Only minus infinity becomes a weight of 0.
    weights = F.softmax(scores)
?   The softmax of the package goes along the last axis, and gives zeros for a row of minus infinities.
?   Look at what it is given.
    output = weights @ v
?   This is the weighted average. With the right weights it is right.
    return output, weights
?   These are the two things that were asked for, in this order.
""",
    wrong={
        "multiplies the scores by the mask": "scores = scores * mask",
        "masks with -10, not -inf": "scores = np.where(mask, scores, -10)",
        "masks with -1e9, so that nothing to see becomes uniform": "scores = np.where(mask, scores, -1e9)",
        "reads the mask the other way round": "scores = np.where(mask, -np.inf, scores)",
        "masks with the smallest positive number": "scores = np.where(mask, scores, np.finfo(float).tiny)",
        "masks with nan": "scores = np.where(mask, scores, np.nan)",
        "masks in place, row by row, without broadcasting": "scores[~mask] = -np.inf",
        "leaves the masking out": "pass",
        "masks after the softmax": instead(3, "weights = F.softmax(scores) * mask"),
        "normalizes over the queries": also(3, "weights = F.softmax(scores, axis=-2)"),
        "does not scale any more": also(1, "scores = q @ k.swapaxes(-1, -2)"),
        "scales by the width of the values": also(1, "scores = q @ k.swapaxes(-1, -2) / np.sqrt(v.shape[-1])"),
        "opens the caller's mask where a row is empty": also(
            4, "mask |= ~mask.any(axis=-1, keepdims=True); output = weights @ v"
        ),
    },
)
class masked:
    def a_case_worked_by_hand(self, answer, rng):
        q, k = np.array([[2.0, 0, 0, 0]]), np.array([[np.log(3.0), 0, 0, 0], [0, 1.0, 0, 0], [9.0, 0, 0, 0]])
        output, weights = _pair(answer(q, k, np.array([[4.0], [8.0], [1.0]]), np.array([[True, True, False]])))
        expect_close(weights, [[0.75, 0.25, 0.0]], "weights of scores log 3, 0 and a masked one")
        expect_close(output, [[5.0]], "output for the values 4, 8 and a masked 1")

    def the_definition__with_leading_axes(self, answer, rng):
        inputs = _draw(rng, 2, 4)
        output, weights = _pair(answer(*inputs))
        right_output, right_weights = F.scaled_dot_product_attention(*inputs)
        expect_close(weights, right_weights, "weights, leading axes (2, 4)")
        expect_close(output, right_output, "output, leading axes (2, 4)")

    def one_mask_serves_a_whole_batch(self, answer, rng):
        q, k, v, mask = _draw(rng, 2)
        both = F.scaled_dot_product_attention(q, k, v, np.stack([mask[0], mask[0]]))[0]
        expect_close(_pair(answer(q, k, v, mask[0]))[0], both, "one (T, S) mask for a batch of 2")

    def masked_keys_get_weight_exactly_zero__the_rest_sums_to_one(self, answer, rng):
        q, k, v, mask = _draw(rng, 2)
        _, weights = _pair(answer(q, k, v, mask))
        hidden = np.asarray(weights)[~mask]
        expect_close(hidden, np.zeros(hidden.shape), "weights of masked keys", atol=0)
        expect_close(np.sum(weights, axis=-1), np.ones((2, 3)), "sums of the weights in a row")

    def a_query_that_may_see_nothing_gets_zeros(self, answer, rng):
        q, k, v, mask = _draw(rng, 2)
        mask[1, 2] = False
        output, weights = _pair(answer(q, k, v, mask))
        expect_close(np.asarray(weights)[1, 2], np.zeros(5), "weights of a query that may see nothing")
        expect_close(np.asarray(output)[1, 2], np.zeros(7), "output of a query that may see nothing")

    def large_scores_stay_finite(self, answer, rng):
        q, k, v, mask = _draw(rng)
        right, _ = F.scaled_dot_product_attention(1e4 * q, k, v, mask)
        expect_close(_pair(answer(1e4 * q, k, v, mask))[0], right, "output for scores of about 10,000")


def _vjp(weights, d_weights):
    return weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))


@chapter.write(
    "Back through the softmax · hard · 5 points · 30 minutes · may use NumPy",
    entry="softmax_vjp",
    right=_vjp,
    wrong={
        "keeps only the diagonal of the Jacobian": lambda w, d: w * (1 - w) * d,
        "forgets the row term": lambda w, d: w * d,
        "subtracts the plain sum": lambda w, d: w * (d - d.sum(axis=-1, keepdims=True)),
        "subtracts the plain mean": lambda w, d: w * (d - d.mean(axis=-1, keepdims=True)),
        "forgets the outer weights": lambda w, d: d - (w * d).sum(axis=-1, keepdims=True),
        "flips the sign": lambda w, d: w * ((w * d).sum(axis=-1, keepdims=True) - d),
        "sums over the whole array": lambda w, d: w * (d - (w * d).sum()),
        "forgets keepdims": lambda w, d: w * (d - (w * d).sum(axis=-1)),
        "builds the Jacobian": lambda w, d: np.vecmat(d, w[..., None] * (np.eye(w.shape[-1]) - w[..., None, :])),
        "changes the caller's gradient in place": spoiling(_vjp, 1),
    },
)
class softmax_jacobian:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([0.25, 0.75]), np.array([4.0, 0.0]))
        expect_close(got, [0.75, -0.75], "weights [1/4, 3/4], incoming gradient [4, 0]")

    def equal_to_finite_differences_of_the_softmax(self, answer, rng):
        z, d_weights, step = rng.normal(size=5), rng.normal(size=5), 1e-5
        shifts = step * np.eye(5)  # row i moves score i
        slopes = (F.softmax(z + shifts) - F.softmax(z - shifts)) @ d_weights / (2 * step)
        expect_close(answer(F.softmax(z), d_weights), slopes, "against finite differences", rtol=1e-6, atol=1e-8)

    def the_gradients_of_a_row_sum_to_zero(self, answer, rng):
        sums = np.sum(answer(F.softmax(rng.normal(size=(3, 5))), rng.normal(size=(3, 5))), axis=-1)
        expect_close(sums, np.zeros(3), "sums of the gradients of a row (moving all its scores changes nothing)")

    def each_row_is_treated_on_its_own(self, answer, rng):
        weights, d_weights = F.softmax(rng.normal(size=(2, 4, 4))), rng.normal(size=(2, 4, 4))
        pairs = zip(weights.reshape(8, 4), d_weights.reshape(8, 4), strict=True)
        one_by_one = np.array([answer(row, d_row) for row, d_row in pairs]).reshape(2, 4, 4)
        expect_close(answer(weights, d_weights), one_by_one, "a (2, 4, 4) array against its rows one by one")

    def the_n_x_n_Jacobian_is_never_built(self, answer, rng):
        n = 1500
        used = peak_memory(answer, F.softmax(rng.normal(size=n)), rng.normal(size=n)) / (8 * n)
        assert used < n / 4, f"n={n}: expected working memory for a few rows of n numbers, got {used:.0f} rows"
