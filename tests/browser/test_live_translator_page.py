"""The live translator's page: by keyboard, by language, clear in refusing, and what it shows is its session's."""

import numpy as np
import pytest

from tests.browser.live_controls import enter, fractions, opened, session, start, start_by_keyboard, walk
from tests.browser.live_page import SENTENCES

SHORT, LONG, _ = next(iter(SENTENCES.values()))
MIDDLE = "Jane visits Africa in September."  # too wide for a phone alone
# For each word of the translation the lines that end at it: where they begin and end, and how opaque they are. Those
# of the word chosen are drawn last.
LINES = """() => [...document.querySelectorAll('.lm-lines g')].map(group => [...group.children].map(line =>
  ['x1', 'y1', 'x2', 'y2', 'stroke-opacity'].map(name => Number(line.getAttribute(name)))))"""
WIDTHS = """() => [...document.querySelectorAll('.lm-lines g')].map(group =>
  [...group.children].map(line => Number(line.getAttribute('stroke-width'))))"""
# The middles of the words' edges that face the drawing, seen from its corner.
ENDS = """([name, upright, side]) => {
  const frame = document.querySelector('.lm-lines').getBoundingClientRect();
  return [...document.querySelectorAll(`.lm-${name} li`)].map(item => {
    const box = item.getBoundingClientRect();
    return upright ? [side * frame.width, box.top + box.height / 2 - frame.top]
                   : [box.left + box.width / 2 - frame.left, side * frame.height];
  });
}"""


@pytest.fixture
def page(visit, live_translator):
    return opened(visit, live_translator[1]).page


def test_everything_is_reached_by_keyboard(visit, live_translator):
    page = visit(live_translator[1]).page
    start_by_keyboard(page, "I sleep")
    page.keyboard.press("Enter")
    assert page.inner_text(".lm-continuation") == "Jag sover."
    presses = {"lm-target": "ArrowRight", "lm-layer": "ArrowRight", "lm-head": "ArrowRight", "lm-query": "ArrowLeft"}
    presses |= {"lm-cross-layer": "ArrowLeft", "lm-cross-head": "ArrowLeft", "lm-search": "Space"}
    seen = walk(page, presses)
    expected = [
        "text",
        "translate",
        "prompt",
        "hide",
        "target",
        "back",
        "forward",
        "cross-layer",
        "cross-head",
        "search",
    ]
    expected += ["layer", "head", "query"]
    named = list(dict.fromkeys(name for name in seen if name.startswith("lm-")))
    assert named == [f"lm-{name}" for name in expected]
    assert page.text_content(".lm-looks").startswith("Word 2 of 4, sover: ")
    assert page.locator(".lm-hypotheses button").count() == 4
    assert seen.count("BUTTON") == 4  # the translations found
    assert seen.count("SUMMARY") == 3
    places = {name: page.input_value(f".lm-{name}") for name in ("cross-layer", "cross-head", "layer", "head", "query")}
    assert list(places.values()) == ["0", "3", "1", "1", "1"]
    shown = [page.text_content(f".live-control:has(.lm-{name}) output") for name in list(places)[:4]]
    assert shown == ["1", "4", "2", "2"]  # blocks and heads are counted from 1, as in the text
    page.focus(".lm-direction >> nth=0")
    page.keyboard.press("ArrowRight")
    assert page.inner_text(".lm-continuation") == "Jane visits Africa in September."


def test_what_cannot_be_read_is_said_and_the_next_sentence_is_read_again(page):
    for text, message in (
        ("Dan loves robots.", "The English vocabulary of 280 words and signs does not have “robots”."),
        ("", "There are no words to translate: type a sentence."),
    ):
        enter(page, text)
        assert page.text_content(".lm-status") == message
        assert not page.is_visible(".lm-result")
        enter(page, "dan" if text == "" else "my friend sings")
        assert page.is_visible(".lm-result") == (text != "")
    assert page.inner_text(".lm-continuation") == "Min vän sjunger."
    assert page.locator(".lm-status").get_attribute("role") == "status"
    assert page.locator(".lm-continuation").get_attribute("aria-live") == "polite"


