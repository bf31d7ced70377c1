"""The exercises on temperature and penalties, in the order of the chapter."""

import numpy as np
import scipy.optimize
import torch

from clearformer import functional as F
from clearformer.decoding import pipeline
from linebyline.exercises.core import Chapter, also, expect_close

chapter = Chapter("temperature_and_penalties", np=np)


@chapter.predict(
    "A penalty in the cold · easy · 1 point · 5 minutes · may use a pocket calculator",
    "factor by which the odds fall",
    within=0.03,
    right=np.e**2,
    wrong={
        "This would be right if the temperature came first. Here the penalty is divided by it as well.": 2.718,
        "Dividing by one half is not the same as multiplying by one half.": 1.649,
        "This is by how much the difference of the logits falls. Odds are exponentials of it.": 2.0,
        "The penalty is taken off a logit, and odds are exponentials of logits.": 1.0,
        "The odds fall, so this is what remains of them; the factor by which they fall is its inverse.": 0.1353,
    },
)
def cold_penalty(rng):
    """Compare the odds of a token that came before, without the penalty and with it."""
    logits, came = torch.from_numpy(rng.normal(size=(1, 2))), torch.tensor([[0]])
    plain, lowered = (pipeline(presence=beta, tau=0.5)(logits, came).softmax(dim=-1)[0] for beta in (0.0, 1.0))
    return (plain[0] / plain[1]) / (lowered[0] / lowered[1])


def _penalized(logits, ids, alpha, beta):
    counts = np.bincount(ids, minlength=len(logits))  # (V,)
    return logits - alpha * counts - beta * (counts > 0)


@chapter.diagnose(
    "A penalty that forgets to count · easy · 2 points · 10 minutes · may use NumPy",
    """
def penalize(logits, ids, alpha, beta):
    lowered = logits.copy()
?   Without the copy the caller's logits would change.
    lowered[ids] -= alpha
!   np.subtract.at(lowered, ids, alpha)
?   NumPy reads all the entries, subtracts, and then writes them. A token that occurs in ids three times is
?   written three times, each time with the same number, and pays once.
    lowered[np.unique(ids)] -= beta
?   Each token that came is listed here once, and pays the presence penalty once, as it should.
    return lowered
?   These are the logits after both penalties.
""",
    wrong={
        "counts by the presence": "lowered[np.unique(ids)] -= alpha",
        "charges the frequency penalty to every token": "lowered -= alpha * len(ids)",
        "charges the number of the token": "lowered[ids] -= alpha * ids",
        "charges the number of all tokens to each that came": "lowered[ids] -= alpha * len(ids)",
        "adds in place of subtracting": "np.add.at(lowered, ids, alpha)",
        "charges the last token only": "lowered[ids[-1:]] -= alpha",
        "counts, but leaves the strength out": "lowered -= np.bincount(ids, minlength=len(logits))",
        "counts tokens up to the largest one only": "lowered -= alpha * np.bincount(ids)",
        "charges the presence penalty each time": also(3, "np.subtract.at(lowered, ids, beta)"),
        "charges the presence penalty to every token": also(3, "lowered -= beta"),
        "changes the caller's logits": also(1, "lowered = logits"),
    },
)
class penalize:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([5.0, 5.0, 5.0, 5.0]), np.array([0, 2, 0, 0]), 0.5, 1.0)
        expect_close(got, [2.5, 5, 3.5, 5], "four logits of 5, tokens 0, 2, 0, 0, alpha=0.5, beta=1")

    def equal_on_random_tokens(self, answer, rng):
        case = rng.normal(size=11), rng.integers(0, 8, size=30), 0.3, 0.9
        expect_close(answer(*case), _penalized(*case), "11 logits, 30 tokens")

    def one_occurrence_both_penalties_alike(self, answer, rng):
        """one occurrence: both penalties alike"""
        logits, ids = rng.normal(size=7), rng.permutation(7)[:3]
        what = "each token once: alpha=0.7 and beta=0.7 should do the same"
        frequency, presence = answer(logits, ids, 0.7, 0.0), answer(logits, ids, 0.0, 0.7)
        expect_close(frequency, _penalized(logits, ids, 0.7, 0), f"{what}, alpha alone")
        expect_close(presence, frequency, f"{what}, beta alone")

    def nothing_came_before(self, answer, rng):
        logits = rng.normal(size=5)
        expect_close(answer(logits, np.array([], dtype=np.int64), 1.0, 1.0), logits, "no token came before")


def _repetition_penalty(logits, ids, rho):
    """The usual one, which depends on where the logits have their zero."""
    result, seen = logits.copy(), np.unique(ids)
    result[seen] = np.where(result[seen] < 0, result[seen] * rho, result[seen] / rho)
    return result


def _measured_from(zero):
    """An answer that subtracts ``zero(logits)`` before the usual penalty."""
    return lambda logits, ids, rho: _repetition_penalty(logits - zero(logits), ids, rho)


def _multiplies_log_p(logits, ids, rho):
    p = F.softmax(logits)
    return np.log(p) * np.where(np.isin(np.arange(len(p)), ids), rho, 1)


