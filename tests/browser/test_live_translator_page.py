"""Laws of the live translator's page alone: by keyboard, by language, quick, clear in refusing, and as it stood."""

import re

import pytest

from tests.browser.live_controls import start_by_keyboard, walk
from tests.browser.translator_page import EXAMPLES, started, translate

_, LONG, _ = next(iter(EXAMPLES.values()))


@pytest.fixture
def page(visit, live_translator):
    return started(visit, live_translator[1]).page


def test_a_sentence_takes_less_than_three_tenths_of_a_second(page):
    translate(page, LONG)
    status = page.text_content(".lm-status")
    words = re.fullmatch(r"(\d+) tokens read and (\d+) written in (\d\.\d\d) s\.", status)
    assert [int(words[1]), int(words[2])] == [17, 19]
    assert float(words[3]) < 0.3


def test_everything_is_reached_by_keyboard(visit, live_translator):
    page = visit(live_translator[1]).page
    start_by_keyboard(page, "live-translator", "I sleep")
    page.keyboard.press("Enter")
    assert page.inner_text(".lm-continuation") == "Jag sover."
    presses = {"lm-target": "ArrowRight", "lm-layer": "ArrowRight", "lm-head": "ArrowRight", "lm-query": "ArrowLeft"}
    presses |= {"lm-cross-layer": "ArrowLeft", "lm-cross-head": "ArrowLeft", "lm-search": "Space"}
    seen = walk(page, presses)
    expected = ["text", "translate", "prompt", "target", "back", "forward", "cross-layer", "cross-head", "search"]
    expected += ["layer", "head", "query"]
    named = list(dict.fromkeys(name for name in seen if name.startswith("lm-")))
    assert named == [f"lm-{name}" for name in expected]
    assert page.text_content(".lm-looks").startswith("Word 2 of 4, sover: ")
    assert page.locator(".lm-hypotheses button").count() == 4
    assert seen.count("BUTTON") == 4  # the translations found
    assert seen.count("SUMMARY") == 3
    places = {name: page.input_value(f".lm-{name}") for name in ("cross-layer", "cross-head", "layer", "head", "query")}
    assert list(places.values()) == ["0", "3", "1", "1", "1"]
    page.focus(".lm-direction >> nth=0")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".lm-continuation") == "Jane visits Africa in September."


def test_what_cannot_be_read_is_said_and_the_next_sentence_is_read_again(page):
    for text, message in (
        ("Dan loves robots.", "The English vocabulary of 280 words and signs does not have “robots”."),
        ("", "There are no words to translate: type a sentence."),
        ("?!", "There are no words to translate: type a sentence."),
        (
            "ice " * 200,
            "The sentence has 201 words and signs, and the translator reads at most 64: type a shorter one.",
        ),
    ):
        translate(page, text)
        assert page.text_content(".lm-status") == message
        assert not page.is_visible(".lm-result")
        translate(page, "dan" if text == "" else "my friend sings")
        assert page.is_visible(".lm-result") == (text != "")
    assert page.inner_text(".lm-continuation") == "Min vän sjunger."
    assert page.locator(".lm-status").get_attribute("role") == "status"
    assert page.locator(".lm-continuation").get_attribute("aria-live") == "polite"


def test_each_language_is_named_and_offers_its_own_sentences_and_words(page):
    english, french = EXAMPLES.items()
    for direction, tags, (grammar, examples) in ((1, ("fr", "en"), french), (0, ("en", "sv"), english)):
        page.check(f".lm-direction >> nth={direction}")
        assert page.input_value(".lm-text") == examples[0]
        assert page.locator(".lm-prompt:visible").all_text_contents() == examples
        for name in ("text", "source", "vocabulary"):
            assert page.get_attribute(f".lm-{name}", "lang") == tags[0]
        for name in ("target", "continuation"):
            assert page.get_attribute(f".lm-{name}", "lang") == tags[1]
        assert set(page.text_content(".lm-vocabulary").split()) == set(grammar.source.vocabulary)
        page.locator(".lm-prompt:visible").nth(1).press("Enter")
        assert page.input_value(".lm-text") == examples[1]


def test_without_scripts_the_first_translation_stands_there(without_scripts, live_translator):
    without_scripts.goto(live_translator[1])
    assert "Dan loves ice cream." in without_scripts.inner_text(".lm-still")
    assert "Dan älskar glass." in without_scripts.inner_text(".lm-still")
    assert without_scripts.locator(".lm-alignment text").all_text_contents() == [
        *("Dan", "loves", "ice", "cream", "."),
        *("Dan", "älskar", "glass", ".", "<end>"),
    ]


def test_what_stood_there_before_the_start_is_what_the_page_computes(visit, live_translator):
    page = visit(live_translator[1]).page
    rows = page.eval_on_selector_all(
        ".lm-still tbody tr", "rows => rows.map(row => [...row.cells].map(c => c.textContent))"
    )
    page.click(".lm-start")
    page.wait_for_selector(".live-translator[data-live=yes]")
    for number, (wrote, looked_at, weight) in enumerate(rows):
        said = f"Word {number + 1} of {len(rows)}, {wrote}: it looked most at {looked_at}, with a weight of {weight}."
        assert page.text_content(".lm-looks") == said
        page.press(".lm-forward", "Enter")
