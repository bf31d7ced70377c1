"""attention.score_scale: (sigma_q, sigma_k, d_k) -> factor."""

import numpy as np

from clearformer.course.exercises.core import Answer, Exercise, Law, Rng, expect_close


def _scale_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(1.0, 1.0, 64), 0.125, "sigma_q=1, sigma_k=1, d_k=64")


def _scale_measured(answer: Answer, rng: Rng) -> None:
    for sigma_q, sigma_k, d_k in ((1.0, 1.0, 16), (2.0, 2.0, 16), (0.5, 3.0, 64)):
        q = sigma_q * rng.normal(size=(20_000, d_k))  # (pairs, d_k)
        k = sigma_k * rng.normal(size=(20_000, d_k))  # (pairs, d_k)
        variance = ((q * k).sum(axis=-1) * answer(sigma_q, sigma_k, d_k)).var()
        expect_close(variance, 1.0, f"variance, sigma_q={sigma_q}, sigma_k={sigma_k}, d_k={d_k}", atol=0.1)


def _scale_of_spread(answer: Answer, rng: Rng) -> None:
    sigma_q, sigma_k = rng.uniform(0.5, 2, size=2).tolist()
    once = answer(sigma_q, sigma_k, 48)
    expect_close(answer(2 * sigma_q, sigma_k, 48), np.asarray(once) / 2, "doubling sigma_q should halve it")
    expect_close(answer(sigma_q, 2 * sigma_k, 48), np.asarray(once) / 2, "doubling sigma_k should halve it")


def _scale_of_width(answer: Answer, rng: Rng) -> None:
    sigma_q, sigma_k = rng.uniform(0.5, 2, size=2).tolist()
    once = answer(sigma_q, sigma_k, 32)
    expect_close(answer(sigma_q, sigma_k, 128), np.asarray(once) / 2, "four times d_k should halve it")


EXERCISE = Exercise(
    id="attention.score_scale",
    title="The scale of a score",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("a case worked by hand", _scale_by_hand),
        Law("scaled scores have variance one, measured on 20,000 pairs", _scale_measured),
        Law("doubling either spread halves the factor", _scale_of_spread),
        Law("four times the width halves the factor", _scale_of_width),
    ),
    wrong_answers={
        "ignores the spreads": lambda sq, sk, d: 1 / np.sqrt(d),
        "divides by the variance, not by the standard deviation": lambda sq, sk, d: 1 / (sq**2 * sk**2 * d),
        "divides by the width": lambda sq, sk, d: 1 / (sq * sk * d),
        "gives the standard deviation, not its inverse": lambda sq, sk, d: sq * sk * np.sqrt(d),
        "takes the variance for d times one sigma squared": lambda sq, sk, d: 1 / np.sqrt(d * sq * sk),
        "forgets the keys": lambda sq, sk, d: 1 / (sq * np.sqrt(d)),
        "adds the variances of queries and keys": lambda sq, sk, d: 1 / np.sqrt(d * (sq**2 + sk**2) / 2),
    },
)
