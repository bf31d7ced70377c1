"""Laws of what the live model shows: bars, map, tokens and tables are the numbers of the session, whatever is moved."""

import re

import numpy as np
import pytest

from tests.browser.live_controls import session, started

# How opaque the middle of each cell of the map is, (T, T).
OPACITY = """T => {
  const map = document.querySelector('.lm-map'), context = map.getContext('2d');
  const at = i => Math.round((map.place.margin + (i + 0.5) * map.place.cell) * devicePixelRatio);
  const positions = [...Array(T).keys()];
  return positions.map(q => positions.map(k => context.getImageData(at(k), at(q), 1, 1).data[3] / 255));
}"""


@pytest.fixture
def page(visit, live):
    return started(visit, live[1]).page


def test_bars_show_the_probabilities_before_and_after(page):
    for slider, key in (("tau", "Home"), ("tau", "End"), ("k", "Home"), ("p", "ArrowLeft"), ("k", "End")):
        page.press(f".lm-{slider}", key)
        before, after = np.array(session(page, "[[...s.before], [...s.after]]"))
        best = np.argsort(-before, kind="stable")[:12]
        rows = page.locator(".lm-next tbody tr").all()
        assert [row.locator("th").text_content() for row in rows] == [
            session(page, f"s.tokenizer.spell({i})") for i in best
        ]
        shares = page.eval_on_selector_all(
            ".lm-next .lm-bar", "bars => bars.map(b => Number(b.style.getPropertyValue('--share')))"
        )
        both = np.stack([before[best], after[best]], axis=1)
        np.testing.assert_allclose(np.reshape(shares, (-1, 2)), both / both.max(), atol=1e-12)
        widths = page.eval_on_selector_all(
            ".lm-next .lm-bar",
            "bars => bars.map(b => b.getBoundingClientRect().width / (b.parentElement.clientWidth - 80))",
        )
        np.testing.assert_allclose(widths, shares, atol=0.02)
        numbers = [float(text) for text in page.locator(".lm-next td").all_text_contents()]
        np.testing.assert_allclose(numbers, both.ravel(), atol=5.001e-4)


def test_map_tokens_and_table_show_the_weights(page, live):
    reference = live[2]
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


def test_the_pointer_chooses_a_query_in_the_map_and_among_the_tokens(page):
    page.locator(".lm-tokens li").nth(1).click()
    assert page.input_value(".lm-query") == "1"
    margin, cell = page.evaluate("() => Object.values(document.querySelector('.lm-map').place)")
    page.locator(".lm-map").click(position={"x": margin + 0.5 * cell, "y": margin + 2.5 * cell})
    assert page.input_value(".lm-query") == "2"
    assert re.fullmatch(r".* → .*: \d\.\d{3}", page.text_content(".lm-pointed"))


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


def test_the_first_answer_is_what_the_model_says(page):
    still = page.locator(".lm-still td").all_text_contents()
    shown = page.locator(".lm-next tbody tr td:nth-child(2)").all_text_contents()
    assert still == shown
    names = page.locator(".lm-still th[scope=row]").all_text_contents()
    assert names == page.locator(".lm-next tbody th").all_text_contents()
