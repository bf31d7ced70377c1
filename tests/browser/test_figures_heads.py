"""Laws of the live figures on heads: what they draw is what NumPy computes, and the keyboard moves everything."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/multi_head_attention.html"
RANGE = "input[type=range]"
# n_layers, n_heads, n_kv_heads, d_k: written out here, so that the figure is not compared with what feeds it.
MODELS = np.array([(12, 12, 12, 64), (32, 32, 32, 128), (80, 64, 8, 128), (32, 32, 8, 128), (32, 32, 8, 128)])


@pytest.fixture
def cache(figures):
    return figures[0]


@pytest.fixture
def maps(figures):
    return figures[1]


def settings(figure):
    sliders = figure.locator(RANGE)
    return [int(sliders.nth(i).input_value()) for i in range(sliders.count())]


def test_bytes_follow_the_keyboard(cache):
    n_layers, n_heads, n_kv_heads, d_k = MODELS.T
    for slider, key in ((0, "Home"), (1, "End"), (0, "End"), (0, "ArrowLeft"), (1, "Home")):
        cache.locator(RANGE).nth(slider).press(key)
        power, width = settings(cache)
        expected = 2 * n_layers * np.stack([n_kv_heads, n_heads]) * d_k * 2.0**power * width / 2**30
        for mark, field, gib in (("built_marks", "gib", expected[0]), ("full_marks", "full", expected[1])):
            np.testing.assert_allclose([row[field] for row in marks(cache, mark)], gib, rtol=1e-12)


def test_maps_follow_the_keyboard(maps):
    """Each setting draws its own map, and the bars average it over the cells they name."""
    seen = set()
    for slider, key in ((0, "Home"), (1, "Home"), (2, "End"), (0, "End"), (1, "End"), (2, "Home")):
        maps.locator(RANGE).nth(slider).press(key)
        stage, layer, head = settings(maps)
        cells = marks(maps, "cells_marks")
        weights = np.zeros((16, 16))
        for cell in cells:
            assert cell["weight"] == cell["maps"][(stage * 2 + layer) * 4 + head]
            weights[cell["query"], cell["key"]] = cell["weight"]
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=16 * 5.001e-5)
        assert (np.triu(weights, 1) == 0).all()
        before, after = (weights.diagonal(-1).mean(), weights[np.arange(8, 16), np.arange(1, 9)].mean())
        shares = [bar["share"] for bar in sorted(marks(maps, "targets_marks"), key=lambda bar: bar["number"])]
        np.testing.assert_allclose(shares, [before, after], rtol=0, atol=1e-12)
        seen.add(weights.tobytes())
    assert len(seen) >= 4


def test_outlined_cells_follow_the_same_letter(maps):
    marked = [(cell["query"], cell["key"]) for cell in marks(maps, "marked_marks")]
    assert marked == [(query, query - 7) for query in range(8, 16)]


def test_trained_heads_do_what_the_text_says(maps):
    maps.locator(RANGE).nth(0).press("End")
    (cell, *_) = marks(maps, "cells_marks")
    assert len(cell["maps"]) == 4 * 2 * 4
    every = np.zeros((4, 2, 4, 16, 16))
    for cell in marks(maps, "cells_marks"):
        every[..., cell["query"], cell["key"]] = np.reshape(cell["maps"], (4, 2, 4))
    copied = every[..., np.arange(8, 16), np.arange(1, 9)].mean(axis=-1)  # (stage, layer, head)
    assert copied[-1, 1].max() > 0.6
    assert copied[0].max() < 0.4
    assert np.diagonal(every, -1, -2, -1).mean(axis=-1)[-1, 0].max() > 0.6
