"""Laws of the live figure on the language model's heads: each setting draws its own map, and the bars average it."""

import json

import numpy as np
import pytest

from tests.browser.drawn import drawn

PAGE = "book/language_model.html"
RANGE = "input[type=range]"


@pytest.fixture
def maps(page):
    return page.locator(".live-figure").filter(has_text="mean weight on the").first


def settings(figure):
    sliders = figure.locator(RANGE)
    return [int(sliders.nth(i).input_value()) for i in range(sliders.count())]


def test_maps_follow_the_keyboard(maps):
    seen = set()
    for slider, key in ((0, "Home"), (1, "End"), (2, "End"), (0, "End"), (1, "Home"), (2, "Home")):
        maps.locator(RANGE).nth(slider).press(key)
        stage, layer, head = settings(maps)
        n_layers, n_heads = (int(maps.locator(RANGE).nth(i).get_attribute("max")) + 1 for i in (1, 2))
        cells = drawn(maps, "cells_marks")
        T = 1 + max(cell["query"] for cell in cells)
        weights = np.zeros((T, T))
        for cell in cells:
            assert cell["weight"] == cell["maps"][(stage * n_layers + layer) * n_heads + head]
            weights[cell["query"], cell["key"]] = cell["weight"]
        np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=T * 5.001e-5)
        assert (np.triu(weights, 1) == 0).all()
        marked = [(cell["query"], cell["key"]) for cell in drawn(maps, "marked_marks")]
        expected = [weights.diagonal().mean(), weights.diagonal(-1).mean(), np.mean([weights[at] for at in marked])]
        shares = [bar["share"] for bar in sorted(drawn(maps, "targets_marks"), key=lambda bar: bar["number"])]
        np.testing.assert_allclose(shares, expected, rtol=0, atol=1e-12)
        seen.add(weights.tobytes())
    assert len(seen) >= 4


def test_outlined_keys_follow_a_copy_of_the_querys_token(maps):
    spec = json.loads(maps.locator("script").first.text_content())["spec"]
    tokens = maps.locator("tbody th").all_text_contents()
    marked = [(cell["query"], cell["key"]) for cell in drawn(maps, "marked_marks")]
    assert spec["signals"]
    assert marked
    for query, key in marked:
        assert key <= query
        assert tokens[key - 1] == tokens[query]
