"""Laws of the live figures on normalization: what they draw is what NumPy computes, and the keyboard moves it."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/normalization.html"
RANGE, RADIO = "input[type=range]", "input[type=radio]"
FOUR = np.arange(1, 17).reshape(4, 4) / 10
EPS = 1e-5


@pytest.fixture
def norms(figures):
    return figures[0]


@pytest.fixture
def depth(figures):
    return figures[1]


def normalized(x, norm):
    """Written out here, so that the figure is not compared with the code that feeds it."""
    if norm == "none":
        return x
    if norm == "RMS":
        return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + EPS)
    axis = {"layer": 1, "batch": 0}[norm]
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + EPS)


def expected(figure, norm):
    stretch, shift = (float(figure.locator(RANGE).nth(i).input_value()) for i in range(2))
    moved = FOUR.copy()
    moved[1] = stretch * moved[1] + shift
    return normalized(moved, norm)


NAMES = ["none", "layer", "batch", "RMS"]


@pytest.mark.parametrize("norm", NAMES)
def test_the_table_equals_numpy_while_the_keyboard_moves(norms, norm):
    norms.locator(RADIO).nth(NAMES.index(norm)).check()
    for slider, key in ((0, "End"), (1, "Home"), (0, "ArrowLeft"), (0, "Home"), (1, "PageUp"), (1, "End")):
        norms.locator(RANGE).nth(slider).press(key)
        values = expected(norms, norm)
        cells = marks(norms, "numbers_marks")
        np.testing.assert_allclose([cell["after"] for cell in cells], values.ravel(), rtol=0, atol=1e-12)
        changed = np.abs(values - normalized(FOUR, norm)) > 0.005
        assert [bool(cell["changed"]) for cell in cells] == changed.ravel().tolist()
        (count,) = marks(norms, "count_marks")
        assert count["label"] == f"{changed.sum()} of 16 numbers differ from before"
        widths = norms.locator("g.fills_marks path").evaluate_all("all => all.map(e => e.getAttribute('stroke-width'))")
        assert [width == "2.5" for width in widths] == changed.ravel().tolist()


@pytest.mark.parametrize(("norm", "stretched", "shifted"), [("layer", 0, 0), ("RMS", 0, 4), ("batch", 16, 16)])
def test_what_the_chapter_says_is_invariant(norms, norm, stretched, shifted):
    norms.locator(RADIO).nth(NAMES.index(norm)).check()
    for slider, total in ((0, stretched), (1, shifted)):
        norms.locator(RANGE).nth(slider).press("End")
        (count,) = marks(norms, "count_marks")
        assert count["total"] == total
        norms.locator(RANGE).nth(slider).fill("1" if slider == 0 else "0")


def test_every_depth_has_its_layers(depth):
    slider = depth.locator(RANGE)
    for stop, layers in enumerate((2, 6, 12, 24)):
        slider.fill(str(stop))
        dots = marks(depth, "dots_marks")
        assert [dot["layer"] for dot in dots] == 2 * list(range(1, layers + 1))
        assert all(0 < dot["value"] < 3 for dot in dots)
        assert depth.locator("output").text_content() == f"{layers} blocks"
