"""search.crossing: (log_p, n, log_q, m) -> the exponent at which the two scores are equal."""

import math

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


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


EXERCISE = Write(
    id="search.crossing",
    title="Where the winner changes",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
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
