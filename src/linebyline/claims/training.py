"""Claims on training: the optimizer, and how sure its first steps are."""

import numpy as np

from clearformer import functional as F
from linebyline.claims.declare import claim, depends

N_WORDS, STEPS = 1000, 30
RATES = 10.0 ** np.arange(-2, 4, 0.02)


@claim("003", "early-variance", "Adam has a high or unbounded variance at the beginning.")
@depends("The variance of 1/√v̂ is infinite in the first two steps if gradients are normal around 0, and finite later.")
def _adam_variance() -> str:
    rng = np.random.default_rng(0)
    variances = []
    for draws in (1_000, 1_000_000):
        squares = rng.normal(size=(5, draws)) ** 2
        variances.append([(1 / np.sqrt(squares[:steps].mean(axis=0))).var() for steps in (1, 5)])
    first, fifth = np.transpose(variances)
    grows = "more than 100" if first[1] > 100 * first[0] else "less than 100"
    return f"variance of 1/√v̂, a million draws over a thousand: step 1 {grows} times; at step 5 it is {fifth[1]:.1f}"


@claim("003", "early-variance", "That variance is a reason why training from scratch is difficult.")
@depends("Not by long steps: the first has the size of the rate. But it goes by the signs of one batch.")
def _adam_variance_is_a_reason() -> str:
    rng = np.random.default_rng(0)
    gradients, zeros = 10 ** rng.uniform(-3, 3, size=10_000) * rng.choice([-1, 1], size=10_000), np.zeros(10_000)
    rates = {"lr": 1.0, "beta_1": 0.9, "beta_2": 0.999, "eps": 1e-8}
    steps = np.abs(F.adam_step(zeros, gradients, zeros, zeros, 1, **rates)[0])
    return f"first steps of 10,000 gradients of 0.001 to 1000: {steps.min():.3f} to {steps.max():.3f} times the rate"


def _left(adam: bool, frequencies: np.ndarray) -> float:
    """The fraction of the loss that is left after learning what follows each word, at the best of many rates.

    One of two things follows a word, the first in nine cases of ten. Gradients are proportional to frequencies.
    """
    wanted, left = 0.9, []

    def excess(w: np.ndarray) -> float:
        p = 1 / (1 + np.exp(-w))
        return float(frequencies @ (wanted * np.log(wanted / p) + (1 - wanted) * np.log((1 - wanted) / (1 - p))))

    for lr in RATES:
        w, m, v = np.zeros((3, len(frequencies)))
        for step in range(1, STEPS + 1):
            g = frequencies * (1 / (1 + np.exp(-w)) - wanted)
            if adam:
                w, m, v = F.adam_step(w, g, m, v, step, lr=lr, beta_1=0.9, beta_2=0.99, eps=1e-30)
            else:
                w, m = F.momentum_step(w, g, m, lr=lr, beta=0.9)
            w = w.clip(-30, 30)
        left.append(excess(w) / excess(np.zeros_like(w)))
    return min(left)


@claim("003", "adam", "Use an adaptive optimizer.")
@depends("It pays where gradients differ in size, as they do between frequent words and rare ones.")
def _adaptive_optimizer() -> str:
    even, zipf = np.ones(N_WORDS) / N_WORDS, 1 / np.arange(1, N_WORDS + 1)
    shares = [_left(adam, p / p.sum()) for p in (even, zipf) for adam in (False, True)]
    found = [f"{share:.0%}" if share >= 0.005 else "under 1%" for share in shares]
    return (
        f"avoidable loss left after {STEPS} steps: words alike, momentum {found[0]}, Adam {found[1]}; "
        f"frequency 1/rank, {found[2]} and {found[3]}"
    )
