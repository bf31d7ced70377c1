"""search.log_probability: (logits (n, vocab_size), tokens (n,)) -> log-probability of the sequence."""

import math
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


def _chosen(logits: Any, tokens: Any) -> Any:
    return F.log_softmax(logits)[np.arange(len(tokens)), tokens]


def _sequence_by_hand(answer: Answer, rng: Rng) -> None:
    logits = np.log([[0.40, 0.35, 0.25], [0.34, 0.335, 0.325]])
    expect_close(answer(logits, np.array([0, 0])), math.log(0.136), "first token .40, second .34")


def _sequence_shift(answer: Answer, rng: Rng) -> None:
    logits, tokens = rng.normal(size=(5, 7)), rng.integers(7, size=5)
    shifted = logits + rng.normal(size=(5, 1))
    expect_close(answer(shifted, tokens), _chosen(logits, tokens).sum(), "a constant added to the logits of each step")


def _sequence_long(answer: Answer, rng: Rng) -> None:
    tokens = rng.integers(11, size=1000)
    expect_close(answer(np.zeros((1000, 11)), tokens), -1000 * math.log(11), "1000 tokens of 11 equal ones")


def _sequence_adds(answer: Answer, rng: Rng) -> None:
    logits, tokens = rng.normal(size=(6, 5)), rng.integers(5, size=6)
    parts = answer(logits[:2], tokens[:2]) + answer(logits[2:], tokens[2:])
    expect_close(parts, answer(logits, tokens), "the first 2 tokens plus the other 4")


def _product_then_log(logits: Any, tokens: Any) -> Any:
    return np.log(np.exp(_chosen(logits, tokens)).prod())


EXERCISE = Write(
    id="search.log_probability",
    title="The log-probability of a sequence",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _sequence_by_hand),
        Law("adding a constant to the logits changes nothing", _sequence_shift),
        Law("a long sequence has a finite log-probability", _sequence_long),
        Law("parts add up to the whole", _sequence_adds),
    ),
    wrong_answers={
        "multiplies probabilities and takes the logarithm last": _product_then_log,
        "takes the mean over tokens": lambda logits, tokens: _chosen(logits, tokens).mean(),
        "adds the logits themselves": lambda logits, tokens: logits[np.arange(len(tokens)), tokens].sum(),
        "adds the highest of each step": lambda logits, tokens: F.log_softmax(logits).max(axis=-1).sum(),
        "normalizes over the steps": lambda logits, tokens: (
            F.log_softmax(logits.T).T[np.arange(len(tokens)), tokens].sum()
        ),
        "gives the surprise, with the other sign": lambda logits, tokens: -_chosen(logits, tokens).sum(),
        "drops the last token": lambda logits, tokens: _chosen(logits, tokens)[:-1].sum(),
    },
)
