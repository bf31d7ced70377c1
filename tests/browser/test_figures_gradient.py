"""Laws of the live gradient map: what it draws is what NumPy computes, at every row and stage."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/attention_backward.html"
STAGES = ("weights A", "gradient of the weights", "gradient of the scores")


def matrix(figure, mark, field):
    cells = marks(figure, mark)
    T = 1 + max(cell["key"] for cell in cells)
    values = np.full((T, T), np.nan)
    for cell in cells:
        values[cell["query"], cell["key"]] = cell[field]
    return values


def inputs(figure):
    """The four arrays that travelled with the page: gradient of the output, queries, keys and values."""
    cells = marks(figure, "cells_marks")
    rows = {cell["query"]: cell for cell in cells}, {cell["key"]: cell for cell in cells}
    widths = {name: sum(f"{name}{a}" in cells[0] for a in range(9)) for name in "gqkv"}
    return [
        np.array([[rows[axis][t][f"{name}{a}"] for a in range(widths[name])] for t in range(len(rows[axis]))])
        for name, axis in (("g", 0), ("q", 0), ("k", 1), ("v", 1))
    ]


def expected(figure, row):
    """Written out here, with a causal mask, so that the figure is not compared with the package."""
    d_output, q, k, v = inputs(figure)
    T = len(q)
    seen, root = np.tri(T, dtype=bool), np.sqrt(q.shape[-1])
    weights = np.where(seen, np.exp(q @ k.T / root), 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    d_output = d_output * (np.arange(T) == row)[:, None] if row < T else d_output
    d_weights = np.where(seen, d_output @ v.T, 0)
    d_scores = weights * (d_weights - (weights * d_weights).sum(axis=-1, keepdims=True))
    arrived = d_scores @ k / root, d_scores.T @ q / root, weights.T @ d_output
    lengths = {
        part: np.linalg.norm(array, axis=-1)
        for part, array in zip(("d_query", "d_key", "d_value"), arrived, strict=True)
    }
    return dict(zip(STAGES, (weights, d_weights, d_scores), strict=True)), lengths


def test_every_row_and_stage_equals_numpy(figure):
    slider = figure.locator("input[type=range]")
    slider.press("Home")
    for row in range(6):
        stages, lengths = expected(figure, row)
        for stage, values in stages.items():
            figure.get_by_label(stage, exact=True).check()
            np.testing.assert_allclose(matrix(figure, "cells_marks", "shown"), values, rtol=0, atol=1e-12)
            sums = [item["row_sum"] for item in sorted(marks(figure, "sums_marks"), key=lambda item: item["query"])]
            np.testing.assert_allclose(sums, values.sum(axis=-1), rtol=0, atol=1e-12)
        for item in marks(figure, "arrivals_marks"):
            assert item["length"] == pytest.approx(lengths[item["part"]][item["key"]], rel=0, abs=1e-12)
        slider.press("ArrowRight")
    assert int(slider.input_value()) == 5


def test_score_gradients_sum_to_zero_at_every_row(figure):
    figure.get_by_label("gradient of the scores", exact=True).check()
    slider = figure.locator("input[type=range]")
    for key in ("Home", "End", "ArrowLeft", "PageDown"):
        slider.press(key)
        assert all(abs(item["row_sum"]) < 1e-12 for item in marks(figure, "sums_marks"))
        assert not any(text.startswith("-") for text in figure.locator("g.sums_marks text").all_text_contents())


def test_the_chosen_row_is_named(figure):
    slider = figure.locator("input[type=range]")
    slider.press("End")
    assert figure.locator("output").text_content() == "all rows"
    slider.press("Home")
    assert figure.locator("output").text_content() == "Jane"
