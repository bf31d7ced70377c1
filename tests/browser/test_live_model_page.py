"""The live model's page: used by keyboard, announced, the same by the same seed, and what it shows is its session's."""

import re

import numpy as np
import pytest

from linebyline.figures.rendering import CONTROLS
from tests.browser import live_page
from tests.browser.live_controls import IDLE, fractions, generate, opened, session, start, start_by_keyboard, walk
from tests.browser.live_page import PROMPTS
from tests.browser.serving import served

OPACITY = """T => {
  const map = document.querySelector('.lm-map'), context = map.getContext('2d');
  const at = i => Math.round((map.place.margin + (i + 0.5) * map.place.cell) * devicePixelRatio);
  const positions = [...Array(T).keys()];
  return positions.map(q => positions.map(k => context.getImageData(at(k), at(q), 1, 1).data[3] / 255));
}"""


@pytest.fixture
def page(visit, live_model):
    """A started model that has written nothing."""
    page = opened(visit, live_model[1]).page
    page.press(".lm-reset", "Enter")
    return page


def test_everything_is_reached_by_keyboard(visit, live_model):
    page = visit(live_model[1]).page
    start_by_keyboard(page, "Dan loves")
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


def test_greedy_text_by_the_slider_is_pytorchs(page, live_model):
    page.press(".lm-k", "Home")
    page.fill(".lm-count", "64")
    generate(page)
    reference = live_model[2]
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


def test_without_scripts_the_first_answer_stands_there(without_scripts, live_model):
    without_scripts.goto(live_model[1])
    assert without_scripts.locator(".lm-still tbody tr").count() == 12
    assert without_scripts.inner_text(".lm-opening strong").strip() == PROMPTS[0].strip()
    assert len(without_scripts.inner_text(".lm-opening span")) > 96


def test_what_stood_there_before_the_start_is_written_once_more(visit, live_model):
    """The book's build and the browser draw the same tokens: by the same numbers, generator and settings."""
    page = visit(live_model[1]).page
    before = page.text_content(".lm-opening span")
    start(page)
    page.wait_for_function(IDLE)
    assert session(page, "s.generated.length") == 96
    assert page.text_content(".lm-continuation").translate(CONTROLS) == before
    page.fill(".lm-seed", "1")
    generate(page)
    assert page.text_content(".lm-continuation").translate(CONTROLS) != before


def test_a_folded_page_draws_with_the_models_probabilities_and_waits(visit, tmp_path):
    live_page.write_model(tmp_path, folded=True)
    with served(tmp_path) as address:
        page = visit(f"{address}/index.html").page
        before = page.text_content(".lm-opening span")
        start(page)
        assert session(page, "s.settings.tau === 1 && s.settings.p === 1 && s.generated.length === 0")
        page.press(".lm-one", "Enter")
        numbers = page.locator(".lm-next td").all_text_contents()
        assert numbers[::2] == numbers[1::2] and session(page, "s.generated.length") == 1
        generate(page)
        assert page.text_content(".lm-continuation").translate(CONTROLS) == before


def test_bars_show_the_probabilities_before_and_after(page):
    for slider, key in (("tau", "Home"), ("tau", "End"), ("k", "Home"), ("p", "ArrowLeft"), ("k", "End")):
        page.press(f".lm-{slider}", key)
        before, after = np.array(session(page, "[[...s.before], [...s.after]]"))
        best = np.argsort(-before, kind="stable")[:12]
        rows = page.locator(".lm-next tbody tr").all()
        assert [row.locator("th").text_content() for row in rows] == [
            session(page, f"s.tokenizer.spell({i})") for i in best
        ]
        shares = fractions(page, ".lm-next")
        both = np.stack([before[best], after[best]], axis=1)
        np.testing.assert_allclose(np.reshape(shares, (-1, 2)), both / both.max(), atol=1e-12)
        widths = page.eval_on_selector_all(
            ".lm-next .lm-bar",
            "bars => bars.map(b => b.getBoundingClientRect().width / (b.parentElement.clientWidth - 80))",
        )
        np.testing.assert_allclose(widths, shares, atol=0.02)
        numbers = [float(text) for text in page.locator(".lm-next td").all_text_contents()]
        np.testing.assert_allclose(numbers, both.ravel(), atol=5.001e-4)


def test_map_tokens_and_table_show_the_weights(page, live_model):
    reference = live_model[2]
    page.fill(".lm-text", "The value of x is")
    ids = session(page, "s.read")
    maps = reference.maps(ids).numpy()
    page.press(".lm-layer", "End")
    page.press(".lm-head", "ArrowRight")
    page.press(".lm-query", "ArrowLeft")
    expected, query = maps[3, 1], len(ids) - 2
    canvas = page.evaluate(OPACITY, len(ids))
    np.testing.assert_allclose(canvas, np.sqrt(expected), atol=0.006)
    page.click(".lm-numbers summary")
    page.wait_for_selector(".lm-weights td")
    table = [float(text) for text in page.locator(".lm-weights td:last-child").all_text_contents()]
    np.testing.assert_allclose(table, expected[query, : query + 1], atol=5.1e-4)
    shades = page.eval_on_selector_all(
        ".lm-tokens li", "items => items.map(i => Number(i.style.getPropertyValue('--shade')))"
    )
    np.testing.assert_allclose(np.square(shades), expected[query], atol=1e-5)
    assert page.locator(".lm-asked").get_attribute("data-query") == str(query)
    most = int(expected[query].argmax())
    assert f"Token {query}, " in page.get_attribute(".lm-map", "aria-label")
    assert f"looks most at token {most}, " in page.get_attribute(".lm-map", "aria-label")


def test_examples_and_an_empty_text(page):
    page.locator(".lm-prompt").nth(1).press("Enter")
    assert page.input_value(".lm-text") == "for name in names:\n"
    assert session(page, "s.tokenizer.decode(s.read)") == "for name in names:\n"
    page.fill(".lm-text", "")
    assert "Type something" in page.text_content(".lm-status")
    for button in ("generate", "one", "reset"):
        page.press(f".lm-{button}", "Enter")
    assert session(page, "s.generated") == []
    assert page.locator(".lm-next tbody tr").count() == 0


def test_a_long_text_says_what_the_model_sees(page):
    page.fill(".lm-text", "the value " * 100)
    seen, all_tokens = session(page, "[s.read.length, s.ids.length]")
    assert 64 < seen <= 128 < all_tokens
    assert page.text_content(".lm-status").startswith(f"The model sees the last {seen} of {all_tokens} tokens.")
    assert page.locator(".lm-tokens li").count() == seen
