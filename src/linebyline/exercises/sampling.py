"""The exercises on sampling, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, spoiling

chapter = Chapter("sampling", np=np)


@chapter.predict(
    "Draw until it fits · easy · 1 point · 5 minutes · may use pen and paper",
    "draws on average",
    right=sum(n * 0.2 ** (n - 1) * 0.8 for n in range(1, 60)),
    wrong={
        "This is the probability that the first draw fits, but at least one draw is always made.": 0.8,
        "This counts the first draw and at most one more, but the second may fail, too.": 2 - 0.8,
        "This is how many draws it takes until one lies outside.": 1 / (1 - 0.8),
        "This is how many draws fail before one fits, but the one that fits is a draw, too.": 1 / 0.8 - 1,
        "Four draws in five fit at once, but the others take longer.": 1.0,
    },
)
def rejections(rng, draws=1_000_000):
    return draws / (rng.random(draws) < 0.8).sum()


@chapter.predict(
    "The test by hand · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("χ²", "probability to reach it"),
    within=0.03,
    right=(8 / 3, np.exp(-4 / 3)),
    wrong={
        "Each square is divided by the count that was expected.": (200.0, 0.0),
        "Divide by what was expected, not by what was counted.": (100 / 90 + 100 / 70, np.exp(-(10 / 9 + 10 / 7) / 2)),
        "The differences are squared, so they cannot cancel.": (-10 / 100 + 10 / 60, np.exp(-1 / 30)),
        "For three tokens a right sampler reaches x with the probability exp(-x/2).": (
            8 / 3,
            np.exp(-8 / 3),
        ),
        "This is the probability to stay below it.": (8 / 3, 1 - np.exp(-4 / 3)),
        "The expected counts are those of 200 draws, not of 100.": (1600 / 50 + 1600 / 30 + 400 / 20, 0.0),
    },
)
def chi_square(rng, p=(0.5, 0.3, 0.2)):
    """Compare the counts with those of many right samplers."""
    expected = 200 * np.array(p)

    def distance(counts):
        return ((counts - expected) ** 2 / expected).sum(axis=-1)

    # By chance χ² is sometimes exactly what was measured; an exponential needs no such ties.
    measured = distance(np.array([90, 70, 40]))
    return measured, (rng.exponential(2, size=1_000_000) > measured).mean()


@chapter.predict(
    "Too much noise · medium · 2 points · 10 minutes · may use pen and paper",
    "share of the first token",
    right=3 / 4,
    wrong={
        "The strength of the noise matters: with very much of it, the logits would not.": 0.9,
        "More noise makes the choice more random, not less.": 81 / 82,
        "Only noise without end would make both alike.": 0.5,
        "This is halfway between the softmax and an even choice; odds are not linear in the noise.": 0.7,
        "Probabilities are not divided by 2, logits are.": 0.45,
    },
)
def double_noise(rng):
    noise = -np.log(-np.log(rng.random((300_000, 2))))
    tokens = (np.log([0.9, 0.1]) + 2.0 * noise).argmax(axis=-1)
    return (tokens == 0).mean()


@chapter.diagnose(
    "A nucleus with the wrong tokens · medium · 3 points · 15 minutes · may use NumPy",
    """
def nucleus(p, threshold):
    order = np.argsort(-p)
?   The likeliest token comes first: order holds the token at each rank.
    likelier = np.insert(p[order].cumsum()[:-1], 0, 0.0)
?   This is the probability of all likelier tokens together, rank by rank: 0 for the first.
    inside = likelier < threshold
?   A token is needed as long as the likelier ones do not suffice. Their number is always right.
    return inside[order]
