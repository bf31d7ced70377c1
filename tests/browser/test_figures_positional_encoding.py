"""Laws of the live figure on positions that are added: it draws what NumPy computes, and the keyboard moves it."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/positional_encoding.html"
RANGE = "input[type=range]"


@pytest.fixture
def matrix(figures):
    return figures[0]


def sinusoidal(T, d_model):
    """Written out here, so that the figure is not compared with the code that feeds it."""
    angles = np.outer(np.arange(T), 10000.0 ** (-np.arange(0, d_model, 2) / d_model))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(T, d_model)


def test_the_map_is_the_sinusoidal_encoding(matrix):
    cells = marks(matrix, "entries_marks")
    T, d_model = 1 + max(c["row"] for c in cells), 1 + max(c["feature"] for c in cells)
    values = np.zeros((T, d_model))
    for cell in cells:
        values[cell["row"], cell["feature"]] = cell["value"]
    np.testing.assert_allclose(values, sinusoidal(T, d_model), rtol=0, atol=1e-12)


def test_row_and_products_follow_the_keyboard(matrix):
    slider = matrix.locator(RANGE)
    slider.focus()
    for key in ("Home", "PageUp", "ArrowRight", "End", "ArrowLeft"):
        slider.press(key)
        position, table = int(slider.input_value()), sinusoidal(48, 32)
        profile = [bar["value"] for bar in sorted(marks(matrix, "profile_marks"), key=lambda bar: bar["feature"])]
        np.testing.assert_allclose(profile, table[position], rtol=0, atol=1e-12)
        products = [bar["product"] for bar in sorted(marks(matrix, "products_marks"), key=lambda bar: bar["row"])]
        np.testing.assert_allclose(products, table @ table[position], rtol=0, atol=1e-12)
        (outline,) = marks(matrix, "chosen_row_marks")
        assert outline["row"] == position
