"""Laws of the figures on attention: what they draw is what NumPy computes, and the keyboard moves everything."""

import numpy as np
import pytest

from tests.browser.figure import close

CELLS = ("query", "key")


def softmax(scores, mask=True):
    """Written out here, so that no figure is compared with the code that feeds it."""
    scores = np.where(mask, scores, -np.inf)
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def test_weights_are_the_softmax_under_every_factor(live_figure):
    figure, label = live_figure("attention"), "Factor on the scores"
    scores, stops, seen = figure.matrix("cells_marks", "value"), figure.listed("factor"), set()
    mask = np.tri(len(scores), dtype=bool)
    assert ((~np.isnan(scores)) == mask).all()
    for key in ("Home", "PageUp", "ArrowRight", "ArrowRight", "ArrowLeft", "PageDown", "End"):
        figure.press(key, label)
        position = float(figure.slider(label).input_value())
        weights = softmax(np.interp(position, range(len(stops)), stops) * np.nan_to_num(scores), mask)
        figure.expect("cells_marks", *CELLS, weight=weights)
        close(figure.drawn("cells_marks", "path.getAttribute('fill-opacity')"), weights.ravel())
        seen.add(weights.tobytes())
    close(weights, mask / mask.sum(axis=-1, keepdims=True))  # the flat average of what is seen
    assert len(seen) > 4


def test_the_trained_head_looks_at_one_key_and_the_untrained_one_at_several(live_figure):
    figure, largest = live_figure("attention"), {}
    for name in figure.choices():
        largest[name] = figure.matrix("cells_marks", "weight")[-1].max()
    assert list(largest) == ["trained", "untrained"]
    assert largest["trained"] > 0.5 > largest["untrained"]


def test_a_query_is_chosen_by_keyboard_and_by_pointer(live_figure):
    figure = live_figure("attention")
    rows = [figure.values("bars_marks", "query")[0] for _ in figure.choices(1)]
    assert rows == list(range(len(rows)))
    figure.root.locator("input[type=radio]").last.check()
    figure.root.locator("g.cells_marks path").first.hover(force=True)
    first = "f => [...f.querySelectorAll('fieldset fieldset')].pop().querySelector('input').checked"
    figure.page.wait_for_function(first, arg=figure.root.element_handle())
    assert figure.values("bars_marks", "query")[0] == 0


def test_bytes_of_caches_follow_the_keyboard(live_figure):
    figure = live_figure("key_value_cache")
    models = [(12, 12, 12, 64), (32, 32, 32, 128), (80, 64, 8, 128), (32, 32, 8, 128), (32, 32, 8, 128)]
    n_layers, n_heads, n_kv_heads, d_k = np.array(models).T
    for key, width in (("Home", 2), ("Home", 4), ("End", 4), ("End", 1), ("ArrowLeft", 1)):
        figure.press(key)
        figure.choose(str(width))
        [power] = figure.settings()
        tokens = np.minimum(2.0**power, [2**17] * 4 + [4096])  # the last model keeps its window alone
        built, full = 2 * n_layers * np.stack([n_kv_heads, n_heads]) * d_k * tokens * width / 2**30
        figure.expect("built_marks", gib=built, atol=0, rtol=1e-12)
        figure.expect("full_marks", full=full, atol=0, rtol=1e-12)


def test_the_line_of_the_card_is_named_and_too_long_a_text_fades_at_every_length(live_figure):
    figure = live_figure("key_value_cache")
    longest = np.array([1024, 4096, 4096, 2**17, 8192])  # what each model was trained for
    for power in figure.walk():
        assert figure.texts("g.card_label_marks text") == ["large card: 80 GiB"]
        for mark in ("built_marks", "full_marks"):
            close(figure.drawn(mark, "path.__data__.opacity"), np.where(2**power > longest, 0.35, 1))


def test_maps_of_heads_follow_the_keyboard_and_bars_average_them(live_figure):
    figure, seen = live_figure("induction_heads"), set()
    for name, slider, key in ((1, 0, "Home"), (1, 1, "End"), (2, 0, "End"), (1, 0, "End"), (2, 1, "Home")):
        figure.choose(f"layer {name}")
        figure.press(key, slider)
        layer, (stage, head) = name - 1, map(int, figure.settings())
        assert all(cell["weight"] == cell["maps"][8 * stage + 4 * layer + head] for cell in figure.marks("cells_marks"))
        weights = figure.matrix("cells_marks", "weight")
        close(weights.sum(axis=-1), 1, atol=16 * 5.001e-5)
        assert (np.triu(weights, 1) == 0).all()
        targets = [weights.diagonal(-1).mean(), weights.diagonal(-7)[1:].mean()]
        figure.expect("targets_marks", "number", share=targets)
        seen.add(weights.tobytes())
        marked = [(cell["query"], cell["key"]) for cell in figure.marks("marked_marks")]
        if layer == 0:  # one letter back
            assert marked == [(query, query - 1) for query in range(1, 16)]
        else:  # after the same letter
            assert marked == [(query, query - 7) for query in range(8, 16)]
    assert len(seen) >= 4


