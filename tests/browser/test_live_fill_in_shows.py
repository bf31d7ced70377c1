"""Laws of what the live fill-in shows: words, tables and messages follow what is hidden, and are its session's."""

import re

import pytest

from tests.browser.fill_in_page import pressed, read, session, started

REST = ["of", "the", "array", "elements", "over", "a", "given", "axis", "."]  # of the first sentence


@pytest.fixture
def page(visit, live_fill_in):
    return started(visit, live_fill_in[1]).page


def test_what_cannot_be_read_is_refused_and_what_is_odd_is_said(page):
    def status():
        return page.text_content(".lm-status")

    for text, message in (
        ("", "There are no words to read: type a sentence."),
        (" ", "There are no words to read: type a sentence."),
        (
            "a " * 127,
            "The sentence has 129 tokens, [CLS] and [SEP] among them, and the model reads at most 128:"
            " type a shorter one.",
        ),
    ):
        read(page, text)
        assert status() == message
        assert not page.is_visible(".lm-result")
        read(page, "the sum")
        assert page.is_visible(".lm-result")
    assert status() == "Nothing is hidden: press a word to hide it."
    page.click(".lm-fill")
    assert status() == "Nothing is hidden: press a word to hide it."
    assert page.locator(".lm-guesses table").count() == 0
    for word in ("the", "sum"):
        page.click(f".lm-words button:text-is('{word}')")
    assert re.fullmatch(
        r"\d hidden tokens guessed in \d\.\d\d s\. All is hidden: it knows no more than how many tokens there are\.",
        status(),
    )
    read(page, "你好 the 你好 🙂")
    assert status() == "Nothing is hidden: press a word to hide it. Of “你好”, “🙂” it has no pieces, and reads [UNK]."
    read(page, "一 丁 七 丈 三 上 下")
    assert "Of “一”, “丁”, “七”, “丈”, “三” and 2 more it has no pieces" in status()
    assert page.get_attribute(".lm-status", "role") == "status"


def test_words_are_hidden_shown_filled_in_and_shown_again(page):
    words = page.locator(".lm-words button")
    assert words.all_text_contents() == [
        "Return",
        "the",
        "sum",
        *["of", "the", "array", "elements", "over", "a", "given", "axis", "."],
    ]
    assert pressed(page) == ["sum", "elements"]
    words.nth(2).click()
    assert pressed(page) == ["elements"]
    words.nth(0).click()
    assert pressed(page) == ["Return", "elements"]
    assert page.locator(".lm-tokens .lm-new").all_text_contents() == ["[MASK]"] * len(session(page, "return s.guesses"))
    asked = len(session(page, "return s.guesses"))
    best = session(page, "return s.tokenizer.decode([s.guesses[0].best[0]])")
    right = session(page, "return s.guesses.filter(g => g.best[0] === g.original).length")
    page.click(".lm-fill")
    assert page.text_content(".lm-status") == f"{asked} hidden tokens filled in, {right} of them as in the sentence."
    assert words.nth(0).text_content().startswith(best)
    assert words.nth(0).get_attribute("title") == "in the sentence: Return"
    assert pressed(page) == []
    assert page.locator(".lm-words .lm-new").count() == 2
    words.nth(0).click()  # what was filled in is hidden once more
    assert pressed(page) == ["Return"]
    page.click(".lm-all")
    assert (words.nth(6).text_content(), page.locator(".lm-words .lm-new").count()) == ("elements", 0)
    page.click(".lm-some")
    assert len(pressed(page)) == 2


def test_tables_and_tokens_are_the_numbers_of_the_session(page):
    page.click(".lm-prompt >> nth=1")
    page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    guesses = session(page, "return s.guesses.map(g => ({...g, probabilities: [...g.probabilities]}))")
    tokens, ids = session(page, "return [s.tokenizer.tokens, s.ids]")
    assert page.locator(".lm-guesses table").count() == len(guesses) > 1
    for number, guess in enumerate(guesses):
        table = page.locator(".lm-guesses table").nth(number)
        hidden, p = guess["original"], guess["probabilities"]
        assert table.locator("caption").text_content() == f"Token {guess['position']} hides {tokens[hidden]}"
        rows = [*guess["best"], *({hidden} - {*guess["best"]})]
        expected = [f"{tokens[i]}{' ← hidden' if i == hidden else ''}{p[i]:.3f} " for i in rows]
        assert table.locator("tbody tr").all_text_contents() == expected
        shares = table.locator(".lm-bar").evaluate_all("b => b.map(e => Number(e.style.getPropertyValue('--share')))")
        assert shares == pytest.approx([p[i] for i in rows], abs=1e-12)
    assert page.locator(".lm-tokens li").all_text_contents() == [tokens[i] for i in ids]
    assert page.input_value(".lm-query") == str(guesses[0]["position"])
    page.locator(".lm-tokens li").nth(3).click()
    weights = session(page, "return [...s.attention(0, 0, 3)]")
    shades = page.eval_on_selector_all(
        ".lm-tokens li", "items => items.map(i => Number(i.style.getPropertyValue('--shade')) ** 2)"
    )
    assert shades == pytest.approx(weights, abs=1e-12)
    table = page.locator(".lm-weights tbody tr").all_text_contents()
    assert table == [f"{t}{tokens[i]}{weights[t]:.3f}" for t, i in enumerate(ids)]


def test_a_mask_that_was_typed_hides_nothing(page):
    read(page, "the [MASK] of")
    (guess,) = session(page, "return s.guesses.map(g => ({position: g.position, best: g.best}))")
    assert page.locator(".lm-guesses caption").all_text_contents() == [f"Token {guess['position']} is hidden"]
    assert page.locator(".lm-guesses tbody tr").count() == len(guess["best"])
    assert page.locator(".lm-guesses .lm-chosen").count() == 0