def test_each_language_is_named_and_offers_its_own_sentences_and_words(page):
    english, french = SENTENCES.items()
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
    start(page)
    most_divided = min(range(len(rows)), key=lambda t: float(rows[t][2]))
    assert page.text_content(".lm-looks").startswith(f"Word {most_divided + 1} of")
    page.press(".lm-target", "Home")
    for number, (wrote, looked_at, weight) in enumerate(rows):
        said = f"Word {number + 1} of {len(rows)}, {wrote}: it looked most at {looked_at}, with a weight of {weight}."
        assert page.text_content(".lm-looks") == said
        page.press(".lm-forward", "Enter")


@pytest.fixture
def open_page(visit, live_translator):
    def translated(text=SHORT, **options):
        page = opened(visit, live_translator[1], **options).page
        enter(page, text)
        return page

    return translated


def looked(page, layer, head):
    return np.array(session(page, f"return s.target.map((_, t) => [...s.looked({layer}, {head}, t)])"))  # (T, S)


@pytest.mark.parametrize(("text", "width", "upright"), [(MIDDLE, 1280, False), (LONG, 1280, True), (MIDDLE, 320, True)])
def test_lines_lead_from_words_to_words_as_opaque_as_the_weights(open_page, text, width, upright):
    page = open_page(text, width=width)
    assert page.locator(".lm-stage.lm-columns").count() == upright
    for press, layer, head in ((None, 1, 4), ("cross-head", 1, 3), ("cross-layer", 0, 3)):
        if press:
            page.press(f".lm-{press}", "ArrowLeft")
        weights, chosen = looked(page, layer, head), 2
        page.locator(".lm-target li").nth(chosen).click()
        groups = page.evaluate(LINES)
        order = [*(t for t in range(len(weights)) if t != chosen), chosen]
        starts, ends = (page.evaluate(ENDS, [n, upright, side]) for n, side in (("source", 0), ("target", 1)))
        for t, lines in zip(order, groups, strict=True):
            seen = np.flatnonzero(weights[t] >= 0.005)
            expected = [[*starts[s], *ends[t], weights[t, s]] for s in seen]
            np.testing.assert_allclose(lines, expected, rtol=0, atol=1e-9)
        assert page.locator(".lm-lines g.lm-asked").evaluate("g => g === g.parentElement.lastElementChild")
        widths = page.evaluate(WIDTHS)
        assert {wide for group in widths[:-1] for wide in group} <= {1.5}
        of_chosen = weights[chosen][weights[chosen] >= 0.005]
        np.testing.assert_allclose(widths[-1], np.maximum(1.5, 8 * of_chosen), rtol=0, atol=1e-9)


def test_each_step_says_where_it_looked_and_what_else_it_could_have_written(open_page):
    page = open_page(LONG)
    tokens = session(page, "return s.words.tokens")
    logits = np.array(session(page, "return s.logits.map(row => [...row])"))
    source, target = session(page, "return [s.source, s.target]")
    weights = looked(page, 1, 4)
    page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    e = np.exp(logits - logits.max(-1, keepdims=True))
    probabilities = e / e.sum(-1, keepdims=True)
    for t, written in enumerate(target):
        selected = page.locator(".lm-target [aria-selected=true]")
        assert selected.text_content() == tokens[written]
        assert page.get_attribute(".lm-target", "aria-activedescendant") == selected.get_attribute("id")
        most = int(weights[t].argmax())
        assert page.text_content(".lm-looks") == (
            f"Word {t + 1} of {len(target)}, {tokens[written]}: it looked most at {tokens[source[most]]},"
            f" with a weight of {weights[t, most]:.3f}."
        )
        before = " ".join(["<Swedish>", *(tokens[i] for i in target[:t])])
        assert page.text_content(".lm-next caption") == f"The word after {before}"
        best = np.argsort(-probabilities[t], kind="stable")[:8]
        names = page.locator(".lm-next tbody th").all_text_contents()
        assert names == [tokens[i] + (" ← written" if i == written else "") for i in best]
        np.testing.assert_allclose(
            fractions(page, ".lm-next"), probabilities[t, best] / probabilities[t].max(), atol=1e-12
        )
        table = page.locator(".lm-cross-weights tbody tr").all_text_contents()
        assert table == [f"{s}{tokens[i]}{weights[t, s]:.3f}" for s, i in enumerate(source)]
        page.press(".lm-target", "ArrowRight")
    assert page.text_content(".lm-looks").startswith(f"Word {len(target)} of")  # it stays at the end


