"""The exercises on evaluation, in the order of the chapter."""

import math

import numpy as np

from linebyline.exercises.core import Chapter, also, expect_close, expect_tuple, spoiling

chapter = Chapter("evaluation", np=np)

N_DIFFER, LEVEL = 10, 0.05  # questions on which two models differ, and what a sign test must stay below
N_SECRETS, BITS = 10**6, 10  # secrets of six digits, and an exposure


def _sign_test(most: int, n: int) -> float:
    """Compute how likely it is that at least so many of n fair coins fall on one side."""
    return 2.0 * sum(math.comb(n, i) for i in range(most, n + 1)) / float(2**n)


@chapter.predict(
    "A coin and a secret · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("questions that must favor one model", "rank of the secret"),
    right=(9, N_SECRETS / 2**BITS),
    wrong={
        "The rank is right. At least eight of ten on either side have the probability 2 · 56 / 1024 = 0.11.": (
            8,
            N_SECRETS / 2**BITS,
        ),
        "The rank is right. Nine of ten are enough: on either side it is 2 · 11 / 1024 = 0.02.": (
            10,
            N_SECRETS / 2**BITS,
        ),
        "The coin is right. This is the rank among 10,000; six digits make a million.": (9, 10**4 / 2**BITS),
        "The coin is right. Bits are powers of 2, and not of e.": (9, N_SECRETS / math.exp(BITS)),
        "The coin is right. Each bit halves the rank, so ten bits divide it by 1,024, and not by 10.": (
            9,
            N_SECRETS / BITS,
        ),
    },
)
def questions(rng):
    most = next(k for k in range(N_DIFFER // 2, N_DIFFER + 1) if _sign_test(k, N_DIFFER) < LEVEL)
    return most, N_SECRETS / 2**BITS


def _picks(log_probs, neutral):
    sums = np.array([np.sum(each) for each in log_probs])
    means = np.array([np.mean(each) for each in log_probs])
    gains = sums - [np.sum(each) for each in neutral]
    return int(sums.argmax()), int(means.argmax()), int(gains.argmax())


def _changed(sums=np.sum, means=np.mean, sign=-1, pick=np.argmax):
    def picks(log_probs, neutral):
        totals = np.array([sums(each) for each in log_probs])
        gains = totals + sign * np.array([sums(each) for each in neutral])
        return int(pick(totals)), int(pick([means(each) for each in log_probs])), int(pick(gains))

    return picks


@chapter.write(
    "Three ways to choose · medium · 3 points · 15 minutes · may use NumPy",
    right=_picks,
    wrong={
        "chooses the least likely": _changed(pick=np.argmin),
        "adds the neutral scores": _changed(sign=1),
        "ignores the neutral scores": _changed(sign=0),
        "divides by the square root of the length": _changed(means=lambda each: np.sum(each) / len(each) ** 0.5),
        "takes the mean for both": _changed(sums=np.mean),
        "takes the sum for both": _changed(means=np.sum),
        "takes the last token only": _changed(sums=lambda each: each[-1]),
        "has them the wrong way round": lambda log_probs, neutral: _picks(log_probs, neutral)[::-1],
        "changes its input": spoiling(_picks, 0),
    },
)
class picks:
    def a_case_worked_by_hand(self, answer, rng):
        log_probs = [np.array([-1.0, -1.0]), np.array([-0.6, -0.6, -0.9]), np.array([-2.0, -2.0])]
        neutral = [np.array([-1.0, -1.0]), np.array([-0.6, -0.6, -0.9]), np.array([-4.0, -4.0])]
        expected = (0, 1, 2)
        expect_close(expect_tuple(answer(log_probs, neutral), 3), expected, "three options: sums -2, -2.1 and -4")

    def options_of_one_length_have_the_same_sum_and_mean(self, answer, rng):
        log_probs = [-rng.exponential(size=4) for _ in range(5)]
        by_sum, by_mean, _ = expect_tuple(answer(log_probs, log_probs), 3)
        expect_close(by_mean, by_sum, "the choice by the mean, for options of four tokens each, as by the sum")

    def many_options_are_as_the_definitions_say(self, answer, rng):
        for _ in range(20):
            lengths = rng.integers(1, 7, 4)
            log_probs, neutral = ([-rng.exponential(size=n) for n in lengths] for _ in range(2))
            expect_close(expect_tuple(answer(log_probs, neutral), 3), _picks(log_probs, neutral), f"lengths {lengths}")


@chapter.diagnose(
    "An interval that is too wide · medium · 3 points · 15 minutes · may use NumPy",
    """
def paired_interval(first, second, chosen):
    of_first = first[chosen].mean(axis=1)
?   Row by row, this is the first model's score on the items that were drawn.
    of_second = second[chosen[::-1]].mean(axis=1)
!   of_second = second[chosen].mean(axis=1)
?   The second model is scored on the items of another row, so what both find hard does not cancel.
    differences = of_first - of_second
?   One difference for each time that the items were drawn.
    return np.quantile(differences, [0.025, 0.975])
?   The middle 95 percent of the differences.
""",
    wrong={
        "reverses the items within a row": "of_second = second[chosen[:, ::-1] - 1].mean(axis=1)",
        "scores the second on all items": "of_second = second.mean() * np.ones(len(chosen))",
        "moves the rows by one": "of_second = second[np.roll(chosen, 1, axis=0)].mean(axis=1)",
        "scores the first model twice": "of_second = first[chosen].mean(axis=1)",
        "takes the sum": "of_second = second[chosen].sum(axis=1)",
        "takes the absolute difference": also(3, "differences = np.abs(of_first - of_second)"),
        "has the wrong sign": also(3, "differences = of_second - of_first"),
        "gives 90 percent": also(4, "return np.quantile(differences, [0.05, 0.95])"),
    },
)
class paired_interval:
    def a_case_worked_by_hand(self, answer, rng):
        first, second = np.array([1.0, 0.0]), np.array([1.0, 0.0])
        chosen = np.array([[0, 0], [0, 1], [1, 1]])
        expect_close(answer(first, second, chosen), [0, 0], "two models that agree on both items")

    def a_model_that_is_better_by_a_constant(self, answer, rng):
        second = rng.normal(size=30)
        chosen = rng.integers(30, size=(200, 30))
        expect_close(answer(second + 0.5, second, chosen), [0.5, 0.5], "every item better by 0.5", rtol=1e-6)

    def a_rival_that_is_never_right(self, answer, rng):
        first, chosen = np.arange(30) / 30, np.random.default_rng(1).integers(30, size=(200, 30))
        expected = np.quantile(first[chosen].mean(axis=1), [0.025, 0.975])
        expect_close(answer(first, np.zeros(30), chosen), expected, "the second model has 0 on every item", atol=1e-9)

    def it_is_the_interval_of_the_differences(self, answer, rng):
        fixed = np.random.default_rng(0)
        first = (np.arange(40) < 28).astype(float)  # most items are right, or wrong, for both
        second = np.where(np.arange(40) % 10 == 0, 1 - first, first)
        chosen = fixed.integers(40, size=(300, 40))
        expected = np.quantile((first - second)[chosen].mean(axis=1), [0.025, 0.975])
        expect_close(answer(first, second, chosen), expected, "40 items, drawn 300 times", atol=1e-9)
