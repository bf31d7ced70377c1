"""The exercises on search: laws that right answers obey, and wrong answers that break them."""

import math
from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.exercises.best_first import BEST_FIRST
from clearformer.exercises.core import Answer, Exercise, Law, expect_close

Rng = np.random.Generator


# --- search.log_probability: (logits (n, vocab_size), tokens (n,)) -> log-probability of the sequence ---


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


LOG_PROBABILITY = Exercise(
    id="search.log_probability",
    title="The log-probability of a sequence",
    difficulty="easy",
    points=2,
    minutes=10,
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


# --- search.step: (log_p (b,), next_log_p (b, vocab_size), n_beams) -> (log_p, beams, tokens), each (n_beams,) ---


def _step(log_p: Any, next_log_p: Any, n_beams: int) -> Any:
    total = log_p[:, None] + next_log_p  # (b, vocab_size)
    order = np.argsort(-total, axis=None, kind="stable")[:n_beams]
    beams, tokens = np.unravel_index(order, total.shape)
    return total[beams, tokens], beams, tokens


def _expect_step(got: Any, expected: Any, what: str) -> None:
    for part, name, value in zip(
        got if isinstance(got, tuple) else (got,), ("values", "beams", "tokens"), expected, strict=True
    ):
        expect_close(part, value, f"{what}: {name}")


def _step_by_hand(answer: Answer, rng: Rng) -> None:
    log_p = np.log([0.40, 0.35])
    following = np.log([[0.34, 0.335, 0.325], [0.40, 0.32, 0.28]])
    expected = np.log([0.14, 0.136]), [1, 0], [0, 0]
    _expect_step(answer(log_p, following, 2), expected, "beams of .40 and .35, two of six continuations")


def _step_brute_force(answer: Answer, rng: Rng) -> None:
    log_p, following = rng.normal(size=3), F.log_softmax(rng.normal(size=(3, 7)))
    candidates = [(log_p[b] + following[b, v], b, v) for b in range(3) for v in range(7)]
    expected = list(zip(*sorted(candidates, key=lambda c: -c[0])[:4], strict=True))
    _expect_step(answer(log_p, following, 4), expected, "3 beams, 7 tokens, the best 4 one by one")


def _step_first(answer: Answer, rng: Rng) -> None:
    following = F.log_softmax(rng.normal(size=(1, 11)))
    _expect_step(
        answer(np.zeros(1), following, 5), _step(np.zeros(1), following, 5), "the first step: 1 beam becomes 5"
    )


def _step_heirs(answer: Answer, rng: Rng) -> None:
    log_p, following = np.array([-1.0, -90.0]), F.log_softmax(rng.normal(size=(2, 5)))
    _expect_step(
        answer(log_p, following, 3), _step(log_p, following, 3), "one beam is hopeless: the other has all heirs"
    )


def _step_alone(log_p: Any, next_log_p: Any, n_beams: int) -> Any:
    tokens = next_log_p.argmax(axis=-1)
    beams = np.arange(len(log_p))
    return log_p + next_log_p[beams, tokens], beams, tokens


def _step_columns(log_p: Any, next_log_p: Any, n_beams: int) -> Any:
    values, beams, tokens = _step(log_p, next_log_p, n_beams)
    flat = beams * next_log_p.shape[1] + tokens
    return values, flat % len(log_p), flat // len(log_p)


def _step_product(log_p: Any, next_log_p: Any, n_beams: int) -> Any:
    return _step(np.zeros_like(log_p), log_p[:, None] * next_log_p, n_beams)


def _step_in_place(log_p: Any, next_log_p: Any, n_beams: int) -> Any:
    next_log_p += log_p[:, None]
    return _step(np.zeros_like(log_p), next_log_p, n_beams)


STEP = Exercise(
    id="search.step",
    title="One step of beam search",
    difficulty="medium",
    points=4,
    minutes=20,
    laws=(
        Law("a case worked by hand", _step_by_hand),
        Law("equal to a search one by one", _step_brute_force),
        Law("the first step has one beam", _step_first),
        Law("one beam may have all the heirs", _step_heirs),
    ),
    wrong_answers={
        "lets each beam keep its own best token": _step_alone,
        "forgets what the beams had": lambda log_p, following, n: _step(np.zeros_like(log_p), following, n),
        "divides by the number of beams, not by the vocabulary": _step_columns,
        "multiplies log-probabilities": _step_product,
        "gives the values of the last step only": lambda log_p, following, n: (
            following[_step(log_p, following, n)[1:]],
            *_step(log_p, following, n)[1:],
        ),
        "gives the worst first": lambda log_p, following, n: tuple(x[::-1] for x in _step(log_p, following, n)),
        "keeps one too few": lambda log_p, following, n: tuple(x[:-1] for x in _step(log_p, following, n)),
        "adds to the caller's table": _step_in_place,
    },
)


# --- search.crossing: (log_p, n, log_q, m) -> the exponent at which the two scores are equal ---


def _crossing(log_p: float, n: int, log_q: float, m: int) -> float:
    return math.log(log_p / log_q) / math.log(n / m)


def _crossing_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(-1.0, 2, -2.0, 4), 1.0, "-1 over 2 tokens and -2 over 4: equal means")
    expect_close(answer(-1.0, 1, -2.0, 4), 0.5, "-1 over 1 token and -2 over 4")


def _crossing_ties(answer: Answer, rng: Rng) -> None:
    log_p, log_q = -rng.uniform(1, 5), -rng.uniform(6, 20)
    exponent = float(answer(log_p, 3, log_q, 11))
    expect_close(log_q / 11**exponent, log_p / 3**exponent, "score of the longer at the answer, against the shorter's")


def _crossing_symmetric(answer: Answer, rng: Rng) -> None:
    expect_close(answer(-7.0, 8, -3.0, 5), answer(-3.0, 5, -7.0, 8), "the same two, in the other order")


def _crossing_negative(answer: Answer, rng: Rng) -> None:
    expect_close(answer(-4.0, 2, -2.0, 4), -1.0, "the longer one is likelier too: only a negative exponent ties them")


CROSSING = Exercise(
    id="search.crossing",
    title="Where the winner changes",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("two cases worked by hand", _crossing_by_hand),
        Law("the scores are equal there", _crossing_ties),
        Law("the order of the two does not matter", _crossing_symmetric),
        Law("a negative exponent is an answer too", _crossing_negative),
    ),
    wrong_answers={
        "divides the logarithms the other way": lambda p, n, q, m: 1 / _crossing(p, n, q, m),
        "takes the difference of log-probabilities": lambda p, n, q, m: (p - q) / math.log(m / n),
        "takes the difference of lengths": lambda p, n, q, m: math.log(q / p) / (m - n),
        "gets the sign wrong": lambda p, n, q, m: -_crossing(p, n, q, m),
        "cuts negative exponents off": lambda p, n, q, m: max(0.0, _crossing(p, n, q, m)),
        "assumes that the second is longer": lambda p, n, q, m: math.log(q / p) / abs(math.log(m / n)),
    },
)


EXERCISES = (LOG_PROBABILITY, STEP, CROSSING, BEST_FIRST)
