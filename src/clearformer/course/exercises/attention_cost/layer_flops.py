"""attention_cost.layer_flops: (N, d_model, d_ff) -> (operations with weights, operations between tokens)."""

import numpy as np

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _flops_by_hand(answer: Answer, rng: Rng) -> None:
    # Four products (1, 1)(1, 1), then (1, 1)(1, 4) and (1, 4)(4, 1); scores (1, 1)(1, 1) and values (1, 1)(1, 1).
    expect_close(answer(1, 1, 4), (24, 4), "N=1, d_model=1, d_ff=4")


def _flops_formula(answer: Answer, rng: Rng) -> None:
    N, d = (int(x) for x in rng.integers(10, 1000, size=2))
    expect_close(answer(N, d, 4 * d), (24 * N * d**2, 4 * N**2 * d), f"N={N}, d_model={d}, d_ff={4 * d}")


def _flops_narrow(answer: Answer, rng: Rng) -> None:
    N, d, d_ff = (int(x) for x in rng.integers(10, 1000, size=3))
    more = np.subtract(answer(N, d, d_ff + 1), answer(N, d, d_ff))
    expect_close(more, (4 * N * d, 0), "one more hidden unit, difference of the counts")


def _flops_crossover(answer: Answer, rng: Rng) -> None:
    d = int(rng.integers(10, 1000))
    weights, pairs = answer(6 * d, d, 4 * d)
    expect_close(weights, pairs, f"N = 6 d_model = {6 * d}: both halves")


def _flops(N: int, d: int, d_ff: int, *, products: int = 4, factor: int = 2, scores: int = 2) -> tuple[int, int]:
    return factor * N * (products * d * d + 2 * d * d_ff), factor * scores * N * N * d


EXERCISE = Write(
    id="attention_cost.layer_flops",
    title="Count a layer",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="arithmetic",
    laws=(
        Law("a case worked by hand", _flops_by_hand),
        Law("24 N d² and 4 N² d when d_ff = 4 d", _flops_formula),
        Law("any hidden width", _flops_narrow),
        Law("both are equal at N = 6 d", _flops_crossover),
    ),
    wrong_answers={
        "counts multiplications only": lambda N, d, f: _flops(N, d, f, factor=1),
        "forgets W_O": lambda N, d, f: _flops(N, d, f, products=3),
        "forgets the sum of the values": lambda N, d, f: _flops(N, d, f, scores=1),
        "takes d_ff to be 4 d": lambda N, d, f: _flops(N, d, 4 * d),
        "counts one token": lambda N, d, f: tuple(x // N for x in _flops(N, d, f)),
        "returns them the other way round": lambda N, d, f: _flops(N, d, f)[::-1],
    },
)
