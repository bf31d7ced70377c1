"""training_at_scale.two_batches: squared lengths at two batch sizes -> signal and noise; one line is at fault."""

import numpy as np

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close

WHAT = ("the squared length of the common gradient", "the noise of one window")


def _lengths(signal: float, noise: float, small: int, large: int) -> tuple[float, float]:
    """What gradients of two batch sizes measure in the mean."""
    return signal + noise / small, signal + noise / large


def _ask(answer: Answer, signal: float, noise: float, small: int, large: int, said: str) -> None:
    got = answer(*_lengths(signal, noise, small, large), small, large)
    for value, expected, what in zip(got, (signal, noise), WHAT, strict=True):
        expect_close(value, expected, f"{what}, {said}")


def _by_hand(answer: Answer, rng: Rng) -> None:
    for got, expected, what in zip(answer(6.0, 4.5, 2, 8), (4.0, 4.0), WHAT, strict=True):
        expect_close(got, expected, f"{what}, of 6 at 2 windows and 4.5 at 8")


def _random(answer: Answer, rng: Rng) -> None:
    small = int(rng.integers(1, 9))
    large, (signal, noise) = small + int(rng.integers(1, 60)), rng.uniform(0.5, 9.0, size=2)
    _ask(answer, signal, noise, small, large, f"batches of {small} and {large}")


def _no_noise(answer: Answer, rng: Rng) -> None:
    _ask(answer, float(rng.uniform(0.5, 9.0)), 0.0, 2, 16, "windows that all say the same")


def _no_signal(answer: Answer, rng: Rng) -> None:
    _ask(answer, 0.0, float(rng.uniform(0.5, 9.0)), 2, 16, "windows that have nothing in common")


def _of_one_window(answer: Answer, rng: Rng) -> None:
    """A batch of one holds the signal and the noise of a window, so the two add up to what it measures."""
    short, long = rng.uniform(1.0, 2.0), rng.uniform(5.0, 9.0)
    expect_close(sum(answer(long, short, 1, 32)), long, "signal and noise together, batches of 1 and 32")


_SIGNAL = "signal = (large * of_large - small * of_small) / (large - small)"
_FAULT = "noise = (of_small - of_large) / (1 / large - 1 / small)"
_RETURN = "return signal, noise"
_BROKEN = Code(
    """
def two_batches(of_small, of_large, small, large):
    signal = (large * of_large - small * of_small) / (large - small)
    noise = (of_small - of_large) / (1 / large - 1 / small)
    return signal, noise
""",
    np=np,
)

EXERCISE = Diagnose(
    id="training_at_scale.two_batches",
    title="Noise below nothing",
    difficulty="medium",
    points=2,
    minutes=10,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("random signal and noise", _random),
        Law("no noise", _no_noise),
        Law("no signal", _no_signal),
        Law("a batch of one window", _of_one_window),
    ),
    broken=_BROKEN,
    fixed=_BROKEN.replace_line(_FAULT, "noise = (of_small - of_large) / (1 / small - 1 / large)"),
    why=(
        "The smaller batch has the more noise, so what stands above is positive; below stands a negative number. "
        "The ratio of noise and signal then comes out below zero, and a rule that waits for it never acts."
    ),
    innocent={
        _SIGNAL: "The noise is gone from the difference: each size times its squared length holds it once.",
        _RETURN: "Both, in this order. Their ratio is the noise scale, once each is a mean over many draws.",
    },
    wrong_answers={
        "gives the noise of the small batch": _BROKEN.replace_line(_FAULT, "noise = of_small - of_large"),
        "multiplies by the difference of sizes": _BROKEN.replace_line(
            _FAULT, "noise = (of_small - of_large) * (large - small)"
        ),
        "takes the root": _BROKEN.replace_line(
            _FAULT, "noise = np.sqrt((of_small - of_large) / (1 / small - 1 / large))"
        ),
        "makes it positive by a square": _BROKEN.replace_line(_FAULT, "noise = (of_small - of_large) ** 2"),
        "divides the signal by the larger size": _BROKEN.replace_line(
            _SIGNAL, "signal = (large * of_large - small * of_small) / large"
        ),
        "exchanges the sizes of the signal": _BROKEN.replace_line(
            _SIGNAL, "signal = (small * of_large - large * of_small) / (small - large)"
        ),
    },
)
