"""Laws of the figure of blocks: for every query and every number of blocks it shows what NumPy merges."""

import numpy as np
import pytest

from tests.browser.marks import marks

PAGE = "book/attention_cost.html"
T, CHUNK = 12, 3


@pytest.fixture(scope="module")
def numbers():
    """Scores and values, drawn as the chapter draws them."""
    rng = np.random.default_rng(4)
    return 1.5 * rng.normal(size=(T, T)), rng.normal(size=T)


def average(scores, values):
    e = np.exp(scores - scores.max())
    return scores.max(), e.sum(), e @ values / e.sum()


def test_partial_and_merged_results_equal_numpy_at_every_stop(figure, numbers):
    scores, values = numbers
    query_slider, taken_slider = figure.locator("input[type=range]").all()
    query_slider.press("Home")
    for query in range(T):
        taken_slider.press("Home")
        for taken in range(1, T // CHUNK + 1):
            assert (int(query_slider.input_value()), int(taken_slider.input_value())) == (query, taken)
            seen = min(query + 1, CHUNK * taken)
            (running,) = marks(figure, "running_marks")
            got = [running["largest"], running["sum"], running["output"], running["whole"]]
            whole = average(scores[query, : query + 1], values[: query + 1])[-1]
            expected = [*average(scores[query, :seen], values[:seen]), whole]
            np.testing.assert_allclose(got, expected, rtol=0, atol=1e-12)

            partials = {(mark["block"], mark["line"]): mark["number"] for mark in marks(figure, "partials_marks")}
            assert {block for block, _ in partials} == set(range(-(-seen // CHUNK)))
            for start in range(0, seen, CHUNK):
                part = slice(start, min(start + CHUNK, seen))
                m, l, _ = average(scores[query, part], values[part])  # noqa: E741
                got = [partials[start // CHUNK, line] for line in ("m", "l", "factor")]
                np.testing.assert_allclose(got, [m, l, np.exp(m - expected[0])], rtol=0, atol=1e-12)
            taken_slider.press("ArrowRight")
        query_slider.press("ArrowRight")


def test_blocks_in_the_future_are_skipped_and_the_others_taken_in_turn(figure):
    query_slider, taken_slider = figure.locator("input[type=range]").all()
    query_slider.press("End")
    taken_slider.press("Home")
    for taken in range(1, T // CHUNK + 1):
        states = {(cell["query"] // CHUNK, cell["block"]): cell["state"] for cell in marks(figure, "cells_marks")}
        for (row, block), state in states.items():
            last = row == T // CHUNK - 1
            if block > row:
                assert state == "skipped"
            elif last and block >= taken:
                assert state == "waiting"
            else:
                assert state == ("now" if last and block == taken - 1 else "done")
        taken_slider.press("ArrowRight")
    assert sum(state == "skipped" for state in states.values()) == 6


def test_shades_are_exponentials_below_the_maximum_so_far(figure, numbers):
    scores, _ = numbers
    query_slider, taken_slider = figure.locator("input[type=range]").all()
    query_slider.press("End")
    taken_slider.press("Home")
    cells = {cell["key"]: cell["e"] for cell in marks(figure, "cells_marks") if cell["query"] == T - 1}
    top = scores[-1, :CHUNK].max()
    for key, e in cells.items():
        assert e == pytest.approx(np.exp(scores[-1, key] - top) if key < CHUNK else 0, abs=1e-12)
