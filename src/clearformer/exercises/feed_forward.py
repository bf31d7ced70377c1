"""The exercises of the feed-forward chapter: laws that right answers obey, and wrong answers that break them."""

import math
from typing import Any

import numpy as np
from scipy.special import ndtr

from clearformer import functional as F
from clearformer.exercises.core import Answer, Exercise, Law, expect_close, expect_equal
from clearformer.exercises.layer_backward import BACKWARD

Rng = np.random.Generator


# --- feed_forward.block_parameters: (d_model, d_ff) -> number of parameters of a block with all its biases ---


def _count(d_model: int, d_ff: int) -> int:
    attention = 4 * (d_model * d_model + d_model)
    layer = d_model * d_ff + d_ff + d_ff * d_model + d_model
    return attention + layer + 4 * d_model


def _count_by_hand(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(1, 1), 16, "d_model=1, d_ff=1")


def _count_bert(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(768, 3072), 7_087_872, "a block of BERT Base, d_model=768, d_ff=3072")


def _count_random(answer: Answer, rng: Rng) -> None:
    d_model, d_ff = (int(n) for n in rng.integers(2, 50, size=2))
    expect_equal(answer(d_model, d_ff), _count(d_model, d_ff), f"d_model={d_model}, d_ff={d_ff}")


PARAMETERS = Exercise(
    id="feed_forward.block_parameters",
    title="Count a block",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("the smallest block, counted by hand", _count_by_hand),
        Law("a block of BERT Base", _count_bert),
        Law("any two widths", _count_random),
    ),
    wrong_answers={
        "counts the matrices only": lambda d_model, d_ff: 4 * d_model**2 + 2 * d_model * d_ff,
        "forgets the norms": lambda d_model, d_ff: _count(d_model, d_ff) - 4 * d_model,
        "gives both biases of the layer the inner width": lambda d_model, d_ff: _count(d_model, d_ff) + d_ff - d_model,
        "takes d_ff to be four times d_model": lambda d_model, d_ff: _count(d_model, 4 * d_model),
    },
)


# --- feed_forward.gelu_slope: x (...) -> derivative of GELU (...) ---


def _density(x: Any) -> Any:
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def _slope(x: Any) -> Any:
    return ndtr(x) + x * _density(x)


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


GELU_SLOPE = Exercise(
    id="feed_forward.gelu_slope",
    title="The slope of GELU",
    difficulty="easy",
    points=2,
    minutes=10,
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


# --- feed_forward.prune: (x (T, d), w_in (d, d_ff), b_in (d_ff,), w_out (d_ff, n)) -> the three without dead units ---


def _three(got: Any) -> Any:
    if not isinstance(got, tuple) or len(got) != 3:
        raise AssertionError(f"expected a tuple of three arrays, got {type(got).__name__}")
    return [np.asarray(array) for array in got]


def _prune(x: Any, w_in: Any, b_in: Any, w_out: Any) -> Any:
    alive = (x @ w_in + b_in > 0).any(axis=0)  # (d_ff,)
    return w_in[:, alive], b_in[alive], w_out[alive]


def _prune_by_hand(answer: Answer, rng: Rng) -> None:
    x, w_in = np.array([[1.0], [2.0]]), np.array([[1.0, -1.0, 1.0, -1.0]])
    b_in, w_out = np.array([0.0, 0.0, -1.5, 1.5]), np.array([[1.0], [2.0], [3.0], [4.0]])
    got = _three(answer(x, w_in, b_in, w_out))
    for name, array, expected in zip(
        ("w_in", "b_in", "w_out"), got, ([[1, 1, -1]], [0, -1.5, 1.5], [[1], [3], [4]]), strict=True
    ):
        expect_close(array, expected, f"four units, of which the second never fires, {name}")


def _prune_same(answer: Answer, rng: Rng) -> None:
    x, w_in, w_out = rng.normal(size=(3, 5)), rng.normal(size=(5, 40)), rng.normal(size=(40, 2))
    b_in = rng.normal(size=40) - 2
    w, b, v = _three(answer(x, w_in, b_in, w_out))
    expect_equal(len(b), len(_prune(x, w_in, b_in, w_out)[1]), "number of units left of 40")
    expect_close(F.relu(x @ w + b) @ v, F.relu(x @ w_in + b_in) @ w_out, "output with the units that are left")


def _prune_edge(answer: Answer, rng: Rng) -> None:
    got = _three(answer(np.zeros((2, 1)), np.ones((1, 2)), np.array([0.0, 1.0]), np.ones((2, 1))))
    expect_close(got[1], [1], "a unit that only ever sees 0, and one that sees 1: biases left")


PRUNE = Exercise(
    id="feed_forward.prune",
    title="Units that never fire",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("a case worked by hand", _prune_by_hand),
        Law("the same output with fewer units", _prune_same),
        Law("0 gives nothing, so a unit that stays at 0 goes too", _prune_edge),
    ),
    wrong_answers={
        "keeps what fires on every row": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (x @ w_in + b_in > 0).all(axis=0)
        ),
        "forgets the bias": lambda x, w_in, b_in, w_out: _prune(x, w_in, 0 * b_in, w_out),
        "keeps units that stay at 0": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (x @ w_in + b_in >= 0).any(axis=0)
        ),
        "judges by the weights": lambda x, w_in, b_in, w_out: (lambda on: (w_in[:, on], b_in[on], w_out[on]))(
            (w_in > 0).any(axis=0)
        ),
        "prunes nothing": lambda x, w_in, b_in, w_out: (w_in, b_in, w_out),
        "leaves the second matrix as it is": lambda x, w_in, b_in, w_out: (*_prune(x, w_in, b_in, w_out)[:2], w_out),
    },
)

# In the order of the chapter.
EXERCISES = (PARAMETERS, GELU_SLOPE, PRUNE, BACKWARD)
