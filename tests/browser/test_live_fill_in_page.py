"""The live fill-in's page: used by keyboard, as it stood, beside another model, and what it shows is its session's."""

import shutil

import pytest

from linebyline.figures.rendering import CONTROLS
from tests.browser.live_controls import IDLE, focused, fractions, opened, session, start, start_by_keyboard
from tests.browser.live_page import HIDDEN
from tests.browser.visit import violations

FIRST, *_ = HIDDEN
TABLES = "name => [...document.querySelectorAll(`.live-fill-in .lm-${name} table`)].map(table => table.textContent)"


@pytest.fixture
def page(visit, live_fill_in):
    return opened(visit, live_fill_in[1]).page


def pressed(page):
    """The words that are hidden."""
    return page.locator(".lm-words [aria-pressed=true]").all_text_contents()


def test_everything_is_reached_by_keyboard(visit, live_fill_in):
    page = visit(live_fill_in[1]).page
    start_by_keyboard(page, "the sum of a")
    page.keyboard.press("Enter")
    seen, hidden = [], []
    while (name := focused(page)) != "BODY":
        if name == "BUTTON":  # a word; the focus stays on it
            page.keyboard.press("Space")
            hidden.append(page.evaluate("document.activeElement.textContent"))
            assert page.evaluate("document.activeElement.ariaPressed") == "true"
        elif name in ("lm-some", "lm-all"):
            page.keyboard.press("Enter")
            assert len(pressed(page)) == (name == "lm-some")
        elif name in ("lm-layer", "lm-head"):
            page.keyboard.press("ArrowRight")
        elif name == "lm-query":
            page.keyboard.press("ArrowLeft")
        seen.append(name)
        page.keyboard.press("Tab")
    assert hidden == ["the", "sum", "of", "a"]
    expected = ["text", "read", "prompt", "some", "fill", "all", "tokens", "layer", "head", "query"]
    assert [name for name in dict.fromkeys(seen) if name.startswith("lm-")] == [f"lm-{name}" for name in expected]
    label = page.get_attribute(".lm-map", "aria-label")
    n = len(session(page, "return s.ids"))
    assert label.startswith(f"Attention map of layer 1, head 1, for {n} tokens. Token {n - 2}, a, looks most at")


def test_without_scripts_the_first_guesses_stand_there(without_scripts, live_fill_in):
    without_scripts.goto(live_fill_in[1])
    assert without_scripts.inner_text(".lm-opening") == FIRST
    assert without_scripts.locator(".lm-opening strong").all_text_contents() == ["sum", "elements"]
    assert without_scripts.locator(".lm-still tbody tr").count() >= 10


def test_what_stood_there_before_the_start_is_what_the_page_computes(visit, live_fill_in):
    page = visit(live_fill_in[1]).page
    before = page.evaluate(TABLES, "still")
    start(page)
    assert page.evaluate(TABLES, "guesses") == before


def test_works_beside_another_live_model(visit, live_model, live_fill_in, tmp_path):
    folder = shutil.copytree(live_model[0], tmp_path / "both")
    shutil.copytree(live_fill_in[0] / "live_fill_in", folder / "live_fill_in")
    shutil.copytree(live_fill_in[0] / "live", folder / "live", dirs_exist_ok=True)
    shutil.copy(live_fill_in[0] / "weights.js", folder / "fill_in.js")
    alone = (live_fill_in[0] / "index.html").read_text(encoding="utf-8")
    body = alone[alone.index('<div class="live-fill-in') : alone.index("</main>")].replace("weights.js", "fill_in.js")
    index = folder / "index.html"
    index.write_text(index.read_text(encoding="utf-8").replace("</main>", f"{body}</main>"), encoding="utf-8")
    seen = visit(index.as_uri())
    written = seen.page.text_content(".live-model .lm-opening span")
    guessed = seen.page.evaluate(TABLES, "still")
    start(seen.page, "live-fill-in")
    start(seen.page, "live-model")
    seen.page.wait_for_function(IDLE)
    assert seen.page.text_content(".lm-continuation").translate(CONTROLS) == written
    assert seen.page.evaluate(TABLES, "guesses") == guessed
    assert seen.complaints == []
    assert violations(seen.page) == []


def test_words_are_hidden_shown_filled_in_and_shown_again(page):
    words = page.locator(".lm-words button")
    assert words.all_text_contents() == FIRST.replace(".", " .").split()
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
        assert fractions(page, f".lm-guesses table >> nth={number} >>") == pytest.approx(
            [p[i] for i in rows], abs=1e-12
        )
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
