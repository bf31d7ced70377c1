"""feed_forward.gelu_slope: x (...) -> derivative of GELU (...)."""

import math
from typing import Any

import numpy as np
from scipy.special import ndtr

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _density(x: Any) -> Any:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _slope_at_zero(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([0.0])), [0.5], "x = 0")


def _slope_far(answer: Answer, rng: Rng) -> None:
    expect_close(answer(np.array([-40.0, 40.0])), [0, 1], "x = -40 and x = 40")


def _slope_mirrored(answer: Answer, rng: Rng) -> None:
    x = rng.normal(size=(2, 3))
    expect_close(np.asarray(answer(x)) + np.asarray(answer(-x)), np.ones((2, 3)), "slope at x plus slope at -x")


def _slope_differences(answer: Answer, rng: Rng) -> None:
    x, h = rng.normal(size=5), 1e-5
    expect_close(answer(x), (F.gelu(x + h) - F.gelu(x - h)) / (2 * h), "against differences of GELU", atol=1e-8)


EXERCISE = Write(
    id="feed_forward.gelu_slope",
    title="The slope of GELU",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy and `scipy.special.ndtr`",
    laws=(
        Law("one half at the origin", _slope_at_zero),
        Law("flat on the far left, slope 1 on the far right", _slope_far),
        Law("slopes at x and -x sum to one", _slope_mirrored),
        Law("equal to finite differences", _slope_differences),
    ),
    wrong_answers={
        "takes the weight for the slope": ndtr,
        "forgets the factor x of the product rule": lambda x: ndtr(x) + _density(x),
        "returns GELU itself": F.gelu,
        "returns the slope of ReLU": lambda x: (x > 0).astype(float),
        "leaves out the normalization of the density": lambda x: ndtr(x) + x * np.exp(-x * x / 2),
        "is the slope of SiLU": lambda x: 1 / (1 + np.exp(-x)) * (1 + x / (1 + np.exp(x))),
    },
)
