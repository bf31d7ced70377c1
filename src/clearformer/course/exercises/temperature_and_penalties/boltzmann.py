"""temperature_and_penalties.boltzmann: (energies (..., V), tau) -> probabilities (..., V)."""

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _boltzmann_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0.0, 2 * np.log(3.0)]), 2.0)
    expect_close(got, [0.75, 0.25], "energies 0 and 2 ln 3, tau=2")


def _boltzmann_ratios(answer: Answer, rng: Rng) -> None:
    energies, tau = rng.normal(size=7), 0.7
    expected = F.softmax(-energies / tau)
    expect_close(answer(energies, tau), expected, "7 energies, tau=0.7")


def _boltzmann_axes(answer: Answer, rng: Rng) -> None:
    energies = rng.normal(size=(2, 3, 5))
    expect_close(answer(energies, 1.5), F.softmax(-energies / 1.5), "energies of shape (2, 3, 5)")


def _boltzmann_cold(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([-20.0, 0.0, 20.0]), 0.01)
    expect_close(got, [1, 0, 0], "energies -20, 0, 20, tau=0.01")


EXERCISE = Write(
    id="temperature_and_penalties.boltzmann",
    title="Probabilities from energies",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _boltzmann_by_hand),
        Law("equal to the softmax of the negative energies over tau", _boltzmann_ratios),
        Law("any leading axes", _boltzmann_axes),
        Law("a low temperature does not overflow", _boltzmann_cold),
    ),
    wrong_answers={
        "takes the energies for logits": lambda e, tau: F.softmax(e / tau),
        "multiplies by the temperature": lambda e, tau: F.softmax(-e * tau),
        "leaves the temperature out": lambda e, tau: F.softmax(-e),
        "overflows": lambda e, tau: np.exp(-e / tau) / np.exp(-e / tau).sum(axis=-1, keepdims=True),
        "sums over all axes": lambda e, tau: np.exp((e.min() - e) / tau) / np.exp((e.min() - e) / tau).sum(),
        "divides the probabilities": lambda e, tau: F.softmax(-e) / tau,
    },
)