@chapter.write(
    "A repetition penalty without a zero · medium · 3 points · 15 minutes · may use NumPy and `F.log_softmax`",
    right=_multiplies_log_p,
    wrong={
        "uses the logits as they are": _repetition_penalty,
        "measures from the largest logit": _measured_from(np.max),
        "measures from the mean": _measured_from(np.mean),
        "divides log-probabilities by rho": lambda z, ids, rho: _measured_from(np.logaddexp.reduce)(z, ids, 1 / rho),
        "punishes every token": lambda z, ids, rho: rho * F.log_softmax(z),
        "multiplies probabilities by rho": lambda z, ids, rho: np.log(_repetition_penalty(F.softmax(z), ids, 1 / rho)),
    },
)
class shift_free:
    def _expect_powers(self, answer, logits, ids, what):
        p = F.softmax(logits)
        p[np.unique(ids)] **= 1.3
        expect_close(F.softmax(answer(logits, ids, 1.3)), p / p.sum(), f"{what}, probabilities")

    def a_case_worked_by_hand(self, answer, rng):
        got = F.softmax(answer(np.log([0.5, 0.25, 0.25]), np.array([0]), 2.0))
        expect_close(got, np.full(3, 1 / 3), "p = 1/2, 1/4, 1/4, token 0 came, rho=2, probabilities")

    def probabilities_of_tokens_that_came_are_raised_to_the_power_rho(self, answer, rng):
        self._expect_powers(answer, rng.normal(size=7), rng.integers(0, 7, size=4), "7 logits, rho=1.3")

    def a_constant_added_to_the_logits_changes_nothing(self, answer, rng):
        logits = rng.normal(size=5)
        for shift in (5.0, -5.0):
            self._expect_powers(answer, logits + shift, np.array([1, 4, 1]), f"5 logits {shift:+.0f}")

    def the_likeliest_token__used_alone__pays(self, answer, rng):
        logits = np.array([3.0, 2.0, 0.0])
        before, after = F.softmax(logits)[0], F.softmax(answer(logits, np.array([0]), 1.5))[0]
        if not after < before - 1e-3:
            raise AssertionError(f"the likeliest token came before: expected less than {before:.4f}, got {after:.4f}")


def _entropy(logits, tau):
    log_p = F.log_softmax(logits / tau)
    return -(np.exp(log_p) * log_p).sum()  # nats


def _find_root(logits, target):
    found = scipy.optimize.brentq(lambda log_tau: _entropy(logits, np.exp(log_tau)) - target, -20, 20, xtol=1e-12)
    return np.exp(found)


def _bisecting(low=1e-6, high=1e9, entropy=_entropy, steps=200):
    """An answer that halves the interval of temperatures, on a logarithmic scale."""

    def find_temperature(logits, target):
        a, b = low, high
        for _ in range(steps):
            middle = (a * b) ** 0.5
            a, b = (middle, b) if entropy(logits, middle) < target else (a, middle)
        return (a * b) ** 0.5

    return find_temperature


@chapter.write(
    "A temperature for an entropy · hard · 4 points · 25 minutes · may use NumPy and the chapter's `entropy`",
    right=_find_root,
    wrong={
        "searches between 0.1 and 10 only": _bisecting(0.1, 10.0),
        "stops after ten halvings": _bisecting(steps=10),
        "measures the entropy in bits": _bisecting(entropy=lambda z, tau: _entropy(z, tau) / np.log(2)),
        "bisects the wrong way": lambda z, target: _bisecting(entropy=lambda z, tau: -_entropy(z, tau))(z, -target),
        "scales in proportion": lambda z, target: target / _entropy(z, 1.0),
        "returns 1 / tau": lambda z, target: 1 / _bisecting()(z, target),
    },
)
class find_temperature:
    def _expect_entropy(self, answer, logits, target, what):
        tau = answer(logits, target)
        expect_close(tau > 0, True, f"{what}, tau above 0")
        expect_close(_entropy(logits, float(tau)), target, f"{what}, entropy at the tau found", rtol=1e-6, atol=1e-7)

    def a_case_worked_by_hand(self, answer, rng):
        # Probabilities 3/4 and 1/4 are a difference of ln 3.
        tau = answer(np.array([0.0, np.log(9.0)]), -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)))
        expect_close(tau, 2.0, "logits 0 and 2 ln 3, p = 1/4, 3/4", rtol=1e-5)

    def random_logits_and_targets(self, answer, rng):
        for _ in range(5):
            self._expect_entropy(answer, 3 * rng.normal(size=11), rng.uniform(0.3, 2.2), "11 logits")

    def almost_certain_and_almost_even(self, answer, rng):
        logits = np.array([3.0, 1.0, 0.0, -1.0])
        self._expect_entropy(answer, logits, 1e-3, "logits 3, 1, 0, -1, target 0.001")
        self._expect_entropy(answer, logits, np.log(4) - 1e-4, "logits 3, 1, 0, -1, target ln 4 - 0.0001")

    def large_logits(self, answer, rng):
        self._expect_entropy(answer, 1000 * rng.normal(size=5), 1.0, "5 logits of about 1000")
