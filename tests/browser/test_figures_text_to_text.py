"""Laws of the live figures on text to text: what they draw is what the kept model says, and the keyboard moves it."""

import numpy as np
import pytest
import torch

from linebyline import text_to_text as tt
from tests.browser.marks import marks

PAGE = "book/text_to_text.html"
RADIO = "input[type=radio]"
REACH = 24  # places to both sides of the query
# How far each bar reaches, as a share of the axis.
SHARES = """figure => [...figure.querySelectorAll('g.bars_marks path')]
  .map(({__data__: bar}) => bar.width / bar.mark.group.width)"""
HEADS = """figure => [...figure.querySelectorAll('g.others_marks path')]
  .map(line => [...new Set(line.__data__.mark.items.map(point => point.datum.head))])"""
PLACES = """figure => figure.querySelector('g.front_marks path').__data__.mark.items.map(({x, y}) => [x, y])"""


@pytest.fixture(scope="module")
def kept():
    return tt.text_to_text()


@pytest.fixture
def words(figures):
    return figures[0]


@pytest.fixture
def curves(figures):
    return figures[1]


def radios(figure, group):
    """The radio buttons of a group, and their labels."""
    found = figure.locator("fieldset fieldset").nth(group)
    return found.locator(RADIO), found.locator("label").all_text_contents()


def walk(figure, group):
    """Go through the buttons of a group by keyboard, from the first to the last; with the label of each."""
    buttons, labels = radios(figure, group)
    buttons.first.press("Space")
    for place, label in enumerate(labels):
        assert buttons.nth(place).is_checked()
        yield label
        buttons.nth(place).press("ArrowDown")
    assert buttons.first.is_checked()  # behind the last comes the first


@torch.no_grad()
def said(kept, prefix, sentence):
    """Word by word what the model finds likeliest behind its own words, and how likely: asked anew for each."""
    task = tt.TASKS[prefix]
    ids = torch.tensor([kept.words.encode([*task.words, *task.grammar.source.tokenize(sentence)])])
    start, end = kept.words.encode([tt.START, "<end>"])
    written, found = [start], []
    while True:
        p = kept.model(ids, torch.tensor([written]))[0, -1].softmax(dim=-1)
        if (best := int(p.argmax())) == end:
            return found
        written.append(best)
        found.append((kept.words.tokens[best], float(p[best])))


def test_words_and_probabilities_are_the_models_for_each_sentence_and_prefix(words, kept):
    seen = []
    for sentence in walk(words, 0):
        for prefix in walk(words, 1):
            expected = said(kept, prefix, sentence)
            bars = sorted(marks(words, "bars_marks"), key=lambda bar: bar["place"])
            assert [bar["place"] for bar in bars] == [*range(1, len(expected) + 1)]
            assert words.locator("g.said_marks text").all_text_contents() == [word for word, _ in expected]
            for shown in ([bar["probability"] for bar in bars], words.evaluate(SHARES)):
                np.testing.assert_allclose(shown, [p for _, p in expected], rtol=0, atol=0.00501)
            seen.append([word for word, _ in expected])
    assert len(seen) == 12
    assert len({tuple(text) for text in seen}) > 6  # what is asked decides


def test_the_table_has_what_is_drawn(words):
    rows = words.locator("tbody tr").all()
    for row, sentence in zip(rows, walk(words, 0), strict=True):
        assert row.locator("th").text_content() == sentence
        for cell, _ in zip(row.locator("td").all_text_contents(), walk(words, 1), strict=True):
            assert words.locator("g.said_marks text").all_text_contents() == cell.split()


def bucket(ahead, n=16, e=8, longest=17):
    """T5's buckets both ways, written out here, so that the figure is not compared with what feeds it."""
    d = np.abs(ahead)
    far = e + np.floor((n - e) * np.log(np.maximum(d, e) / e) / np.log(longest / e) + 1e-6)
    return np.where(d < e, d, np.minimum(far, n - 1)).astype(int) + n * (ahead > 0)


def test_curves_are_the_learned_numbers_for_each_head(curves, kept):
    table = kept.model.encoder.position_bias.table.detach().numpy()  # (n_buckets, n_heads)
    ahead = np.arange(-REACH, REACH + 1)
    expected = table[bucket(ahead)].T  # (n_heads, S)
    assert sorted(curves.evaluate(HEADS)) == [[0], [1], [2], [3]]  # a line each
    every = marks(curves, "others_marks")
    assert len(every) == expected.size
    for point in every:
        assert point["bias"] == pytest.approx(expected[point["head"], point["ahead"] + REACH], abs=0.00501)
    for head, label in enumerate(walk(curves, 0)):
        points = marks(curves, "front_marks")
        assert label == str(head)
        assert [point["ahead"] for point in points] == ahead.tolist()
        np.testing.assert_allclose([point["bias"] for point in points], expected[head], rtol=0, atol=0.00501)


def test_points_are_drawn_at_their_numbers(curves):
    for _ in walk(curves, 0):
        numbers = np.array([[point["ahead"], point["bias"]] for point in marks(curves, "front_marks")])
        places = np.array(curves.evaluate(PLACES))
        for axis in (0, 1):
            slope, offset = np.polyfit(numbers[:, axis], places[:, axis], 1)
            np.testing.assert_allclose(places[:, axis], slope * numbers[:, axis] + offset, atol=1e-6)
            assert (slope > 0) == (axis == 0)  # pixels count downwards
