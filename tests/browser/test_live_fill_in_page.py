"""Laws of the live fill-in's page alone: by keyboard, quick, as it stood, and beside another model."""

import re
import shutil

import pytest

from linebyline.figures.rendering import CONTROLS
from tests.browser.fill_in_page import EXAMPLES, pressed, session, started
from tests.browser.live_controls import focused, start, start_by_keyboard
from tests.browser.visit import violations

FIRST, *_ = EXAMPLES
TABLES = "name => [...document.querySelectorAll(`.live-fill-in .lm-${name} table`)].map(table => table.textContent)"


@pytest.fixture
def page(visit, live_fill_in):
    return started(visit, live_fill_in[1]).page


def test_a_sentence_is_guessed_in_less_than_three_tenths_of_a_second(page):
    seconds = []
    for _ in range(3):
        page.click(".lm-prompt >> nth=1")
        said = re.fullmatch(r"(\d+) hidden tokens guessed in (\d\.\d\d) s\.", page.text_content(".lm-status"))
        assert int(said[1]) == len(session(page, "return s.guesses"))
        seconds.append(float(said[2]))
    assert min(seconds) < 0.3


def test_everything_is_reached_by_keyboard(visit, live_fill_in):
    page = visit(live_fill_in[1]).page
    start_by_keyboard(page, "live-fill-in", "the sum of a")
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
    page.click(".lm-start")
    page.wait_for_selector(".live-fill-in[data-live=yes]")
    assert page.evaluate(TABLES, "guesses") == before


def test_works_beside_another_live_model(visit, live, live_fill_in, tmp_path):
    folder = shutil.copytree(live[0], tmp_path / "both")
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
    seen.page.click(".live-fill-in .lm-start")
    seen.page.wait_for_selector(".live-fill-in[data-live=yes]")
    start(seen.page)
    assert seen.page.text_content(".lm-continuation").translate(CONTROLS) == written
    assert seen.page.evaluate(TABLES, "guesses") == guessed
    assert seen.complaints == []
    assert violations(seen.page) == []
