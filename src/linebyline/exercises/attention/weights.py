"""The first exercises on attention: scores, weights and averages."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, expect_close, expect_raises, instead, spoiling

chapter = Chapter("attention", np=np, F=F)


def _average(weights, values):
    if not weights.any():
        raise ValueError
    return weights @ values / weights.sum()


@chapter.write(
    "A weighted average · easy · 1 point · 5 minutes · may use NumPy",
    right=_average,
    wrong={
        "does not normalize": lambda w, v: w @ v,
        "divides by the number of values, not by the sum of the weights": lambda w, v: w @ v / len(w),
        "ignores the weights": lambda w, v: v.mean(axis=0),
        "takes the softmax of the weights": lambda w, v: F.softmax(w) @ v,
        "gives nan for weights that are all zero": lambda w, v: w @ v / w.sum(),
        "gives zeros for weights that are all zero": lambda w, v: w @ v / max(w.sum(), 1e-300),
        "averages over the wrong axis": lambda w, v: (w[:, None] * v).sum(axis=1) / w.sum(),
        "normalizes the caller's weights in place": spoiling(_average, 0),
    },
)
class weighted_average:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([1.0, 3.0]), np.array([[0.0, 4.0], [8.0, 0.0]]))
        expect_close(got, [6.0, 1.0], "weights [1, 3] of the values [0, 4] and [8, 0]")

    def only_the_proportions_of_the_weights_matter(self, answer, rng):
        weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
        got = answer(7 * weights, values)
        expect_close(got, answer(weights, values), "the same weights times 7 should change nothing")

    def equal_weights_give_the_mean(self, answer, rng):
        values = rng.normal(size=(7, 2))
        expect_close(answer(np.full(7, 0.3), values), values.mean(axis=0), "equal weights should give the mean")

    def a_weight_of_zero_leaves_its_value_out(self, answer, rng):
        weights, values = rng.uniform(0.1, 1, size=5), rng.normal(size=(5, 3))
        weights[2] = 0
        without = np.average(np.delete(values, 2, axis=0), axis=0, weights=np.delete(weights, 2))
        expect_close(answer(weights, values), without, "a value of weight 0 should not count")

    def weights_that_are_all_zero_are_refused(self, answer, rng):
        values = rng.normal(size=(3, 2))
        expect_raises(lambda: answer(np.zeros(3), values), ValueError, "weights that are all zero")


WEIGHTS = np.array([0.6, 0.3, 0.1])


@chapter.predict(
    "Twice the scores · easy · 1 point · 5 minutes · may use a calculator",
    ("weight that was 0.6", "weight that was 0.3", "weight that was 0.1"),
    within=0.1,
    right=(36 / 46, 9 / 46, 1 / 46),
    wrong={
        "The ratios are right; now the three must sum to one.": WEIGHTS**2,
        "Scores are doubled, not weights: weights still sum to one.": 2 * WEIGHTS,
        "Nothing would change if a constant were added to the scores. A factor changes their differences.": WEIGHTS,
        "This takes the weights for the scores.": F.softmax(2 * WEIGHTS),
        "This takes the square root of each ratio, as halved scores would.": WEIGHTS**0.5 / (WEIGHTS**0.5).sum(),
    },
)
def doubled(rng):
    return F.softmax(2 * (np.log(WEIGHTS) + rng.normal()))  # any constant will do


@chapter.predict(
    "How large is a score? · easy · 2 points · 5 minutes · may use pen and paper",
    "standard deviation of a raw score",
    within=0.05,
    right=2 * 2 * 64**0.5,
    wrong={
        "This is the variance: its square root has the size of a score.": 64 * 2**4,
        "Variances of independent terms add up, standard deviations do not.": 64 * 2**2,
        "One σ² is missing: a product takes one from the query and one from the key.": 64**0.5 * 2,
        "This would be right for components of variance one.": 64**0.5,
        "This is the spread after division by √d_k.": 2**2,
    },
)
def score_spread(rng):
    q, k = 2 * rng.normal(size=(2, 100_000, 64))  # (pairs, d_k) each
    return (q * k).sum(axis=-1).std()


@chapter.diagnose(
    "A softmax that loses a row · easy · 2 points · 10 minutes · may use NumPy",
    """