!   return inside[np.argsort(order)]
?   An index with order brings tokens into the order of ranks. Here ranks should become tokens again, which is
?   the opposite permutation. The two are the same if order only exchanges pairs.
""",
    wrong={
        "answers in the order of ranks": "return inside",
        "turns the ranks around": "return inside[order[::-1]]",
        "sorts the answer": "return np.sort(inside)[::-1]",
        "gives the tokens, not a boolean for each": "return order[inside]",
        "gives numbers for true and false": "return inside[np.argsort(order)].astype(int)",
        "wants the sum to exceed the threshold": also(3, "inside = likelier <= threshold"),
        "leaves out the token that crosses the threshold": also(2, "likelier = p[order].cumsum()"),
        "starts from the unlikely end": also(1, "order = np.argsort(p)"),
        "takes the tokens as they come": also(1, "order = np.arange(len(p))"),
        "compares each probability with the threshold": also(3, "inside = p[order] >= threshold"),
        "measures from the likeliest one, as min-p does": also(3, "inside = p[order] >= threshold * p.max()"),
    },
)
class nucleus:
    def two_cases_worked_by_hand(self, answer, rng):
        p = np.array([0.1, 0.4, 0.2, 0.3])
        expect_close(answer(p, 0.6), [False, True, False, True], ".1 .4 .2 .3, threshold .6")
        expect_close(answer(p, 0.75), [False, True, True, True], ".1 .4 .2 .3, threshold .75")

    def a_sum_that_meets_the_threshold_is_enough(self, answer, rng):
        p = np.array([0.25, 0.5, 0.125, 0.125])
        expect_close(answer(p, 0.75), [True, True, False, False], ".25 .5 .125 .125, threshold .75: met exactly")
        expect_close(answer(p, 0.5), [False, True, False, False], "and threshold .5")

    def the_fewest_tokens_that_reach_it(self, answer, rng):
        for _ in range(20):
            p, threshold = rng.dirichlet(np.full(11, 0.5)), rng.uniform(0.05, 0.95)
            keep = np.asarray(answer(p, threshold))
            expect_close(keep.dtype == bool and keep.shape == p.shape, True, "a boolean for each token")
            mass = p[keep].sum()
            if not keep.any() or mass < threshold or mass - p[keep].min() >= threshold:
                what = f"the fewest tokens that reach {threshold:.3f}"
                raise AssertionError(f"expected {what}, got {keep.sum()} with {mass:.3f} together")

    def the_likeliest_tokens(self, answer, rng):
        p = rng.dirichlet(np.ones(13))
        keep = np.asarray(answer(p, 0.6)).astype(bool)
        ordered = p[keep].min(initial=1) >= p[~keep].max(initial=0)
        expect_close(ordered, True, "no token outside is likelier than one inside")

    def never_empty(self, answer, rng):
        got = answer(np.array([0.2, 0.7, 0.1]), 0.01)
        expect_close(got, [False, True, False], "a tiny threshold keeps the likeliest")


def _top_p(z, p):
    order = np.argsort(-z, kind="stable")
    likelier = np.insert(np.cumsum(F.softmax(z)[order])[:-1], 0, 0.0)
    return np.where((likelier >= p)[np.argsort(order)], -np.inf, z)


def _min_p(z, ratio):
    q = F.softmax(z)
    return np.where(q < ratio * q.max(), -np.inf, z)


def _cutting(*steps, finish=F.softmax, min_p=_min_p):
    """An answer that takes these steps, in their order."""
    take = {"tau": np.divide, "k": lambda z, k: np.where(z < np.sort(z)[-k], -np.inf, z), "p": _top_p, "min_p": min_p}

    def cuts(z, tau, k, threshold, ratio):
        settings = {"tau": tau, "k": k, "p": threshold, "min_p": ratio}
        for step in steps:
            z = take[step](z, settings[step])
        return finish(z)

    return cuts


_cuts = _cutting("tau", "k", "p", "min_p")


def _beginning_of_the_ranks(logits, tau, k, threshold, ratio):
    order = np.argsort(-logits)
    p = F.softmax(logits[order[:k]] / tau)
    p = p[p.cumsum() - p < threshold]
    p = p[p >= ratio * p[0]]
    result = np.zeros(len(logits))
    result[order[: len(p)]] = p / p.sum()
    return result


FIVE = np.log([0.5, 0.25, 0.15, 0.07, 0.03])


@chapter.write(
    "All steps before a draw · hard · 6 points · 40 minutes · may use NumPy and the chapter's functions",
    right=_beginning_of_the_ranks,
    wrong={
        "takes the temperature last": _cutting("k", "p", "min_p", "tau"),
        "cuts by p before k": _cutting("tau", "p", "k", "min_p"),
        "multiplies by the temperature": lambda z, tau, *rest: _cuts(z, 1 / tau, *rest),
        "forgets to renormalize": lambda z, tau, *rest: np.where(_cuts(z, tau, *rest) > 0, F.softmax(z / tau), 0),
        "leaves min-p out": _cutting("tau", "k", "p"),
        "compares min-p with 1, not with the best": _cutting(
            "tau", "k", "p", "min_p", min_p=lambda z, ratio: np.where(F.softmax(z) < ratio, -np.inf, z)
        ),
        "gives logits": _cutting("tau", "k", "p", "min_p", finish=lambda z: z),
        "scales the caller's logits": spoiling(_cuts, 0),
    },
)
class cuts:
    def _expect_cut(self, answer, case, what):
        expect_close(answer(*case), _cuts(*case), what)

    def each_cut_alone__worked_by_hand(self, answer, rng):
        expect_close(answer(FIVE, 1.0, 3, 1.0, 1e-9), [5 / 9, 2.5 / 9, 1.5 / 9, 0, 0], ".5 .25 .15 .07 .03, k=3 only")
        expect_close(answer(FIVE, 1.0, 5, 0.7, 1e-9), [2 / 3, 1 / 3, 0, 0, 0], "p_top=.7 only")
        expect_close(answer(FIVE, 1.0, 5, 1.0, 0.4), [2 / 3, 1 / 3, 0, 0, 0], "p_min=.4 only")

    def neutral_settings_change_nothing(self, answer, rng):
        z = rng.normal(size=7)
        expect_close(answer(z, 1.0, 7, 1.0, 1e-9), F.softmax(z), "nothing cut: the softmax")
        expect_close(answer(z, 0.5, 7, 1.0, 1e-9), F.softmax(2 * z), "temperature .5 only")

    def temperature_first__then_k__then_p(self, answer, rng):
        self._expect_cut(answer, (FIVE, 2.0, 5, 0.8, 1e-9), "tau=2, then p_top=.8, keeps 4")
        expect_close(answer(FIVE, 1.0, 2, 0.6, 1e-9), [1, 0, 0, 0, 0], "k=2, then p_top=.6, keeps 1")

    def min_p_last(self, answer, rng):
        """min-p last"""
        z = np.log([0.4, 0.25, 0.2, 0.15])
        self._expect_cut(answer, (z, 0.5, 4, 1.0, 0.3), "tau=.5, then p_min=.3, keeps 2")
        self._expect_cut(answer, (z, 1.0, 4, 0.7, 0.6), "p_top=.7, then p_min=.6, keeps 2")

    def equal_to_the_steps_one_after_the_other(self, answer, rng):
        for _ in range(10):
            z, tau, k = 2 * rng.normal(size=13), float(rng.uniform(0.3, 2)), int(rng.integers(1, 14))
            case = z, tau, k, float(rng.uniform(0.1, 1)), 0.05
            self._expect_cut(answer, case, "13 random logits and a random setting")
