"""Laws of the live figure on hidden units: what it draws is what NumPy computes, and the keyboard moves it."""

import numpy as np
import pytest
from scipy.special import erf

from tests.browser.marks import marks

PAGE = "book/feed_forward.html"
RANGE, RADIO = "input[type=range]", "input[type=radio]"
WIDTHS = [1, 2, 4, 8, 16]
# Written out here, so that the figure is not compared with what feeds it.
BENDS = {
    "none": lambda z: z,
    "ReLU": lambda z: np.maximum(z, 0),
    "GELU": lambda z: z * (1 + erf(z / np.sqrt(2))) / 2,
    "SiLU": lambda z: z / (1 + np.exp(-z)),
}


def expected(x, n, bend):
    places = np.linspace(-3, 3, n + 1)
    values = np.sin(2 * places).round(4)
    slopes = np.diff(values) / np.diff(places)
    steep = 3 / np.diff(places)
    w, b, v = steep.round(6), (-steep * places[:-1]).round(6), (np.diff(slopes, prepend=0) / steep).round(6)
    return bend(w * x[:, None] + b) @ v + values[0]


@pytest.mark.parametrize("name", BENDS)
def test_the_layer_equals_numpy_while_the_keyboard_moves(figure, name):
    figure.locator(RADIO).nth(list(BENDS).index(name)).check()
    slider = figure.locator(RANGE)
    for key in ("End", "ArrowLeft", "ArrowLeft", "Home", "ArrowRight"):
        slider.press(key)
        n = WIDTHS[int(slider.input_value())]
        assert figure.locator("output").text_content() == f"{n} unit" + "s" * (n > 1)
        points = marks(figure, "sum_marks")
        x, values = np.array([(point["x"], point["layer"]) for point in points]).T
        assert len(x) == 121
        np.testing.assert_allclose(values, expected(x, n, BENDS[name]), rtol=0, atol=1e-12)
        (worst,) = marks(figure, "worst_marks")
        apart = np.abs(expected(np.linspace(-3, 3, 121), n, BENDS[name]) - np.sin(2 * np.linspace(-3, 3, 121))).max()
        assert worst["worst"] == pytest.approx(apart, abs=2e-4)


def test_more_units_come_closer_only_with_a_bend(figure):
    def worst(activation):
        figure.locator(RADIO).nth(activation).check()
        found = []
        for key in ("Home", *["ArrowRight"] * 4):
            figure.locator(RANGE).press(key)
            (label,) = marks(figure, "worst_marks")
            found.append(label["worst"])
        return found

    for activation in (1, 2, 3):
        assert worst(activation)[-1] < 0.1
    assert min(worst(0)) > 1