def softmax(z):
    shifted = z - z.max()
!   shifted = z - z.max(axis=-1, keepdims=True)
?   This is the maximum of the whole array. A row with all scores 746 or more below becomes exp(-746), which is 0 in
?   float64, and 0/0 is not a number. Each row needs its own maximum.
    exponentials = np.exp(shifted)
?   No score is above 0 here, so nothing overflows. It can only underflow, and the line before it is the reason.
    total = exponentials.sum(axis=-1, keepdims=True)
?   This is one sum a row, with an axis of length 1 that makes it fit the rows. A sum of 0 comes from above.
    return exponentials / total
?   The division is right. That both sides are 0 in some rows comes from above.
""",
    wrong={
        "does not shift, and lets exp overflow": "shifted = z",
        "clips the scores instead of shifting them": "shifted = np.clip(z, -50, 2)",
        "subtracts the mean of a row": "shifted = z - z.mean(axis=-1, keepdims=True)",
        "forgets keepdims": "shifted = z - z.max(axis=-1)",
        "takes the maximum of each column": "shifted = z - z.max(axis=0, keepdims=True)",
        "divides by the maximum": "shifted = z / z.max(axis=-1, keepdims=True)",
        "shifts the caller's scores in place": "shifted = np.subtract(z, z.max(axis=-1, keepdims=True), out=z)",
        "sums over the whole array": instead(3, "total = exponentials.sum()"),
        "puts 0 in the place of what is not a number": instead(4, "return np.nan_to_num(exponentials / total)"),
    },
)
class softmax:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer(np.log([1.0, 3.0, 4.0])), [0.125, 0.375, 0.5], "scores log 1, log 3, log 4")

    def weights_sum_to_one_over_the_last_axis(self, answer, rng):
        weights = answer(rng.normal(size=(2, 3, 5)))
        expect_close(np.sum(weights, axis=-1), np.ones((2, 3)), "sums over the last axis of scores (2, 3, 5)")

    def each_row_is_treated_on_its_own(self, answer, rng):
        z = rng.normal(size=(4, 4)) + 1000 * np.arange(4)[:, None]
        one_by_one = np.array([answer(row) for row in z])
        expect_close(answer(z), one_by_one, "rows with scores near 0, 1000, 2000 and 3000 against each row alone")

    def adding_a_constant_to_all_scores_changes_nothing(self, answer, rng):
        z = rng.normal(size=7)
        expect_close(answer(z + 3.0), answer(z), "adding 3 to every score should change nothing")

    def finite_for_scores_up_to(self, answer, rng):
        """finite for scores up to 10,000 either way"""
        got = answer(np.array([[1e4, 0.0, -1e4], [-1e4, -1e4, -1e4]]))
        expect_close(got, [[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]], "rows [1e4, 0, -1e4] and three times -1e4")


BIASES = ("that of the queries", "that of the keys", "that of the values", "none of them")


@chapter.pick(
    "A bias that does nothing · medium · 2 points · 10 minutes · may use pen and paper",
    "the bias that may be left out",
    BIASES,
    right="that of the keys",
    wrong={
        "Its product with a key is added to that key's score: to some keys more than to others.": BIASES[0],
        "The weights do not see the values, but their bias moves every output, as weights sum to one.": BIASES[2],
        "Write out the score with each bias: one of the new terms is the same for a whole row.": BIASES[3],
    },
)
def lost_bias(rng):
    """Add a random bias to queries, keys and values in turn, and see whether an output moves."""
    roles = rng.normal(size=(3, 5, 4))  # queries, keys, values: (T, d) each
    before, _ = F.scaled_dot_product_attention(*roles)
    biased = [roles + np.eye(3)[i, :, None, None] * rng.normal(size=4) for i in range(3)]
    lost = [np.allclose(F.scaled_dot_product_attention(*moved)[0], before) for moved in biased]
    return BIASES[lost.index(True)] if any(lost) else BIASES[-1]
