"""The exercises on other attention scores, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, instead

chapter = Chapter("attention_scores", np=np)

N_KEYS = 1000


@chapter.predict(
    "A factor for a thousand keys · easy · 2 points · 10 minutes · may use a pocket calculator",
    "factor",
    right=np.log(999) / 2,
    wrong={
        "The others have the cosine −1, so the best score is ahead by twice the factor.": np.log(999),
        "The difference is twice the factor, so the logarithm is divided by 2, not multiplied.": 2 * np.log(999),
        "This is the factor for a weight of 0.9. One half needs odds of 1 to 1.": np.log(9 * 999) / 2,
        "The exponential is that of base e, so the natural logarithm is needed.": np.log10(999) / 2,
        "This divides the 999 other keys by 2. The weights grow with an exponential, so a logarithm is needed.": 499.5,
    },
)
def factor(rng):
    """Halve an interval until the best key has a weight of one half."""
    low, high = 0.0, 100.0
    cosines = np.append(1.0, -np.ones(N_KEYS - 1))
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if F.softmax(middle * cosines)[0] > 0.5 else (middle, high)
    return low


W = np.array([4.0, -4.0])


def _bump(shift, width):
    first = np.array([[1.0, 1.0]])
    return -first / width, first / width, np.array([(width - shift) / width, -(width + shift) / width]), W


def _scores(network, q, k):
    """Return the scores of all keys for all queries, (T, S), by the network that an answer returned."""
    u_q, u_k, bias, w = expect_tuple(network, 4)
    for name, array, shape in (("U_q", u_q, (1, 2)), ("U_k", u_k, (1, 2)), ("b", bias, (2,)), ("w", w, (2,))):
        assert array.shape == shape, f"{name}: expected shape {shape}, got shape {array.shape}"
    return np.tanh((q[:, None] @ u_q)[:, None] + k[:, None] @ u_k + bias) @ w


@chapter.write(
    "A wider bump elsewhere · medium · 3 points · 15 minutes · may use NumPy",
    entry="bump",
    right=_bump,
    wrong={
        "moves the peak to the other side": lambda s, w: _bump(-s, w),
        "shifts by the number itself, whatever the width": lambda s, w: _bump(s * w, w),
        "makes the bump narrower": lambda s, w: _bump(s / w**2, 1 / w),
        "does not change the width": lambda s, w: _bump(s, 1),
        "does not shift": lambda s, w: _bump(0, w),
        "divides the biases by the width as well": lambda s, w: (
            *_bump(s, w)[:2],
            (np.array([1.0, -1.0]) - s) / w,
            W,
        ),
        "leaves the query undivided": lambda s, w: (-np.ones((1, 2)), *_bump(s, w)[1:]),
        "multiplies the height by the width": lambda s, w: (*_bump(s, w)[:3], W * w),
        "forgets the minus of the query": lambda s, w: (_bump(s, w)[1], *_bump(s, w)[1:]),
        "gives vectors for the matrices": lambda s, w: tuple(np.ravel(array) for array in _bump(s, w)),
    },
)
class bump:
    def the_bump_of_the_text(self, answer, rng):
        got = _scores(answer(0.0, 1.0), np.array([1.0]), np.arange(4.0))
        expect_close(got.round(2), [[3.86, 6.09, 3.86, 0.93]], "scores of the keys 0 to 3 for q = 1")

    def the_peak_is_shifted(self, answer, rng):
        shift = float(rng.uniform(1, 3))
        q = rng.normal(size=3)
        got = np.diag(_scores(answer(shift, 1.0), q, q + shift))
        expect_close(got, np.full(3, 8 * np.tanh(1)), f"scores at k = q + {shift:.2f}", rtol=1e-7)

    def the_bump_is_wider_but_as_high(self, answer, rng):
        x = np.linspace(-4, 4, 9)
        got = _scores(answer(0.0, 2.0), np.array([1.0]), 1 + 2 * x)
        expect_close(got[0], 4 * (np.tanh(x + 1) - np.tanh(x - 1)), "twice as wide, scores at k = q + 2x", rtol=1e-7)

    def random_shifts_and_widths(self, answer, rng):
        shift, width = float(rng.uniform(-3, 3)), float(rng.uniform(0.5, 3))
        q, k = rng.normal(size=4), rng.normal(size=5)
        x = (k - q[:, None] - shift) / width
        expected = 4 * (np.tanh(x + 1) - np.tanh(x - 1))
        got = _scores(answer(shift, width), q, k)
        expect_close(got, expected, f"scores with a shift of {shift:.2f} and a width of {width:.2f}", rtol=1e-7)


@chapter.diagnose(
    "Too many keys · medium · 3 points · 15 minutes · may use NumPy",
    """
