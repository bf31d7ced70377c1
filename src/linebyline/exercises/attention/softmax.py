"""attention.softmax: z (..., n) -> (..., n), of which one line is at fault."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _softmax_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.log([1.0, 3.0, 4.0]))
    expect_close(got, [0.125, 0.375, 0.5], "scores log 1, log 3, log 4")


def _softmax_sums(answer: Answer, rng: Rng) -> None:
    weights = answer(rng.normal(size=(2, 3, 5)))
    expect_close(np.sum(weights, axis=-1), np.ones((2, 3)), "sums over the last axis of scores (2, 3, 5)")


def _softmax_rows(answer: Answer, rng: Rng) -> None:
    z = rng.normal(size=(4, 4)) + 1000 * np.arange(4)[:, None]
    one_by_one = np.array([answer(row) for row in z])
    expect_close(answer(z), one_by_one, "rows with scores near 0, 1000, 2000 and 3000 against each row alone")


def _softmax_shift(answer: Answer, rng: Rng) -> None:
    z = rng.normal(size=7)
    expect_close(answer(z + 3.0), answer(z), "adding 3 to every score should change nothing")


def _softmax_large(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([[1e4, 0.0, -1e4], [-1e4, -1e4, -1e4]]))
    expect_close(got, [[1.0, 0.0, 0.0], [1 / 3, 1 / 3, 1 / 3]], "rows [1e4, 0, -1e4] and three times -1e4")


_SHIFT = "shifted = z - z.max()"
_SUM = "total = exponentials.sum(axis=-1, keepdims=True)"
_BROKEN = Code(
    """
def softmax(z):
    shifted = z - z.max()
    exponentials = np.exp(shifted)
    total = exponentials.sum(axis=-1, keepdims=True)
    return exponentials / total
""",
    np=np,
)

EXERCISE = Diagnose(
    id="attention.softmax",
    title="A softmax that loses a row",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _softmax_by_hand),
        Law("weights sum to one over the last axis", _softmax_sums),
        Law("each row is treated on its own", _softmax_rows),
        Law("adding a constant to all scores changes nothing", _softmax_shift),
        Law("finite for scores up to 10,000 either way", _softmax_large),
    ),
    broken=_BROKEN,
    mended=_BROKEN.mend(_SHIFT, "shifted = z - z.max(axis=-1, keepdims=True)"),
    why=(
        "This is the maximum of the whole array. A row that lies 746 or more below it becomes exp(-746), which is 0 in "
        "float64, and 0/0 is not a number. Each row needs its own maximum."
    ),
    innocent={
        "exponentials = np.exp(shifted)": (
            "No score is above 0 here, so nothing overflows. It can only underflow, and why it does stands before it."
        ),
        _SUM: (
            "This is one sum a row, with an axis of length 1 that makes it fit the rows. A sum of 0 comes from above."
        ),
        "return exponentials / total": "The division is right. That both sides are 0 in some rows comes from above.",
    },
    wrong_answers={
        "does not shift, and lets exp overflow": _BROKEN.mend(_SHIFT, "shifted = z"),
        "clips the scores instead of shifting them": _BROKEN.mend(_SHIFT, "shifted = np.clip(z, -50, 2)"),
        "subtracts the mean of a row": _BROKEN.mend(_SHIFT, "shifted = z - z.mean(axis=-1, keepdims=True)"),
        "forgets keepdims": _BROKEN.mend(_SHIFT, "shifted = z - z.max(axis=-1)"),
        "takes the maximum of each column": _BROKEN.mend(_SHIFT, "shifted = z - z.max(axis=0, keepdims=True)"),
        "divides by the maximum": _BROKEN.mend(_SHIFT, "shifted = z / z.max(axis=-1, keepdims=True)"),
        "shifts the caller's scores in place": _BROKEN.mend(
            _SHIFT, "shifted = np.subtract(z, z.max(axis=-1, keepdims=True), out=z)"
        ),
        "sums over the whole array": _BROKEN.mend(
            "total = exponentials.sum(axis=-1, keepdims=True)", "total = exponentials.sum()"
        ),
        "puts 0 in the place of what is not a number": _BROKEN.mend(
            "return exponentials / total", "return np.nan_to_num(exponentials / total)"
        ),
    },
)
