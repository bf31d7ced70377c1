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
        "It takes two features, the sine and the cosine of one angle, to give 1.": D_MODEL,
        "This is the length, but its square was asked for.": (D_MODEL / 2) ** 0.5,
        "This is what a single hand contributes, and a row has many.": 1,
        "This is the length of a row of ones. Sines are smaller, and the square was asked for.": D_MODEL**0.5,
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
        "flips the sign of the exponent": lambda d, base: 2 * np.pi * base ** (-np.arange(0, d, 2) / d),
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

    def with_base_1_all_waves_are_equal(self, answer, rng):
        expect_close(answer(6, 1.0), np.full(3, 2 * np.pi), "d_model=6, base=1: all wavelengths should be equal")


def _encoding(p, d_model):
    angles = p * 10000.0 ** (-np.arange(0, d_model, 2) / d_model)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(d_model)


def _turned(row, factor=0.5, exponent=1.0):
    """Turn each hand by a multiple of its speed."""
    speeds = 10000.0 ** (-exponent * np.arange(0, len(row), 2) / len(row))
    sine, cosine, cos, sin = row[::2], row[1::2], np.cos(factor * speeds), np.sin(factor * speeds)
    return np.stack([cos * sine + sin * cosine, cos * cosine - sin * sine], axis=-1).reshape(len(row))


def _turned_evenly(row):
    """Turn all hands by the angle of the first."""
    sine, cosine, cos, sin = row[::2], row[1::2], np.cos(0.5), np.sin(0.5)
    return np.stack([cos * sine + sin * cosine, cos * cosine - sin * sine], axis=-1).reshape(len(row))


@chapter.write(
    "Halfway · easy · 2 points · 10 minutes · may use NumPy",
    right=_turned,
    wrong={
        "gives the row itself": lambda row: row,
        "takes the mean with the next row": lambda row: (row + _turned(row, 1)) / 2,
        "turns by a whole step": lambda row: _turned(row, 1),
        "turns back instead of ahead": lambda row: _turned(row, -0.5),
        "forgets the 2 in the exponent": lambda row: _turned(row, exponent=0.5),
        "turns all hands by the same angle": _turned_evenly,
        "takes the cosine for the sine": lambda row: _turned(row.reshape(-1, 2)[:, ::-1].ravel()),
    },
)
class halfway:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(np.array([0.0, 1.0]))
        expect_close(got, [np.sin(0.5), np.cos(0.5)], "position 0, d_model=2")

    def the_definition__at_a_position_that_is_not_told(self, answer, rng):
        p = int(rng.integers(1, 1000))
        got = answer(_encoding(p, 12))
        expect_close(got, _encoding(p + 0.5, 12), f"position {p}, d_model=12", atol=1e-9)

    def two_halves_make_a_step(self, answer, rng):
        p = int(rng.integers(1, 1000))
        got = answer(np.asarray(answer(_encoding(p, 6))))
        expect_close(got, _encoding(p + 1, 6), f"twice from position {p}, d_model=6", atol=1e-9)

    def every_hand_has_length_1(self, answer, rng):
        p = int(rng.integers(1, 1000))
        pairs = np.reshape(answer(_encoding(p, 8)), (4, 2))
        expect_close(np.linalg.norm(pairs, axis=-1), np.ones(4), "length of each pair, d_model=8", atol=1e-9)


