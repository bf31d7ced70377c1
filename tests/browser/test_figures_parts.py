"""Laws of the figures on the other parts of a model: what they draw is what NumPy and the package compute."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.special import erf

from clearformer.tokenizers import BPETokenizer
from linebyline.corpora import docstrings_split
from tests.browser.figure import close

PLACE = "path.getAttribute('transform').match(/-?[\\d.]+/g).map(Number)"
STAGE = "Stage of training"


def test_tokens_are_drawn_at_their_numbers_in_one_plane_and_stages_differ(live_figure):
    figure, spread = live_figure("embeddings"), []
    for _ in figure.walk(STAGE):
        numbers = np.array([(point["x"], point["y"]) for point in figure.marks("points_marks")])
        places = np.array(figure.drawn("points_marks", PLACE))
        for axis, sign in ((0, 1), (1, -1)):  # pixels count downwards
            slope, offset = np.polyfit(numbers[:, axis], places[:, axis], 1)
            close(places[:, axis], slope * numbers[:, axis] + offset, atol=1e-3)
            assert slope * sign > 0
        assert figure.values("points_marks", "token") == list(range(len(numbers)))
        spread.append(numbers.std())
    close(numbers.mean(axis=0), 0, atol=1e-3)  # the plane belongs to the last stage
    assert spread[-1] > spread[0]


def test_the_keyboard_and_the_pointer_reach_every_token_and_twins_are_nearest(live_figure):
    figure, nearest = live_figure("embeddings"), {}
    tokens = figure.listed("chosen_name")
    figure.press("End", STAGE)
    for number in figure.walk("Token"):
        bars = figure.marks("bars_marks", "rank")
        assert {bar["token"] for bar in bars} == {number}
        assert figure.slider("Token").get_attribute("aria-valuetext") == tokens[number]
        cosines = [bar["cosine"] for bar in bars]
        assert cosines == sorted(cosines, reverse=True)
        nearest[tokens[number]] = bars[0]["name"]
    assert list(nearest) == tokens
    assert (nearest["value·1"], nearest["left"]) == ("value·2", "right")
    figure.root.locator("g.points_marks path").nth(5).hover(force=True)
    chosen = "([f, token]) => f.querySelector('[data-output=chosen_name]').value === token"
    figure.page.wait_for_function(chosen, arg=[figure.root.element_handle(), tokens[5]])


# Written out here, so that no figure is compared with the code that feeds it.
ACTIVATIONS = {
    "none": lambda z: z,
    "ReLU": lambda z: np.maximum(z, 0),
    "GELU": lambda z: z * (1 + erf(z / np.sqrt(2))) / 2,
    "SiLU": lambda z: z / (1 + np.exp(-z)),
}


def feed_forward(x, n, activation):
    places = np.linspace(-3, 3, n + 1)
    values = np.sin(2 * places).round(4)
    slopes = np.diff(values) / np.diff(places)
    steep = 3 / np.diff(places)
    w, b, v = steep.round(6), (-steep * places[:-1]).round(6), (np.diff(slopes, prepend=0) / steep).round(6)
    return activation(w * x[:, None] + b) @ v + values[0]


def test_hidden_units_equal_numpy_and_come_closer_only_with_an_activation(live_figure):
    figure, x = live_figure("feed_forward"), np.linspace(-3, 3, 161)
    for name, activation in zip(figure.choices(), ACTIVATIONS.values(), strict=True):
        far = []
        for stop in figure.walk():
            n = 2**stop
            assert figure.texts("output") == [f"{n} unit" + "s" * (n > 1)]
            figure.expect("sum_marks", x=x, layer=feed_forward(x, n, activation))
            far.append(np.abs(feed_forward(x, n, activation) - np.sin(2 * x)).max())
            figure.expect("worst_marks", worst=far[-1], atol=2e-4)
        assert len(far) == 5
        assert min(far) > 1 if name == "none" else far[-1] < 0.1
    assert name == list(ACTIVATIONS)[-1]


THREE = np.array([[1, 3, 5, 7], [2, 0, 4, 2], [6, 6, 3, 9.0]])  # as in the chapter


def normalized(x, norm):
    if norm == "none":
        return x
    if norm == "RMS":
        return x / np.sqrt((x**2).mean(axis=1, keepdims=True) + 1e-5)
    axis = {"layer": 1, "batch": 0}[norm]
    return (x - x.mean(axis=axis, keepdims=True)) / np.sqrt(x.var(axis=axis, keepdims=True) + 1e-5)


@pytest.mark.parametrize("norm", ["none", "layer", "batch", "RMS"])
def test_normalized_numbers_equal_numpy_and_those_that_change_are_marked(live_figure, norm):
    figure = live_figure("normalization", 0)
    figure.root.locator("input[type=radio]").nth(["none", "layer", "batch", "RMS"].index(norm)).check()
    for slider, key in ((0, "End"), (1, "Home"), (0, "ArrowLeft"), (0, "Home"), (1, "PageUp"), (1, "End")):
        figure.press(key, slider)
        stretch, shift = figure.settings()
        moved = THREE.copy()
        moved[1] = stretch * moved[1] + shift
        values = normalized(moved, norm)
        changed = np.abs(values - normalized(THREE, norm)) > 0.005
        figure.expect("numbers_marks", after=values, changed=changed)
        assert figure.values("count_marks", "label") == [f"{changed.sum()} of 12 numbers changed"]
        assert len(figure.marks("old_marks")) == changed.sum()
        widths = figure.drawn("fills_marks", "path.getAttribute('stroke-width')")
        assert [width == "2.5" for width in widths] == changed.ravel().tolist()


@pytest.mark.parametrize(("norm", "totals"), [(1, (0, 0)), (3, (0, 4)), (2, (9, 12))])
def test_what_the_chapter_on_normalization_says_is_invariant(live_figure, norm, totals):
    figure = live_figure("normalization", 0)
    figure.root.locator("input[type=radio]").nth(norm).check()
    for slider, (total, neutral) in enumerate(zip(totals, ("1", "0"), strict=True)):
        figure.press("End", slider)
        assert figure.values("count_marks", "total") == [total]
        figure.slider(slider).fill(neutral)


def test_the_map_of_positions_its_rows_and_its_products_are_the_sinusoidal_encoding(live_figure):
    figure = live_figure("positional_encoding")
    angles = np.outer(np.arange(48), 10000.0 ** (-np.arange(0, 32, 2) / 32))
    table = np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(48, 32)
    close(figure.matrix("entries_marks", "value", "row", "feature"), table)
    for key in ("Home", "PageUp", "ArrowRight", "End", "ArrowLeft"):
        figure.press(key)
        position = int(figure.settings()[0])
        figure.expect("products_marks", "row", product=table @ table[position])
        figure.expect("chosen_row_marks", row=position)


def test_angles_of_queries_and_keys_equal_numpy_and_position_leaves_the_score(live_figure):
    figure = live_figure("relative_positions")
    circles = figure.marks("circles_marks")
    starts = np.array([(circle["start_q"], circle["start_k"]) for circle in circles])  # (pairs, 2)
    sizes = np.array([circle["size"] for circle in circles])
    frequencies, scores = 10000.0 ** (-np.arange(len(starts)) / len(starts)), []
    for slider, key in ((0, "End"), (1, "End"), (0, "ArrowLeft"), (1, "Home"), (0, "Home"), (1, "ArrowRight")):
        figure.press(key, slider)
        position, offset = figure.settings()
        query, key_angle = starts[:, 0] + (position + offset) * frequencies, starts[:, 1] + position * frequencies
        expected = np.stack([query, key_angle, query - key_angle], axis=-1)
        assert figure.values("angles_marks", "line")[:3] == ["query", "key", "difference"]
        figure.expect("angles_marks", angle=expected, x=np.cos(expected), y=np.sin(expected))
        figure.expect("score_marks", score=(sizes * np.cos(query - key_angle)).sum())
        scores += figure.values("score_marks", "score")
    assert scores[3] == pytest.approx(scores[4], abs=1e-12)  # the position alone moved
    assert scores[4] != pytest.approx(scores[5], abs=1e-3)
    for hand in figure.marks("hands_marks"):
        tip = np.array([hand["tip_x"] - hand["center_x"], hand["center_y"] - hand["tip_y"]])
        close(tip, np.linalg.norm(tip) * np.array([hand["x"], hand["y"]]), atol=1e-9)


SENTENCE = "Dan's function returns ice cream at the café."
TOKENS = """figure => [...figure.querySelectorAll('g.layer_1_marks path, g.tokens_marks path')]
  .map(path => ({...path.__data__.datum, opacity: Number(path.getAttribute('fill-opacity'))}))
  .sort((a, b) => a.start - b.start)"""


def encoded(trained, n_merges):
    """Tokens of the sentence with the first merges only, in the figure's spelling."""
    vocab = {token: i for token, i in trained.vocab.items() if i < 256 + n_merges}
    tokenizer, spelt = BPETokenizer(vocab, trained.merges[:n_merges]), []
    for i in tokenizer.encode(SENTENCE):
        data = tokenizer.decode_bytes([i])
        whole = "�" not in data.decode(errors="replace")
        spelt.append(data.decode().replace(" ", "·") if whole else data.hex(" ").upper())
    return spelt


def test_merges_give_the_tokens_of_the_tokenizer_at_every_stop(live_figure):
    figure, trained, merges = live_figure("tokenization"), BPETokenizer.train(docstrings_split()[0], 1024), []
    rows = figure.root.locator("tbody tr")
    for _ in figure.walk():
        merges += map(int, figure.texts("output"))
        shown = figure.root.evaluate(TOKENS)
        assert [token["text"] for token in shown] == encoded(trained, merges[-1])
        dark = {token["text"] for token in shown if token["opacity"] > 0.5}
        assert len(dark) == (merges[-1] > 0)  # what was joined last
        for left, right in pairwise(shown):
            assert left["y"] < right["y"] or left["x2"] < right["x"]
        head = f"{len(shown)} tokens for {len(SENTENCE.encode())} bytes, {merges[-1]} merge"
        assert figure.texts("svg text")[0].startswith(head)
        row = rows.filter(has=figure.page.locator("th", has_text=str(merges[-1])))
        assert row.count() == 0 or row.first.locator("td").last.text_content() == str(len(shown))
    assert merges[0] == 0 and merges == sorted(set(merges))
    assert encoded(trained, 768) == encoded(trained, merges[-1])
