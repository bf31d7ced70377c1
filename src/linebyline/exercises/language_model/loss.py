"""language_model.loss: (logits (T, vocab_size), ids (T,)) -> nats for a token."""

import math
from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _loss(logits: Any, ids: Any) -> Any:
    """The logits of the last position predict a token that is not there."""
    chosen = F.log_softmax(logits[:-1])[np.arange(len(ids) - 1), ids[1:]]
    return -chosen.mean()


def _loss_by_hand(answer: Answer, rng: Rng) -> None:
    logits = np.log([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]])
    expected = -(math.log(0.25) + math.log(0.1)) / 2
    expect_close(answer(logits, np.array([0, 1, 2])), expected, "ids 0 1 2, given 0.25 to 1 and then 0.1 to 2")


def _loss_of_a_seer(answer: Answer, rng: Rng) -> None:
    ids = rng.integers(7, size=9)
    sure = np.where(np.arange(7) == np.append(ids[1:], 0)[:, None], 50.0, 0.0)  # (9, 7)
    expect_close(answer(sure, ids), 0, "50 more for the token that comes next, at every position", atol=1e-9)


def _loss_of_a_die(answer: Answer, rng: Rng) -> None:
    logits = np.full((5, 6), 3.0)
    expect_close(answer(logits, rng.integers(6, size=5)), math.log(6), "six tokens, all alike")


def _loss_is_stable(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=(8, 5)), rng.integers(5, size=8)
    expect_close(answer(logits + 1000, ids), _loss(logits, ids), "1000 added to every logit")


def _direct_loss(logits: Any, ids: Any) -> Any:
    probabilities = np.exp(logits) / np.exp(logits).sum(axis=-1, keepdims=True)
    return -np.log(probabilities[np.arange(len(ids) - 1), ids[1:]]).mean()


EXERCISE = Write(
    id="language_model.loss",
    entry="next_token_loss",
    title="Shift by one",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy and `F.log_softmax`",
    laws=(
        Law("a case worked by hand", _loss_by_hand),
        Law("who knows what comes next has no loss", _loss_of_a_seer),
        Law("who knows nothing loses log V", _loss_of_a_die),
        Law("large logits do not overflow", _loss_is_stable),
    ),
    wrong_answers={
        "does not shift": lambda z, ids: -F.log_softmax(z)[np.arange(len(ids)), ids].mean(),
        "shifts the other way": lambda z, ids: -F.log_softmax(z[1:])[np.arange(len(ids) - 1), ids[:-1]].mean(),
        "sums instead of averaging": lambda z, ids: _loss(z, ids) * (len(ids) - 1),
        "divides by T": lambda z, ids: _loss(z, ids) * (len(ids) - 1) / len(ids),
        "counts in bits": lambda z, ids: _loss(z, ids) / math.log(2),
        "forgets the sign": lambda z, ids: -_loss(z, ids),
        "takes the exponential as it is": _direct_loss,
    },
)