def half_softmax(scores, mask):
    scores = np.where(mask, scores, np.float16(-np.inf))
?   Hidden keys get a score of minus infinity, which exists in float16, too. Their weight will be exactly 0.
    largest = scores.max(axis=-1, keepdims=True)
?   This is the largest score of each row. A maximum is not rounded, so no precision is lost here.
    largest = np.where(np.isfinite(largest), largest, np.float16(0))
?   In a row without keys the largest is minus infinity; with 0 in its place no nan can arise.
    exponentials = np.exp(scores - largest)
?   Every exponent is at most 0, so every exponential is at most 1, and none can overflow.
    total = exponentials.sum(axis=-1, keepdims=True)
!   total = exponentials.sum(axis=-1, keepdims=True, dtype=np.float32)
?   The sum has the precision of its terms, and the largest number in float16 is 65,504. With more keys of the same
?   score the sum is infinite, so it has to be computed in single precision.
    weights = exponentials / np.where(total == 0, 1, total)
?   With a right total this is right: it is the formula, and a row without keys is divided by 1.
    return weights.astype(np.float16)
?   The weights are between 0 and 1, and float16 holds them, with about three digits.
""",
    wrong={
        "sums over the queries": "total = exponentials.sum(axis=-2, keepdims=True, dtype=np.float32)",
        "sums over everything": "total = exponentials.sum(dtype=np.float32)",
        "cuts the sum off": "total = np.minimum(exponentials.sum(axis=-1, keepdims=True), np.float16(65504))",
        "takes the mean for the sum": "total = exponentials.mean(axis=-1, keepdims=True, dtype=np.float32)",
        "drops the axis": "total = exponentials.sum(axis=-1, dtype=np.float32)",
        "computes the exponential in single precision, not the sum": instead(
            4, "exponentials = np.exp((scores - largest).astype(np.float32)).astype(np.float16)"
        ),
        "returns single precision": also(7, "return weights.astype(np.float32)"),
        "masks with a large number": also(1, "scores = np.where(mask, scores, np.float16(-60_000))"),
        "gives hidden keys a score of 0": also(1, "scores = np.where(mask, scores, np.float16(0))"),
        "reads the mask the other way round": also(1, "scores = np.where(mask, np.float16(-np.inf), scores)"),
        "subtracts no maximum": also(4, "exponentials = np.exp(scores)"),
        "divides 0 by 0 in a row without keys": also(6, "weights = exponentials / total"),
    },
)
class half:
    def a_case_worked_by_hand(self, answer, rng):
        scores = np.log(np.array([[3.0, 1.0, 9.0]])).astype(np.float16)
        got = answer(scores, np.array([[True, True, False]]))
        expect_close(got, [[0.75, 0.25, 0.0]], "scores log 3, log 1 and a masked one", rtol=2e-3, atol=1e-4)

    def the_weights_are_in_half_precision(self, answer, rng):
        got = np.asarray(answer(rng.normal(size=(2, 3)).astype(np.float16), np.ones((2, 3), dtype=bool)))
        assert got.dtype == np.float16, f"expected float16, got {got.dtype}"

    def a_row_without_keys_gets_zeros(self, answer, rng):
        scores, mask = rng.normal(size=(2, 4)).astype(np.float16), np.ones((2, 4), dtype=bool)
        mask[1] = False
        expect_close(np.asarray(answer(scores, mask))[1], np.zeros(4), "weights of a row without keys")

    def the_largest_scores__with_leading_axes(self, answer, rng):
        scores = np.array([[[65504, 65504, -65504]], [[-65504, -65504, 0]]], dtype=np.float16)
        mask = np.array([[[True, True, True]], [[True, True, False]]])
        expected = [[[0.5, 0.5, 0.0]]] * 2
        expect_close(answer(scores, mask), expected, "scores of 65504 and −65504", rtol=2e-3, atol=1e-4)

    def random_scores_and_masks(self, answer, rng):
        scores, mask = rng.normal(size=(3, 5)).astype(np.float16), rng.random((3, 5)) < 0.6
        mask[:, 0] = True
        expected = F.softmax(np.where(mask, scores.astype(float), -np.inf))
        expect_close(answer(scores, mask), expected, "the softmax over the keys that may be seen", rtol=2e-3, atol=1e-4)

    def a_hundred_thousand_equal_keys(self, answer, rng):
        got = answer(np.zeros((1, 100_000), dtype=np.float16), np.ones((1, 100_000), dtype=bool))
        expected = np.full((1, 100_000), 1e-5)
        expect_close(got, expected, "weights of 100,000 equal keys", rtol=0.02)
