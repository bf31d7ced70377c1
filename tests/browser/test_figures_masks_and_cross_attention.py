"""Laws of the leak map: what it draws is what NumPy computes, whichever token is replaced under whichever mask."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/masks_and_cross_attention.html"
RANGE, RADIO = "input[type=range]", "input[type=radio]"
T = 6
MASKS = {
    "none": np.ones((T, T), dtype=bool),
    "causal": np.tri(T, dtype=bool),
    "padding": np.tile(np.arange(T) < 4, (T, 1)),
    "causal and padding": np.tri(T, dtype=bool) & (np.arange(T) < 4),
}


def attention(x, weights, mask):
    """Written out here, so that the figure is not compared with the code that feeds it."""
    q, k, v = ((x @ w).round(6) for w in weights)  # as the chapter hands them over
    scores = np.where(mask, q @ k.T / np.sqrt(x.shape[1]), -np.inf)
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    alpha = exponentials / exponentials.sum(axis=-1, keepdims=True)
    return alpha @ v, alpha


def drawing_of_the_chapter():
    """The sentence, its replacements and the weights, drawn as the chapter draws them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(T, 8))
    return x, np.random.default_rng(3).normal(size=(T, 8)), rng.normal(size=(3, 8, 8)) / np.sqrt(8)


@pytest.mark.parametrize("name", MASKS)
def test_weights_and_movements_equal_numpy(figure, name):
    x, others, weights = drawing_of_the_chapter()
    figure.get_by_label(name, exact=True).check()
    slider = figure.locator(RANGE)
    slider.press("Home")
    for token in range(T):
        assert int(slider.input_value()) == token
        other = np.where(np.arange(T)[:, None] == token, others, x)
        output, alpha = attention(other, weights, MASKS[name])
        moved = np.linalg.norm(output - attention(x, weights, MASKS[name])[0], axis=-1)
        cells = sorted(marks(figure, "cells_marks"), key=lambda cell: (cell["query"], cell["key"]))
        got = np.array([cell["weight_new"] for cell in cells]).reshape(T, T)
        np.testing.assert_allclose(got, alpha, rtol=0, atol=1e-12)
        bars = sorted(marks(figure, "bars_marks"), key=lambda bar: bar["query"])
        np.testing.assert_allclose([bar["moved"] for bar in bars], moved, rtol=0, atol=1e-12)
        ahead = (np.arange(T) < token) & (moved > 1e-12)
        np.testing.assert_array_equal([bar["ahead"] for bar in bars], ahead)
        slider.press("ArrowRight")


def test_the_causal_mask_leaves_the_past_where_it_was(figure):
    figure.get_by_label("causal", exact=True).check()
    for token in range(T):
        bars = marks(figure, "bars_marks")
        assert all(bar["moved"] == 0 for bar in bars if bar["query"] < int(figure.locator(RANGE).input_value()))
        figure.locator(RANGE).press("ArrowRight" if token else "Home")


def test_masks_and_tokens_are_chosen_by_keyboard_and_named(figure):
    slider = figure.locator(RANGE)
    slider.press("Home")
    assert slider.get_attribute("aria-valuetext") == "<sos>"
    figure.locator(RADIO).first.focus()
    for name in list(MASKS)[1:]:
        figure.page.keyboard.press("ArrowDown")
        assert figure.get_by_label(name, exact=True).is_checked()
