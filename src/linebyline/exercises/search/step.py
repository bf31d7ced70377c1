"""search.step: (log_p (b,), next_log_p (b, vocab_size), n_beams) -> (log_p, beams, tokens), with a faulty line."""

from typing import Any

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


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


def _step_square(answer: Answer, rng: Rng) -> None:
    log_p, following = rng.normal(size=4), F.log_softmax(rng.normal(size=(4, 4)))
    _expect_step(answer(log_p, following, 4), _step(log_p, following, 4), "4 beams and 4 tokens")


_TOTAL = "total = (log_p[:, None] + next_log_p).ravel()  # (b * V,)"
_BEST = "best = np.argsort(-total)[:n_beams]"
_PLACES = "beams, tokens = np.divmod(best, len(log_p))"
_BROKEN = Code(
    """
def step(log_p, next_log_p, n_beams):
    total = (log_p[:, None] + next_log_p).ravel()  # (b * V,)
    best = np.argsort(-total)[:n_beams]
    beams, tokens = np.divmod(best, len(log_p))
    return total[best], beams, tokens
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_PLACES, "beams, tokens = np.divmod(best, next_log_p.shape[1])")


EXERCISE = Diagnose(
    id="search.step",
    title="A beam that goes to the wrong heirs",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _step_by_hand),
        Law("equal to a search one by one", _step_brute_force),
        Law("the first step has one beam", _step_first),
        Law("one beam may have all the heirs", _step_heirs),
        Law("as many beams as tokens", _step_square),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "A row of the table has one entry for each token, so the number of a continuation is beam times vocabulary "
        "plus token. The number of beams divides it rightly only where it equals the vocabulary."
    ),
    innocent={
        _TOTAL: "A continuation has what its beam had, and what its token adds. The rows stand one after the other.",
        _BEST: "The sign makes the best come first, and all beams compete here, as they should.",
        "return total[best], beams, tokens": "The log-probabilities are right. The other two come from above.",
    },
    wrong_answers={
        "exchanges beams and tokens": _BROKEN.replace_line(
            _PLACES, "tokens, beams = np.divmod(best, next_log_p.shape[1])"
        ),
        "divides by the number of beams that are kept": _BROKEN.replace_line(
            _PLACES, "beams, tokens = np.divmod(best, n_beams)"
        ),
        "divides by all continuations": _BROKEN.replace_line(_PLACES, "beams, tokens = np.divmod(best, len(total))"),
        "reads the table by columns": _BROKEN.replace_line(_PLACES, "tokens, beams = np.divmod(best, len(log_p))"),
        "is one short": _BROKEN.replace_line(_PLACES, "beams, tokens = np.divmod(best, next_log_p.shape[1] - 1)"),
        "gives the worst": _FIXED.replace_line(_BEST, "best = np.argsort(total)[:n_beams]"),
        "gives the best last": _FIXED.replace_line(_BEST, "best = np.argsort(total)[-n_beams:]"),
        "forgets what the beams had": _FIXED.replace_line(_TOTAL, "total = next_log_p.ravel()"),
        "multiplies log-probabilities": _FIXED.replace_line(_TOTAL, "total = (log_p[:, None] * next_log_p).ravel()"),
        "adds to the caller's table": _FIXED.replace_line(
            _TOTAL, "total = np.add(log_p[:, None], next_log_p, out=next_log_p).ravel()"
        ),
    },
)
