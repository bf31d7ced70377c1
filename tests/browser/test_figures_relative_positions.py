"""Laws of the live figure on rotary positions: it draws what NumPy computes, and the keyboard moves everything."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/relative_positions.html"
RANGE = "input[type=range]"


@pytest.fixture
def clocks(figures):
    return figures[0]


def by_pair(figure, field):
    """A field of the angles' data, (pairs, 3): query, key, difference."""
    rows = marks(figure, "angles_marks")
    assert [row["line"] for row in rows[:3]] == ["query", "key", "difference"]
    return np.array([row[field] for row in rows]).reshape(-1, 3)


def settings(figure):
    sliders = figure.locator(RANGE)
    return [int(sliders.nth(i).input_value()) for i in range(2)]


def test_angles_equal_numpy_while_sliders_move(clocks):
    starts = np.array([[row["start_q"], row["start_k"]] for row in marks(clocks, "circles_marks")])  # (pairs, 2)
    sizes = np.array([row["size"] for row in marks(clocks, "circles_marks")])
    frequencies = 10000.0 ** (-np.arange(len(starts)) / len(starts))
    for slider, key in ((0, "End"), (1, "End"), (0, "ArrowLeft"), (1, "Home"), (0, "Home"), (1, "ArrowRight")):
        clocks.locator(RANGE).nth(slider).press(key)
        position, offset = settings(clocks)
        query, key_angle = starts[:, 0] + (position + offset) * frequencies, starts[:, 1] + position * frequencies
        expected = np.stack([query, key_angle, query - key_angle], axis=-1)
        np.testing.assert_allclose(by_pair(clocks, "angle"), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(by_pair(clocks, "x"), np.cos(expected), rtol=0, atol=1e-12)
        np.testing.assert_allclose(by_pair(clocks, "y"), np.sin(expected), rtol=0, atol=1e-12)
        (score,) = marks(clocks, "score_marks")
        np.testing.assert_allclose(score["score"], (sizes * np.cos(query - key_angle)).sum(), rtol=0, atol=1e-12)


def test_position_turns_the_hands_and_leaves_differences_and_score(clocks):
    before, (score,) = by_pair(clocks, "angle"), marks(clocks, "score_marks")
    clocks.locator(RANGE).first.press("End")
    after, (score_after,) = by_pair(clocks, "angle"), marks(clocks, "score_marks")
    assert (np.abs(after - before)[:, :2] > 1e-3).all()
    np.testing.assert_allclose(after[:, 2], before[:, 2], rtol=0, atol=1e-12)
    assert score_after["score"] == pytest.approx(score["score"], abs=1e-12)


def test_hands_point_where_the_angles_say(clocks):
    for hand in marks(clocks, "hands_marks"):
        tip = np.array([hand["tip_x"] - hand["centre_x"], hand["centre_y"] - hand["tip_y"]])
        expected = np.linalg.norm(tip) * np.array([hand["x"], hand["y"]])
        np.testing.assert_allclose(tip, expected, rtol=0, atol=1e-9)
