"""Laws of the attention map: what it draws is what NumPy computes, and the keyboard moves everything."""

import json

import numpy as np
import pytest

PAGE = "book/attention.html"
DRAWN = """figure => [...figure.querySelectorAll('g.cells_marks path')].map(path => {
  const {query, key, value, weight} = path.__data__.datum;
  return {query, key, value, weight, opacity: Number(path.getAttribute('fill-opacity'))};
})"""


@pytest.fixture
def figure(page):
    """The live figure of the attention chapter: one head, trained and untrained, with masked keys."""
    return page.locator(".live-figure").first


@pytest.fixture
def slider(figure):
    """The slider of the factor."""
    return figure.get_by_label("Factor on the scores")


def drawn(figure):
    """Scores and drawn weights, each (T, S), as the browser holds them."""
    cells = figure.evaluate(DRAWN)
    shape = (1 + max(c["query"] for c in cells), 1 + max(c["key"] for c in cells))
    scores, weights, opacity = (
        np.array([-np.inf if c[name] is None else c[name] for c in cells]).reshape(shape)
        for name in ("value", "weight", "opacity")
    )
    return scores, weights, opacity


def weights_of(scores, factor):
    """The softmax of what is seen, written out, so that the figure is not compared with the code that feeds it."""
    seen = scores > -np.inf
    z = factor * np.where(seen, scores, 0)
    e = np.where(seen, np.exp(z - z.max(axis=-1, keepdims=True)), 0)
    return e / e.sum(axis=-1, keepdims=True)


def factor_of(figure):
    """The factor at the slider's position, from the stops written in the specification."""
    spec = json.loads(figure.locator("script").text_content())["spec"]
    formula = next(s["update"] for s in spec["signals"] if s["name"] == "factor")
    stops = json.loads(formula[: formula.index("]") + 1])
    position = float(figure.get_by_label("Factor on the scores").input_value())
    return float(np.interp(position, range(len(stops)), stops))


def test_slider_moved_by_keyboard_changes_weights_and_they_equal_numpy(figure, slider):
    slider.focus()
    before = drawn(figure)[1]
    for key in ("Home", "PageUp", "ArrowRight", "ArrowRight", "End", "ArrowLeft", "PageDown"):
        slider.press(key)
        scores, weights, opacity = drawn(figure)
        expected = weights_of(scores, factor_of(figure))
        np.testing.assert_allclose(weights, expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(opacity, expected, rtol=0, atol=1e-12)
    assert np.abs(weights - before).max() > 1e-3


def test_slider_ends_at_the_flat_average_of_what_is_seen(figure, slider):
    slider.press("End")
    scores, weights, _ = drawn(figure)
    seen = np.tri(len(scores))
    np.testing.assert_array_equal(scores > -np.inf, seen)
    np.testing.assert_allclose(weights, seen / seen.sum(axis=-1, keepdims=True), rtol=0, atol=1e-12)


def test_the_trained_head_looks_at_one_key_and_the_untrained_one_at_several(figure):
    heads = figure.get_by_label("Head")
    assert heads.get_attribute("aria-valuetext") == "trained"
    trained = drawn(figure)[1]
    heads.press("End")
    assert heads.get_attribute("aria-valuetext") == "untrained"
    assert trained[-1].max() > 0.5 > drawn(figure)[1][-1].max()


def shown_row(figure):
    """The query whose weights the bars show."""
    return figure.evaluate("f => f.querySelector('g.bars_marks path').__data__.datum.query")


def test_query_is_chosen_by_keyboard_and_by_pointer(figure):
    figure.locator("input[type=radio]").first.focus()
    start = shown_row(figure)
    figure.page.keyboard.press("ArrowDown")
    assert shown_row(figure) != start
    figure.locator("g.cells_marks path").first.hover(force=True)
    figure.page.wait_for_function("f => f.querySelector('input[type=radio]').checked", arg=figure.element_handle())
    assert shown_row(figure) == 0