@chapter.diagnose(
    "A wrong line · medium · 3 points · 15 minutes · may use NumPy",
    """
def sinusoidal(positions, d_model):
    speeds = 10000.0 ** (-np.arange(d_model // 2) / d_model)
!   speeds = 10000.0 ** (-2 * np.arange(d_model // 2) / d_model)
?   The exponent is -2i/d_model, and the 2 is missing. In a wide row the slowest hand then turns by about 0.01 from
?   one position to the next, instead of 0.0001, so the longest wave is a hundred times too short. No shape shows it.
    angles = positions[:, None] * speeds  # (T, d_model / 2)
?   Each position times each speed is the angle of each hand. This is right, if the speeds are.
    pairs = np.stack([np.sin(angles), np.cos(angles)], axis=-1)
?   This puts the sine and the cosine of each angle side by side, so that all rows have the same length.
    return pairs.reshape(len(positions), d_model)
?   This joins the last two axes, the pairs and their two members, into one: sine, cosine, sine, cosine, and so on.
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

    def dot_products_depend_on_the_distance_only(self, answer, rng):
        positions, n = np.array([3, 10, 40]), int(rng.integers(1, 500))
        here, there = (np.asarray(answer(places, 8)) for places in (positions, positions + n))
        expect_close(there @ there.T, here @ here.T, f"dot products of three rows, all moved by {n}", atol=1e-9)


@chapter.predict(
    "Ten positions back · easy · 2 points · 10 minutes · may use a pocket calculator",
    ("row 1, column 1", "row 1, column 2", "row 2, column 1", "row 2, column 2"),
    right=(0.5, -(0.75**0.5), 0.75**0.5, 0.5),
    wrong={
        "This turns the hand back: with it a query looks two positions behind itself.": (
            0.5,
            0.75**0.5,
            -(0.75**0.5),
            0.5,
        ),
        "This turns by 30°, which is one position.": (0.75**0.5, -0.5, 0.5, 0.75**0.5),
        "A turn changes both entries: each new one needs the sine and the cosine.": (0.5, 0.0, 0.0, 0.5),
        "Without a minus sign this is not a rotation.": (0.5, 0.75**0.5, 0.75**0.5, 0.5),
        "This turns by 90°, which is three positions.": (0.0, -1.0, 1.0, 0.0),
    },
)
def two_ahead(rng):
    """Solve for the matrix that carries some rows to the rows two positions later."""
    angles = np.deg2rad(30 * rng.permutation(12)[:5])
    here, ahead = (np.stack([np.sin(a), np.cos(a)], axis=-1) for a in (angles, angles + np.deg2rad(60)))
    return np.linalg.lstsq(here, ahead)[0].ravel()


def _first_step(rows, rate=2.0):
    """Count in how many pairs each row is the earlier and in how many the later, and add the rows up once."""
    T = len(rows)
    return rate / 2 * (T - 1 - 2 * np.arange(T)) @ np.asarray(rows)


def _loss(query, rows):
    """Add up the losses of all pairs."""
    scores = rows @ query
    earlier, later = np.triu_indices(len(rows), 1)
    return np.log1p(np.exp(scores[later] - scores[earlier])).sum()


def _centered_in_place(rows):
    rows -= rows.mean(axis=0)
    return _first_step(rows)


@chapter.write(
    "The first step of all pairs · easy · 2 points · 15 minutes · may use NumPy",
    right=_first_step,
    wrong={
        "adds up how far the features rise": lambda rows: -_first_step(rows),
        "takes neighbors only": lambda rows: rows[0] - rows[-1],
        "takes each pair in both orders": lambda rows: np.zeros(rows.shape[1]),
        "takes the mean of the pairs": lambda rows: _first_step(rows) * 2 / (len(rows) * (len(rows) - 1)),
        "forgets the learning rate": lambda rows: _first_step(rows, 1.0),
        "forgets the weight of one half": lambda rows: _first_step(rows, 4.0),
        "takes the pairs of the first position only": lambda rows: len(rows) * rows[0] - rows.sum(axis=0),
        "leaves out the last position": lambda rows: _first_step(rows[:-1]),
        "forgets the later position": lambda rows: (len(rows) - 1 - np.arange(len(rows))) @ rows,
        "counts every fall as positive": lambda rows: np.abs(_first_step(rows)),
        "changes the rows": _centered_in_place,
    },
)
class first_step:
    def the_case_of_the_chapter(self, answer, rng):
        rows = np.array([[1, 0], [0.5, 0.1], [-0.5, 0.2], [-1, 0.3]])
        expect_close(answer(rows), [7, -1], "the cosine and the sine of the chapter, T=4", atol=1e-9)

    def one_pair_adds_its_fall(self, answer, rng):
        rows = rng.normal(size=(2, 3))
        expect_close(answer(rows), rows[0] - rows[1], "two positions", atol=1e-9)

    def a_feature_that_with_mirrored_halves_adds_up_to_0(self, answer, rng):
        """a feature that falls as far as it rises adds up to 0"""
        half = rng.normal(size=4)
        rows = np.stack([[*half, *half[::-1]], np.arange(8.0)], axis=-1)
        expect_close(answer(rows), [0, -84], "a mirrored feature, and the number of the position", atol=1e-9)

    def it_is_a_step_against_the_slope_of_the_loss(self, answer, rng):
        rows, width = rng.normal(size=(6, 3)), 1e-5
        slopes = [(_loss(width * e, rows) - _loss(-width * e, rows)) / (2 * width) for e in np.eye(3)]
        expect_close(answer(rows.copy()), -2 * np.array(slopes), "6 positions, slopes by finite differences", atol=1e-5)

    def the_same_number_added_at_all_positions_changes_nothing(self, answer, rng):
        rows = rng.normal(size=(5, 4))
        expect_close(answer(rows + rng.normal(size=4)), answer(rows.copy()), "5 positions, moved", atol=1e-9)
