"""Laws of what the live translator shows: lines, bars and tables are the numbers of its session, whatever is moved."""

import numpy as np
import pytest

from tests.browser.translator_page import EXAMPLES, started, translate

SHORT, LONG, _ = next(iter(EXAMPLES.values()))
MIDDLE = "Jane visits Africa in September."  # too wide for a phone alone
# For each word of the translation the lines that end at it: where they begin and end, and how opaque they are. Those
# of the word chosen are drawn last.
LINES = """() => [...document.querySelectorAll('.lm-lines g')].map(group => [...group.children].map(line =>
  ['x1', 'y1', 'x2', 'y2', 'stroke-opacity'].map(name => Number(line.getAttribute(name)))))"""
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
def open_page(visit, live_translator):
    def opened(text=SHORT, **options):
        page = started(visit, live_translator[1], **options).page
        translate(page, text)
        return page

    return opened


def session(page, code):
    return page.evaluate(f"() => {{ const s = document.querySelector('.live-translator').liveModel.session; {code} }}")


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


def test_the_lines_follow_the_width_of_the_window(open_page):
    page = open_page(MIDDLE)
    page.set_viewport_size({"width": 320, "height": 800})
    page.wait_for_selector(".lm-stage.lm-columns")
    page.set_viewport_size({"width": 1280, "height": 800})
    page.wait_for_selector(".lm-stage:not(.lm-columns)")


def test_heads_are_distributions_and_their_mean_stands_behind_the_last(open_page):
    page = open_page(LONG)
    for layer in (0, 1):
        *heads, mean = (looked(page, layer, head) for head in range(5))
        np.testing.assert_allclose(np.sum(heads, axis=-1), 1, atol=1e-12)
        np.testing.assert_allclose(np.mean(heads, axis=0), mean, atol=1e-12)


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
        shares = page.eval_on_selector_all(
            ".lm-next .lm-bar", "bars => bars.map(b => Number(b.style.getPropertyValue('--share')))"
        )
        np.testing.assert_allclose(shares, probabilities[t, best] / probabilities[t].max(), atol=1e-12)
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


def test_a_word_that_is_not_among_the_most_likely_is_listed_with_its_own_probability(open_page):
    page = open_page(SHORT)
    best = session(page, "return clearformer.largest(s.logits[0], 300)")
    for place, rows in ((0, 8), (7, 8), (8, 9), (299, 9)):
        page.evaluate(
            """tokens => { const widget = document.querySelector('.live-translator').liveModel;
               widget.session.follow(tokens); widget.show(''); }""",
            [best[place], 1],
        )
        assert page.locator(".lm-next tbody tr").count() == rows
        row = page.locator(".lm-next tbody tr").nth(min(place, rows - 1))
        word = session(page, f"return s.words.tokens[{best[place]}]")
        probability = session(page, f"return clearformer.softmax(s.logits[0])[{best[place]}]")
        assert row.text_content() == f"{word} ← written{probability:.3f} "
        assert page.locator(".lm-chosen").count() == 1


def test_the_map_of_the_encoder_shows_the_whole_sentence(open_page):
    page = open_page(SHORT)
    page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    page.press(".lm-layer", "ArrowRight")
    page.press(".lm-query", "Home")
    page.press(".lm-query", "ArrowRight")
    weights = np.array(session(page, "return s.source.map((_, t) => [...s.attention(1, 0, t)])"))  # (S, S)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-12)
    words = ["Dan", "loves", "ice", "cream", "."]
    table = page.locator(".lm-weights tbody tr").all_text_contents()
    assert table == [f"{s}{word}{weights[1, s]:.3f}" for s, word in enumerate(words)]
    most = int(weights[1].argmax())
    label = page.get_attribute(".lm-map", "aria-label")
    assert label == (
        f"Attention map of layer 1, head 0, for 5 tokens. Token 1, loves, looks most at token {most}, {words[most]}."
    )
    opacity = page.evaluate(
        """() => { const map = document.querySelector('.lm-map'), context = map.getContext('2d');
           const at = i => Math.round((map.place.margin + (i + 0.5) * map.place.cell) * devicePixelRatio);
           const five = [0, 1, 2, 3, 4];
           return five.map(q => five.map(k => context.getImageData(at(k), at(q), 1, 1).data[3] / 255)); }"""
    )
    np.testing.assert_allclose(np.square(opacity), weights, atol=0.01)
    margin, cell = page.evaluate("() => Object.values(document.querySelector('.lm-map').place)")
    page.locator(".lm-map").click(position={"x": margin + 4.5 * cell, "y": margin + 0.5 * cell})
    assert page.input_value(".lm-query") == "0"
    assert page.text_content(".lm-pointed") == f"Dan → .: {weights[0, 4]:.3f}"


def test_the_titles_of_the_words_are_their_ids(open_page):
    page = open_page(SHORT)
    titles = page.eval_on_selector_all(".lm-source li", "items => items.map(i => i.title)")
    assert titles == [f"id {i}" for i in session(page, "return s.source")]


def test_a_translation_that_does_not_end_says_so(open_page):
    page = open_page(SHORT)
    session(page, "s.model.longest = 2;")
    page.press(".lm-text", "Enter")
    assert page.text_content(".lm-status").endswith("It stops after 2, without an end.")
    assert page.locator(".lm-target li").count() == 2
