"""Laws of the live model's page: offline, light, for everybody, by keyboard, also in a chapter."""

import re
from pathlib import Path

import pytest
from live_controls import IDLE, generate, loaded, pages_with, session, start, start_by_keyboard, started, walk
from live_page import PROMPTS
from visit import violations

from clearformer.course.figures.live_model.page import CONTROLS

BOOK = pages_with("live-model")


@pytest.fixture
def page(visit, live):
    return started(visit, live[1]).page


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_works_without_any_other_host_also_from_disk(visit, live, scheme):
    folder, url, _ = live
    seen = started(visit, url if scheme == "http" else (folder / "index.html").as_uri())
    generate(seen.page)
    assert len(session(seen.page, "s.generated")) == 96
    assert seen.page.inner_text(".lm-continuation").strip()
    assert seen.outside == []
    assert seen.complaints == []


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("running", [False, True])
def test_is_accessible_and_does_not_scroll_sideways(visit, live, theme, width, running):
    seen = started(visit, live[1], width=width) if running else visit(live[1], width=width)
    seen.page.evaluate("theme => (document.documentElement.dataset.theme = theme)", theme)
    seen.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    if running:
        generate(seen.page)
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(seen.page) == []


def test_everything_is_reached_by_keyboard(visit, live):
    page = visit(live[1]).page
    start_by_keyboard(page, "live-model", "Dan loves")
    assert session(page, "s.tokenizer.decode(s.read)") == "Dan loves"
    keys = {"lm-seed": "ArrowUp", "lm-generate": "Space", "lm-layer": "ArrowRight", "lm-head": "ArrowRight"}
    keys |= dict.fromkeys(("lm-tau", "lm-k", "lm-p", "lm-query"), "ArrowLeft")
    seen = walk(page, keys, end=("BODY", "SUMMARY"))
    expected = ["text", "prompt", "seed", "count", "generate", "one", "reset", "continuation", "tokens"]
    expected += ["tau", "k", "p", "layer", "head", "query"]
    assert list(dict.fromkeys(seen)) == [f"lm-{name}" for name in expected]
    assert session(page, "s.settings") == {"tau": 0.65, "k": 1000, "p": 0.85}
    assert session(page, "s.generated.length") == 96
    assert "layer 1, head 1" in page.get_attribute(".lm-map", "aria-label")


def test_generated_text_is_announced_once_it_is_complete(page):
    region = page.locator(".lm-continuation")
    assert region.get_attribute("aria-live") == "polite"
    page.evaluate(
        """() => { window.busy = []; const r = document.querySelector('.lm-continuation');
           new MutationObserver(() => busy.push(r.getAttribute('aria-busy'))).observe(r, {attributes: true}); }"""
    )
    generate(page)
    assert page.evaluate("busy") == ["true", None]
    assert region.text_content() == session(page, "s.tokenizer.decode(s.generated)")
    assert re.fullmatch(r"96 tokens in \d+\.\d s: \d+ tokens a second\.", page.text_content(".lm-status"))


def test_same_seed_same_text_token_by_token_too(page):
    texts = {}
    for seed in ("3", "4", "3"):
        page.fill(".lm-seed", seed)
        page.fill(".lm-count", "20")
        generate(page)
        text = page.text_content(".lm-continuation")
        assert texts.setdefault(seed, text) == text
    page.press(".lm-reset", "Enter")
    assert page.text_content(".lm-continuation") == ""
    for _ in range(20):
        page.press(".lm-one", "Enter")
    assert page.text_content(".lm-continuation") == texts["3"] != texts["4"]


def test_greedy_text_by_the_slider_is_pytorchs(page, live):
    page.press(".lm-k", "Home")
    page.fill(".lm-count", "64")
    generate(page)
    reference = live[2]
    assert session(page, "s.generated") == reference.greedy(session(page, "s.prompt"), 64)


def test_generation_stops_when_asked_and_when_the_text_changes(page):
    for act in (lambda: page.press(".lm-generate", "Enter"), lambda: page.fill(".lm-text", "Now")):
        page.fill(".lm-count", "500")
        page.press(".lm-generate", "Enter")
        page.wait_for_function("() => document.querySelectorAll('.lm-new').length > 2")
        assert page.text_content(".lm-generate") == "Stop"
        act()
        page.wait_for_function(IDLE)
        assert page.text_content(".lm-generate") == "Generate"
        assert len(session(page, "s.generated")) < 500
    assert session(page, "s.generated") == []


def test_without_scripts_the_first_answer_stands_there(browser, live):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(live[1])
    assert page.locator(".lm-still tbody tr").count() == 12
    assert page.inner_text(".lm-opening strong").strip() == PROMPTS[0].strip()
    assert len(page.inner_text(".lm-opening span")) > 96
    assert page.is_disabled(".lm-start")
    assert page.is_visible("noscript p")
    assert not page.is_visible(".lm-live")
    context.close()


def test_what_stood_there_before_the_start_is_written_once_more(visit, live):
    """The book's build and the browser draw the same tokens: by the same numbers, generator and settings."""
    page = visit(live[1]).page
    before = page.text_content(".lm-opening span")
    start(page)
    assert session(page, "s.generated.length") == 96
    assert page.text_content(".lm-continuation").translate(CONTROLS) == before
    page.fill(".lm-seed", "1")
    generate(page)
    assert page.text_content(".lm-continuation").translate(CONTROLS) != before


@pytest.mark.parametrize("name", BOOK)
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [320, 1280])
def test_a_chapter_is_accessible_with_its_model_running(visit, site, name, theme, width):
    seen = started(visit, f"{site}/{name}", width=width, theme=theme)
    generate(seen.page)
    seen.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    seen.page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    assert violations(seen.page, within=".live-model") == []  # the rest of the chapter is judged with all pages
    assert seen.complaints == []
    assert seen.outside == []


@pytest.mark.parametrize("name", BOOK)
def test_a_chapter_and_its_model_weigh_two_megabytes_at_most(visit, site, name):
    seen = started(visit, f"{site}/{name}")
    files, size = loaded(seen.page, site, name)
    assert any(path.name.startswith(f"{Path(name).stem}-figure-") for path in files)
    assert size <= 2_000_000
