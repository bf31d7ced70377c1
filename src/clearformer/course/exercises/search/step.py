"""search.step: (log_p (b,), next_log_p (b, vocab_size), n_beams) -> (log_p, beams, tokens), each (n_beams,)."""

from typing import Any

import numpy as np

from clearformer import functional as F
from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_close


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


EXERCISE = Write(
    id="search.step",
    title="One step of beam search",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="NumPy",
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
