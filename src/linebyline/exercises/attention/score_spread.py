"""attention.score_spread: how large scores are before anything divides them."""

from linebyline.exercises.core import Predict, Rng

SIGMA, D_K, PAIRS = 2.0, 64, 100_000


def _spread(rng: Rng) -> float:
    q, k = SIGMA * rng.normal(size=(2, PAIRS, D_K))  # (pairs, d_k) each
    return float((q * k).sum(axis=-1).std())


EXERCISE = Predict(
    id="attention.score_spread",
    title="How large is a score?",
    difficulty="easy",
    points=2,
    minutes=5,
    may_use="pen and paper",
    asks=("standard deviation of a score",),
    compute=_spread,
    within=0.05,
    wrong_answers={
        "This is the variance: its square root has the size of a score.": D_K * SIGMA**4,
        "Variances of independent terms add up, standard deviations do not.": D_K * SIGMA**2,
        "One σ² is missing: a product takes one from the query and one from the key.": D_K**0.5 * SIGMA,
        "This would be right for components of variance one.": D_K**0.5,
        "This is the spread after division by √d_k.": SIGMA**2,
    },
)