def test_trained_heads_do_what_the_text_says(live_figure):
    every = np.zeros((4, 2, 4, 16, 16))  # stage, layer, head, query, key
    for cell in live_figure("induction_heads").marks("cells_marks"):
        every[..., cell["query"], cell["key"]] = np.reshape(cell["maps"], (4, 2, 4))
    copied = every[..., np.arange(8, 16), np.arange(1, 9)].mean(axis=-1)
    assert copied[-1, 1].max() > 0.6
    assert copied[0].max() < 0.4
    assert np.diagonal(every, -1, -2, -1).mean(axis=-1)[-1, 0].max() > 0.6


T = 4
CAUSAL, THERE = np.tri(T, dtype=bool), np.tile(np.arange(T) >= 1, (T, 1))  # padding on the left
MASKS = {"none": CAUSAL | True, "causal": CAUSAL, "causal and padding": CAUSAL & THERE}


def test_whatever_is_replaced_under_whichever_mask_moves_what_numpy_moves(live_figure):
    figure, rng = live_figure("masks_and_cross_attention"), np.random.default_rng(0)  # as the chapter draws them
    x, others = rng.normal(size=(6, 8))[:T], np.random.default_rng(3).normal(size=(6, 8))[:T]
    projections = rng.normal(size=(3, 8, 8)) / np.sqrt(8)

    def attention(x, mask):
        q, k, v = ((x @ w).round(6) for w in projections)  # as the chapter hands them over
        some = mask.any(axis=-1, keepdims=True)  # no key for the padding under both masks
        weights = some * softmax(q @ k.T / np.sqrt(8), mask | ~some)
        return weights @ v, weights

    names = []
    for name in figure.choices():
        mask = MASKS[name]
        names.append(name)
        for token in figure.walk():
            output, weights = attention(np.where(np.arange(T)[:, None] == token, others, x), mask)
            moved = np.linalg.norm(output - attention(x, mask)[0], axis=-1)
            wrong = (np.arange(T) < token) | ((token == 0) & (np.arange(T) > 0))  # a leak, or moved by the padding
            figure.expect("cells_marks", *CELLS, weight_new=weights)
            figure.expect("bars_marks", "query", moved=moved, fault=wrong & (moved > 1e-12))
            if "causal" in name:
                assert set(figure.values("bars_marks", "moved", "query")[:token]) <= {0}
        figure.press("Home")
        assert figure.slider().get_attribute("aria-valuetext") == "<pad>"
    assert names == list(MASKS)


def average(scores, values):
    e = np.exp(scores - scores.max())
    return scores.max(), e.sum(), e @ values / e.sum()


def test_attention_in_blocks_is_merged_as_in_numpy_at_every_stop(live_figure):
    figure, n, size = live_figure("attention_cost"), 12, 3
    rng = np.random.default_rng(4)  # as the chapter draws them
    scores, values = 1.5 * rng.normal(size=(n, n)), rng.normal(size=n)
    for query in figure.walk(0):
        for taken in figure.walk(1):
            seen = min(query + 1, size * taken)
            largest, total, output = average(scores[query, :seen], values[:seen])
            whole = average(scores[query, : query + 1], values[: query + 1])[-1]
            figure.expect("running_marks", largest=largest, sum=total, output=output, whole=whole)
            expected = {}
            for start in range(0, seen, size):
                part = slice(start, min(start + size, seen))
                m, l, _ = average(scores[query, part], values[part])  # noqa: E741
                numbers = {"m": m, "l": l, "factor": np.exp(m - largest)}
                expected |= {(start // size, name): number for name, number in numbers.items()}
            partials = {(mark["block"], mark["line"]): mark["number"] for mark in figure.marks("partials_marks")}
            assert {block for block, _ in partials} == {block for block, _ in expected}
            assert {line: partials[line] for line in expected} == pytest.approx(expected, rel=0, abs=1e-12)
            if query == n - 1:
                shades = figure.matrix("cells_marks", "e")[-1]
                close(shades, np.where(np.arange(n) < seen, np.exp(scores[-1] - largest), 0))
    assert (query, taken) == (n - 1, n // size)


def test_blocks_in_the_future_are_skipped_and_the_others_taken_in_turn(live_figure):
    figure = live_figure("attention_cost")
    figure.press("End", 0)
    for taken in figure.walk(1):
        states = {(cell["query"] // 3, cell["block"]): cell["state"] for cell in figure.marks("cells_marks")}
        of_the_query = ["done"] * (taken - 1) + ["now"] + ["waiting"] * (4 - taken)
        for (row, block), state in states.items():
            assert state == ("skipped" if block > row else of_the_query[block] if row == 3 else "done")
    assert len(states) == 16
