"""The exercises on other attention scores, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, expect_close, expect_tuple

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