def test_arrow_keys_buttons_and_clicks_choose_a_word(open_page):
    page = open_page(SHORT)
    chosen = "[...document.querySelectorAll('.lm-target li')].findIndex(li => li.ariaSelected === 'true')"
    for press, place in (
        *(("ArrowRight", 1), ("ArrowDown", 2), ("ArrowLeft", 1), ("ArrowUp", 0), ("ArrowUp", 0)),
        *(("End", 4), ("ArrowRight", 4), ("Home", 0)),
    ):
        page.press(".lm-target", press)
        assert page.evaluate(chosen) == place
    for name, place in (("forward", 1), ("forward", 2), ("back", 1), ("back", 0), ("back", 0)):
        page.click(f".lm-{name}")
        assert page.evaluate(chosen) == place
    page.locator(".lm-target li").nth(3).click()
    assert page.evaluate(chosen) == 3


def test_a_word_of_the_sentence_can_be_hidden_and_shown_again(open_page):
    page = open_page(MIDDLE)
    whole = session(page, "return s.target")
    page.locator(".lm-target li").nth(2).click()
    page.locator(".lm-hide").nth(2).press("Enter")
    assert page.text_content(".lm-status") == "Hidden from the decoder: “Africa”."
    assert page.locator(".lm-hide[aria-pressed=true]").all_text_contents() == ["Africa"]
    assert page.evaluate("document.activeElement.textContent") == "Africa"
    assert page.text_content(".lm-looks").startswith("Word 3 of ")
    assert (looked(page, 1, 4)[:, 2] == 0).all()
    page.check(".lm-from [value=both]")
    assert page.text_content(".lm-status") == "Hidden from the decoder and the encoder: “Africa”."
    page.locator(".lm-hide").nth(2).press("Enter")
    assert page.text_content(".lm-status") == "No word is hidden."
    assert session(page, "return s.target") == whole
    for name in page.locator(".lm-hide").all():
        name.press("Enter")
    assert page.text_content(".lm-status") == "One word has to stay."
    enter(page, SHORT)
    assert page.locator(".lm-hide[aria-pressed=true]").count() == 0


def test_translations_of_the_search_are_listed_and_can_be_shown(open_page):
    page = open_page(LONG)
    greedy = page.text_content(".lm-continuation")
    page.press(".lm-search", "Enter")
    found = session(page, "return s.search(4).map(({tokens, score}) => [s.words.decode(tokens), tokens, score])")
    rows = page.locator(".lm-hypotheses tbody tr")
    assert rows.all_text_contents() == [f"{text}{len(tokens)}{score:.3f}" for text, tokens, score in found]
    assert page.locator(".lm-hypotheses [aria-pressed=true]").text_content() == greedy == found[0][0]
    page.locator(".lm-hypotheses button").nth(2).press("Enter")
    assert page.text_content(".lm-continuation") == found[2][0] != greedy
    assert session(page, "return s.target") == found[2][1]
    assert page.locator(".lm-hypotheses [aria-pressed=true]").text_content() == found[2][0]
    assert "Translation 3 of the search" in page.text_content(".lm-status")
    page.fill(".lm-text", SHORT)
    page.press(".lm-text", "Enter")
    assert not page.is_visible(".lm-beams")
