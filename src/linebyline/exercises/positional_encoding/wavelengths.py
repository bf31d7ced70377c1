"""positional_encoding.wavelengths: (d_model, base) -> (d_model / 2,)."""

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close


def _waves_by_hand(answer: Answer, rng: Rng) -> None:
    expect_close(answer(4, 100.0), [2 * np.pi, 20 * np.pi], "d_model=4, base=100")


def _waves_of_the_paper(answer: Answer, rng: Rng) -> None:
    waves = answer(512, 10000.0)
    expect_close(np.shape(waves), (256,), "shape for d_model=512")
    expect_close(np.max(waves), 2 * np.pi * 10000 ** (510 / 512), "the longest for d_model=512, base=10000")


def _waves_come_round(answer: Answer, rng: Rng) -> None:
    base = float(rng.uniform(2, 1000))
    angles = np.asarray(answer(6, base)) * base ** (-np.arange(3) / 3)
    expect_close(angles, np.full(3, 2 * np.pi), f"angle after one wavelength, d_model=6, base={base:.1f}")


def _waves_without_base(answer: Answer, rng: Rng) -> None:
    expect_close(answer(6, 1.0), np.full(3, 2 * np.pi), "d_model=6, base=1: all pairs alike")


EXERCISE = Write(
    id="positional_encoding.wavelengths",
    title="How long are the waves?",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="NumPy",
    laws=(
        Law("a case worked by hand", _waves_by_hand),
        Law("the longest wave of the paper's encoding", _waves_of_the_paper),
        Law("after one wavelength the angle is a full turn", _waves_come_round),
        Law("with base 1 all waves are alike", _waves_without_base),
    ),
    wrong_answers={
        "gives the frequencies": lambda d, base: base ** (-np.arange(0, d, 2) / d),
        "forgets the full turn": lambda d, base: base ** (np.arange(0, d, 2) / d),
        "gives one wave for each feature, not for each pair": lambda d, base: (
            2 * np.pi * base ** (2 * np.arange(d) / d)
        ),
        "forgets the 2 in the exponent": lambda d, base: 2 * np.pi * base ** (np.arange(d // 2) / d),
        "turns the sign of the exponent": lambda d, base: 2 * np.pi * base ** (-np.arange(0, d, 2) / d),
        "reaches the base at the last pair": lambda d, base: 2 * np.pi * np.geomspace(1, base, d // 2),
        "counts half a turn": lambda d, base: np.pi * base ** (np.arange(0, d, 2) / d),
    },
)
