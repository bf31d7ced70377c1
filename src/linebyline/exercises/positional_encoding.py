"""The exercises on positions that are added, in the order of the chapter."""

import numpy as np

from clearformer import functional as F
from linebyline.exercises.core import Chapter, also, expect_close, instead

chapter = Chapter("positional_encoding", np=np)

T, D_MODEL = 1000, 512


@chapter.predict(
    "How long is a row? · easy · 1 point · 5 minutes · may use pen and paper",
    "squared length of a row",
    right=256,
    wrong={
        "Not every feature gives 1: it takes a sine and a cosine of one angle.": D_MODEL,
        "This is the length: its square was asked for.": (D_MODEL / 2) ** 0.5,
        "This is what one hand gives, and a row has many.": 1,
        "This is the length of a row of ones: sines are smaller, and the square was asked for.": D_MODEL**0.5,
    },
)
def row_length(rng):
    row = F.sinusoidal_encoding(T, D_MODEL)[rng.integers(T)]  # (d_model,)
    return row @ row


@chapter.write(
    "How long are the waves? · easy · 1 point · 5 minutes · may use NumPy",
    right=lambda d_model, base: 2 * np.pi * base ** (np.arange(0, d_model, 2) / d_model),
    wrong={
        "gives the frequencies": lambda d, base: base ** (-np.arange(0, d, 2) / d),
        "forgets the full turn": lambda d, base: base ** (np.arange(0, d, 2) / d),
        "gives one wave for each feature, not for each pair": lambda d, b: 2 * np.pi * b ** (2 * np.arange(d) / d),
        "forgets the 2 in the exponent": lambda d, base: 2 * np.pi * base ** (np.arange(d // 2) / d),
        "turns the sign of the exponent": lambda d, base: 2 * np.pi * base ** (-np.arange(0, d, 2) / d),
        "reaches the base at the last pair": lambda d, base: 2 * np.pi * np.geomspace(1, base, d // 2),
        "counts half a turn": lambda d, base: np.pi * base ** (np.arange(0, d, 2) / d),
    },
)
class wavelengths:
    def a_case_worked_by_hand(self, answer, rng):
        expect_close(answer(4, 100.0), [2 * np.pi, 20 * np.pi], "d_model=4, base=100")

    def the_longest_wave_of_the_papers_encoding(self, answer, rng):
        """the longest wave of the paper's encoding"""
        waves = answer(512, 10000.0)
        expect_close(np.shape(waves), (256,), "shape for d_model=512")
        expect_close(np.max(waves), 2 * np.pi * 10000 ** (510 / 512), "the longest for d_model=512, base=10000")

    def after_one_wavelength_the_angle_is_a_full_turn(self, answer, rng):
        base = float(rng.uniform(2, 1000))
        angles = np.asarray(answer(6, base)) * base ** (-np.arange(3) / 3)
        expect_close(angles, np.full(3, 2 * np.pi), f"angle after one wavelength, d_model=6, base={base:.1f}")

    def with_base_1_all_waves_are_alike(self, answer, rng):
        expect_close(answer(6, 1.0), np.full(3, 2 * np.pi), "d_model=6, base=1: all pairs alike")


@chapter.diagnose(
    "Hands that are too fast · medium · 3 points · 15 minutes · may use NumPy",
    """
def sinusoidal(positions, d_model):
    speeds = 10000.0 ** (-np.arange(d_model // 2) / d_model)
!   speeds = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
?   The exponent is -2i/d_model, and the 2 is missing. In a wide row the slowest hand then turns about 0.01 a
?   position, not 0.0001: the longest wave is a hundredth of what it should be. No shape shows it.
    angles = positions[:, None] * speeds  # (T, d_model / 2)
?   Each position times each speed is the angle of each hand. With the right speeds it is right.
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
?   This puts the sine and the cosine of one angle side by side, and rows of equal length come of it.
    return pairs.reshape(len(positions), d_model)
?   The last two axes, pairs and their two members, become one: sine, cosine, sine, cosine, and so on.
""",
    wrong={
        "doubles the exponent once too often": "speeds = 10000.0 ** (-4 * np.arange(d_model // 2) / d_model)",
        "reaches the base at the last pair": "speeds = np.geomspace(1, 1e-4, d_model // 2)",
        "gives wavelengths for speeds": "speeds = 10000.0 ** (np.arange(0, d_model, 2) / d_model)",
        "gives each feature a speed": "speeds = 10000.0 ** (-np.arange(d_model) / d_model)",
        "doubles the angles instead": instead(2, "angles = 2 * positions[:, None] * speeds"),
        "puts the cosine first": also(3, "pairs = np.stack([np.cos(angles), np.sin(angles)], axis=-1)"),
        "takes sines only": also(3, "pairs = np.stack([np.sin(angles), np.sin(angles)], axis=-1)"),
        "puts all sines before all cosines": also(3, "pairs = np.stack([np.sin(angles), np.cos(angles)], axis=1)"),
    },
)
class sinusoidal:
    def one_pair__worked_by_hand(self, answer, rng):
        got = answer(np.array([0, 2]), 2)
        expect_close(got, [[0.0, 1.0], [np.sin(2), np.cos(2)]], "positions 0 and 2, d_model=2")

    def the_definition__at_any_positions(self, answer, rng):
        positions = rng.integers(1, 1000, size=5)
        expected = F.sinusoidal_encoding(1000, 12)[positions]
        expect_close(answer(positions, 12), expected, f"positions {positions}, d_model=12", atol=1e-9)

    def every_row_has_the_same_length(self, answer, rng):
        rows = np.asarray(answer(rng.integers(1, 1000, size=3), 8))
        expect_close((rows**2).sum(axis=-1), np.full(3, 4.0), "squared lengths of three rows, d_model=8", atol=1e-9)

    def products_depend_on_the_distance_only(self, answer, rng):
        positions, n = np.array([3, 10, 40]), int(rng.integers(1, 500))
        here, there = (np.asarray(answer(places, 8)) for places in (positions, positions + n))
        expect_close(there @ there.T, here @ here.T, f"products of three rows, all moved by {n}", atol=1e-9)


def _right_halfway(row, next_row):
    middle = (row + next_row).reshape(-1, 2)
    return (middle / np.linalg.norm(middle, axis=-1, keepdims=True)).ravel()


def _encoding(p, d_model):
    angles = p * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(d_model)


def _scaled(row, factor):
    """Multiply both features of each pair by a factor of that pair."""
    return row * np.repeat(factor, 2)


def _cos(row, factor=1.0, exponent=1.0):
    """Cosine of a step of each hand, times a factor."""
    return np.cos(factor * 10000.0 ** (-exponent * np.arange(0, len(row), 2) / len(row)))


@chapter.write(
    "Halfway · hard · 4 points · 20 minutes · may use NumPy",
    right=_right_halfway,
    wrong={
        "takes the mean": lambda row, after: (row + after) / 2,
        "gives the first row": lambda row, after: row,
        "divides by the cosine of the whole step": lambda row, after: _scaled((row + after) / 2, 1 / _cos(row)),
        "forgets the 2 in the exponent": lambda row, after: _scaled((row + after) / 2, 1 / _cos(row, 0.5, 0.5)),
        "gives the whole row one length": lambda a, b: (a + b) / np.linalg.norm(a + b) * np.sqrt(len(a) / 2),
        "steps back instead of ahead": lambda a, b: _scaled(a * (1 + 2 * _cos(a)[0]) - b, 1 / (2 * _cos(a, 0.5))),
    },
)
class halfway:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([0.0, 1.0]), np.array([np.sin(1), np.cos(1)]))
        expect_close(got, [np.sin(0.5), np.cos(0.5)], "positions 0 and 1, d_model=2")

    def the_definition__at_a_position_that_is_not_told(self, answer, rng):
        p = int(rng.integers(1, 1000))
        got = answer(_encoding(p, 12), _encoding(p + 1, 12))
        expect_close(got, _encoding(p + 0.5, 12), f"positions {p} and {p + 1}, d_model=12", atol=1e-9)

    def every_hand_has_length_1(self, answer, rng):
        p = int(rng.integers(1, 1000))
        pairs = np.reshape(answer(_encoding(p, 8), _encoding(p + 1, 8)), (4, 2))
        expect_close(np.linalg.norm(pairs, axis=-1), np.ones(4), "length of each pair, d_model=8", atol=1e-9)
