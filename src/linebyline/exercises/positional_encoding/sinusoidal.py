"""positional_encoding.sinusoidal: (positions (T,), d_model) -> (T, d_model), of which one line is at fault."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_close


def _one_pair(answer: Answer, rng: Rng) -> None:
    got = answer(np.array([0, 2]), 2)
    expect_close(got, [[0.0, 1.0], [np.sin(2), np.cos(2)]], "positions 0 and 2, d_model=2")


def _definition(answer: Answer, rng: Rng) -> None:
    positions = rng.integers(1, 1000, size=5)
    expected = F.sinusoidal_encoding(1000, 12)[positions]
    expect_close(answer(positions, 12), expected, f"positions {positions}, d_model=12", atol=1e-9)


def _lengths(answer: Answer, rng: Rng) -> None:
    rows = np.asarray(answer(rng.integers(1, 1000, size=3), 8))
    expect_close((rows**2).sum(axis=-1), np.full(3, 4.0), "squared lengths of three rows, d_model=8", atol=1e-9)


def _distances(answer: Answer, rng: Rng) -> None:
    positions, n = np.array([3, 10, 40]), int(rng.integers(1, 500))
    here, there = (np.asarray(answer(places, 8)) for places in (positions, positions + n))
    expect_close(there @ there.T, here @ here.T, f"products of three rows, all moved by {n}", atol=1e-9)


_OMEGA = "speeds = 10000.0 ** (-np.arange(d_model // 2) / d_model)"
_ANGLES = "angles = positions[:, None] * speeds  # (T, d_model / 2)"
_PAIRS = "pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)"
_ROWS = "return pairs.reshape(len(positions), d_model)"
_BROKEN = Code(
    """
def sinusoidal(positions, d_model):
    speeds = 10000.0 ** (-np.arange(d_model // 2) / d_model)
    angles = positions[:, None] * speeds  # (T, d_model / 2)
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
    return pairs.reshape(len(positions), d_model)
""",
    np=np,
)
_FIXED = _BROKEN.replace_line(_OMEGA, "speeds = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)")

EXERCISE = Diagnose(
    id="positional_encoding.sinusoidal",
    title="Hands that are too fast",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="NumPy",
    laws=(
        Law("one pair, worked by hand", _one_pair),
        Law("the definition, at any positions", _definition),
        Law("every row has the same length", _lengths),
        Law("products depend on the distance only", _distances),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "The exponent is -2i/d_model, and the 2 is missing. In a wide row the slowest hand then turns about 0.01 a "
        "position, not 0.0001: the longest wave is a hundredth of what it should be. No shape shows it."
    ),
    innocent={
        _ANGLES: "Each position times each speed is the angle of each hand. With the right speeds it is right.",
        _PAIRS: "This puts the sine and the cosine of one angle side by side, and rows of equal length come of it.",
        _ROWS: "The last two axes, pairs and their two members, become one: sine, cosine, sine, cosine, and so on.",
    },
    wrong_answers={
        "doubles the exponent once too often": _BROKEN.replace_line(
            _OMEGA, "speeds = 10000.0 ** (-4 * np.arange(d_model // 2) / d_model)"
        ),
        "reaches the base at the last pair": _BROKEN.replace_line(
            _OMEGA, "speeds = np.geomspace(1, 1e-4, d_model // 2)"
        ),
        "gives wavelengths for speeds": _BROKEN.replace_line(
            _OMEGA, "speeds = 10000.0 ** (np.arange(0, d_model, 2) / d_model)"
        ),
        "gives each feature a speed": _BROKEN.replace_line(
            _OMEGA, "speeds = 10000.0 ** (-np.arange(d_model) / d_model)"
        ),
        "doubles the angles instead": _BROKEN.replace_line(_ANGLES, "angles = 2 * positions[:, None] * speeds"),
        "puts the cosine first": _FIXED.replace_line(
            _PAIRS, "pairs = np.stack([np.cos(angles), np.sin(angles)], axis=-1)"
        ),
        "takes sines only": _FIXED.replace_line(_PAIRS, "pairs = np.stack([np.sin(angles), np.sin(angles)], axis=-1)"),
        "puts all sines before all cosines": _FIXED.replace_line(
            _PAIRS, "pairs = np.stack([np.sin(angles), np.cos(angles)], axis=1)"
        ),
    },
)
