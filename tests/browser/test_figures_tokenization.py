"""Laws of the figure of merges: every stop shows the tokens of the library's tokenizer."""

from itertools import pairwise

import pytest

from clearformer.tokenizers import BPETokenizer
from linebyline.corpora import docstrings_split

PAGE = "book/tokenization.html"
SENTENCE = "Dan loves icecream and tokenization at the café."
SHOWN = """figure => [...figure.querySelectorAll('g.layer_1_marks path, g.tokens_marks path')]
  .map(path => ({...path.__data__.datum, opacity: Number(path.getAttribute('fill-opacity'))}))
  .sort((a, b) => a.start - b.start)"""


@pytest.fixture(scope="module")
def trained():
    """The chapter's tokenizer, trained here again."""
    seen, _ = docstrings_split()
    return BPETokenizer.train(seen, 4096)


def encoded(trained, n_merges):
    """Tokens of the sentence with the first merges only, in the figure's spelling."""
    vocab = {token: i for token, i in trained.vocab.items() if i < 256 + n_merges}
    tokenizer = BPETokenizer(vocab, trained.merges[:n_merges])
    spelt = []
    for i in tokenizer.encode(SENTENCE):
        data = tokenizer.decode_bytes([i])
        whole = "�" not in data.decode(errors="replace")
        spelt.append(data.decode().replace(" ", "·") if whole else data.hex(" ").upper())
    return spelt


def merges(figure):
    return int(figure.locator("output").text_content())


def test_shown_tokens_equal_the_encoding_at_every_stop_reached_by_keyboard(figure, trained):
    slider = figure.locator("input[type=range]")
    slider.focus()
    slider.press("Home")
    seen = []
    for _ in range(int(slider.get_attribute("max")) + 1):
        shown = figure.evaluate(SHOWN)
        assert [token["text"] for token in shown] == encoded(trained, merges(figure))
        seen.append(merges(figure))
        slider.press("ArrowRight")
    assert seen[0] == 0
    assert seen == sorted(set(seen))
    assert encoded(trained, 3840) == encoded(trained, seen[-1])


def test_tokens_that_touch_differ_in_shade_and_do_not_overlap(figure):
    shown = figure.evaluate(SHOWN)
    for left, right in pairwise(shown):
        assert left["opacity"] != right["opacity"]
        assert left["y"] < right["y"] or left["x2"] < right["x"]


def test_count_and_table_agree_with_the_tokens(figure):
    rows = figure.locator("tbody tr")
    for key in ("Home", "ArrowRight", "End"):
        figure.locator("input[type=range]").press(key)
        count = len(figure.evaluate(SHOWN))
        head = figure.locator("svg text").first.text_content()
        assert head.startswith(f"{count} tokens for {len(SENTENCE.encode())} bytes, {merges(figure)} merge")
        row = rows.filter(has=figure.page.locator("th", has_text=str(merges(figure)))).first
        assert row.locator("td").last.text_content() == str(count)
