"""Laws of the live logit lens: what it draws is what the model says with fewer blocks, and the keyboard moves it."""

import numpy as np
import pytest
import torch

from clearformer.models import Decoder
from linebyline import pretrained
from tests.browser.marks import marks

PAGE = "book/a_real_model.html"
TEXT = "Returns the sum of the array elements over a given axis."
BLOCKS, PLACE = 0, 1  # the sliders
SHARES = """figure => [...figure.querySelectorAll('g.bars_marks path')]
  .map(({__data__: bar}) => bar.width / bar.mark.group.width)"""


@pytest.fixture(scope="module")
def kept():
    return pretrained.language_model()


@pytest.fixture(scope="module")
def ids(kept):
    return torch.tensor(kept.tokenizer.encode(TEXT))


@torch.no_grad()
def said(kept, ids, n, t):
    """The likeliest words behind the first t + 1 tokens, and how likely, of a model of the first n blocks."""
    model = kept.model
    shorter = Decoder(model.embedding, list(model.blocks)[:n], norm=model.norm, lm_head=model.lm_head).eval()
    p, tokens = shorter(ids[: t + 1])[-1].softmax(dim=-1).topk(5)
    words = (kept.tokenizer.decode([i]) for i in tokens.tolist())
    return [word.replace(" ", "␣").replace("\n", "⏎") for word in words], p.numpy()


def compare(figure, kept, ids, n, t):
    words, p = said(kept, ids, n, t)
    bars = sorted(marks(figure, "bars_marks"), key=lambda bar: bar["rank"])
    assert [bar["word"] for bar in bars] == words == figure.locator("g.said_marks text").all_text_contents()
    np.testing.assert_allclose([bar["probability"] for bar in bars], p, rtol=0, atol=0.000501)
    np.testing.assert_allclose(figure.evaluate(SHARES), p, rtol=0, atol=0.000501)
    return words[0]


def test_words_follow_the_keyboard_over_blocks_and_places(figure, kept, ids):
    sliders = figure.locator("input[type=range]")
    assert (sliders.count(), len(ids)) == (2, 13)
    sliders.nth(PLACE).press("Home")
    for t in range(len(ids)):
        sliders.nth(BLOCKS).press("Home")
        firsts = []
        for n in range(5):
            firsts.append(compare(figure, kept, ids, n, t))
            sliders.nth(BLOCKS).press("ArrowRight")
        spelt = kept.tokenizer.decode([int(ids[t])]).replace(" ", "␣")
        assert firsts[0] == spelt  # without a block it says what went in
        assert f"{t}: after {spelt}" in figure.locator("output").all_text_contents()
        sliders.nth(PLACE).press("ArrowRight")


def test_the_table_has_the_first_choices_of_every_depth(figure, kept, ids):
    rows = figure.locator("tbody tr").all()
    assert len(rows) == 5
    for n, row in enumerate(rows):
        expected = [said(kept, ids, n, t)[0][0] for t in range(len(ids))]
        assert row.locator("td").all_text_contents() == expected
        assert row.locator("th").text_content() == str(n)
