"""temperature_and_penalties.penalize: (logits (V,), ids (T,), alpha, beta) -> logits (V,), with a faulty line."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _penalized(logits: np.ndarray, ids: np.ndarray, alpha: float, beta: float) -> np.ndarray:
    counts = np.bincount(ids, minlength=len(logits))  # (V,)
    result: np.ndarray = logits - alpha * counts - beta * (counts > 0)
    return result


def _penalize_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([5.0, 5.0, 5.0, 5.0]), np.array([0, 2, 0, 0]), 0.5, 1.0)
    expect_close(got, [2.5, 5, 3.5, 5], "four logits of 5, tokens 0, 2, 0, 0, alpha=0.5, beta=1")


def _penalize_random(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=11), rng.integers(0, 8, size=30)
    expect_close(answer(logits, ids, 0.3, 0.9), _penalized(logits, ids, 0.3, 0.9), "11 logits, 30 tokens")


def _penalize_once(answer: Answer, rng: Rng) -> None:
    logits, ids = rng.normal(size=7), rng.permutation(7)[:3]
    what = "each token once: alpha=0.7 and beta=0.7 should do the same"
    frequency, presence = answer(logits, ids, 0.7, 0.0), answer(logits, ids, 0.0, 0.7)
    expect_close(frequency, _penalized(logits, ids, 0.7, 0), f"{what}, alpha alone")
    expect_close(presence, frequency, f"{what}, beta alone")


def _penalize_nothing(answer: Answer, rng: Rng) -> None:
    logits = rng.normal(size=5)
    expect_close(answer(logits, np.array([], dtype=np.int64), 1.0, 1.0), logits, "no token came before")


_FREQUENCY = "lowered[ids] -= alpha"
_PRESENCE = "lowered[np.unique(ids)] -= beta"
_BROKEN = Code(
    """
def penalize(logits, ids, alpha, beta):
    lowered = logits.copy()
    lowered[ids] -= alpha
    lowered[np.unique(ids)] -= beta
    return lowered
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_FREQUENCY, "np.subtract.at(lowered, ids, alpha)")


EXERCISE = Diagnose(
    id="temperature_and_penalties.penalize",
    title="A penalty that forgets to count",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _penalize_by_hand),
        Law("equal on random tokens", _penalize_random),
        Law("one occurrence: both penalties alike", _penalize_once),
        Law("nothing came before", _penalize_nothing),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "NumPy reads all the entries, subtracts, and then writes them. A token that stands in ids three times is "
        "written three times, each time with the same number, and pays once."
    ),
    innocent={
        "lowered = logits.copy()": "Without the copy the caller's logits would change.",
        _PRESENCE: "Each token that came is here once, and pays the presence penalty once, as it should.",
        "return lowered": "These are the logits after both penalties.",
    },
    wrong_answers={
        "counts by the presence": _BROKEN.replace_line(_FREQUENCY, "lowered[np.unique(ids)] -= alpha"),
        "charges the frequency penalty to every token": _BROKEN.replace_line(_FREQUENCY, "lowered -= alpha * len(ids)"),
        "charges the number of the token": _BROKEN.replace_line(_FREQUENCY, "lowered[ids] -= alpha * ids"),
        "charges the number of all tokens to each that came": _BROKEN.replace_line(
            _FREQUENCY, "lowered[ids] -= alpha * len(ids)"
        ),
        "adds in place of subtracting": _BROKEN.replace_line(_FREQUENCY, "np.add.at(lowered, ids, alpha)"),
        "charges the last token only": _BROKEN.replace_line(_FREQUENCY, "lowered[ids[-1:]] -= alpha"),
        "counts, but leaves the strength out": _BROKEN.replace_line(
            _FREQUENCY, "lowered -= np.bincount(ids, minlength=len(logits))"
        ),
        "counts tokens up to the largest one only": _BROKEN.replace_line(
            _FREQUENCY, "lowered -= alpha * np.bincount(ids)"
        ),
        "charges the presence penalty each time": _FIXED.replace_line(_PRESENCE, "np.subtract.at(lowered, ids, beta)"),
        "charges the presence penalty to every token": _FIXED.replace_line(_PRESENCE, "lowered -= beta"),
        "changes the caller's logits": _FIXED.replace_line("lowered = logits.copy()", "lowered = logits"),
    },
)
