"""Laws of the slides: a deck has all that its chapter numbers and no solution, and each slide fits its frame."""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import chapters
import pytest
from bs4 import BeautifulSoup

from tests.browser.visit import violations, violations_of_colors

HTML = Path(__file__).parents[2] / "_build" / "html"
SLIDES = HTML / "slides"
CHAPTERS = [
    page.stem for page in chapters.pages() if "{admonition} In this chapter" in page.read_text(encoding="utf-8")
]
SMALLEST = 0.6  # what a slide may be shrunk to
# Where a part of a slide is cut off, or wider than the box that holds it; letters and marks have boxes of their own.
CUT = """() => [...document.querySelectorAll('.slides section')].flatMap((slide, number) => {
  const shown = slide.querySelector('.shown'), frame = shown.getBoundingClientRect();
  const inside = box => box.top >= frame.top - 1 && box.left >= frame.left - 1
    && box.bottom <= frame.bottom + 1 && box.right <= frame.right + 1;
  const parts = [...shown.querySelectorAll('*')]
    .filter(part => part.getClientRects().length && !part.closest('svg *, .katex *'));
  const wide = part => part.matches('pre, .math, table') && part.scrollWidth > part.clientWidth + 1;
  const cut = parts.filter(part => wide(part) || !inside(part.getBoundingClientRect()));
  if (frame.left < 0 || frame.right > 1280 || frame.height > 720) cut.push(shown);
  return cut.map(part => `${number + 1}: ${part.outerHTML.slice(0, 80)}`);
})"""
ZOOMS = "[...document.querySelectorAll('.shown')].map(shown => Number(getComputedStyle(shown).zoom))"
MOVED = "([figure, before]) => document.querySelector(`#${figure} svg`).innerHTML !== before"
FITTED = "document.documentElement.dataset.fitted"
WAKE = "document.querySelectorAll('.live-figure').forEach(figure => figure.dispatchEvent(new Event('focusin')))"
ALIVE = "[...document.querySelectorAll('.live-figure')].every(figure => figure.dataset.live)"


@cache
def read(folder, name):
    """A page of the book or its deck, as text; nothing changes it."""
    return BeautifulSoup((HTML / folder / f"{name}.html").read_text(encoding="utf-8"), "html.parser")


def identities(page, selector):
    return [element["id"] for element in page.select(selector)]


@pytest.fixture
def show(visit, site):
    """Open a deck as a lecturer sees it, and wait until its figures live: show(name, theme="light", address=site)."""

    def open_deck(name, theme="light", address=site):
        seen = visit(f"{address}/slides/{name}.html", theme=theme, height=720, awake=False)
        seen.page.wait_for_function(FITTED)
        seen.page.evaluate(WAKE)
        seen.page.wait_for_function(ALIVE)
        return seen

    return open_deck


def go_to(page, place):
    """Turn slides with the keyboard until a place is on the one that is shown."""
    for _ in page.query_selector_all(".slides > section"):
        if page.locator("section.present").locator(place).count():
            return
        page.keyboard.press("ArrowRight")
    raise AssertionError(f"no slide shows {place}")


def test_each_chapter_has_a_deck_and_the_list_leads_to_it():
    assert len(CHAPTERS) > 20
    assert {deck.stem for deck in SLIDES.glob("*.html")} == {*CHAPTERS, "index"}
    assert [link["href"] for link in read("slides", "index").select("li a")] == [f"{name}.html" for name in CHAPTERS]


@pytest.mark.parametrize("name", CHAPTERS)
def test_deck_has_all_that_its_chapter_numbers(name):
    page, deck = read("book", name), read("slides", name)
    for kind in ("div.math[id]", ".live-figure", "figure[id]"):
        # A deck begins with the first section, so it leaves out what a chapter opens with.
        assert identities(deck, kind) == identities(page, f"article section section {kind}:not(#exercises *)")
    lines = deck.get_text().splitlines()
    takeaways = [line for item in page.select(".admonition-take-away li") for line in item.get_text().split("\n")]
    assert [line for line in takeaways if line not in lines] == []
    assert takeaways
    titles = [title.get_text() for title in page.select(".exercise > .admonition-title")]
    last = deck.select(".slides > section")[-1]
    assert (last.h2.get_text() == "Exercises") == bool(titles)
    listed = [item.get_text() for item in last.select("li")] if titles else []
    assert all(line.startswith(title) for title, line in zip(titles, listed, strict=True))
    assert [line for line in listed if not re.search(r"\d points? · \d+ minutes", line)] == []
    assert len(deck.select(".live-net")) == len(page.select(".live-net"))


@pytest.mark.parametrize("name", CHAPTERS)
def test_deck_has_no_solution(name):
    page, deck = read("book", name), read("slides", name).get_text()
    told = [part.get_text() for part in page.select(".solution p, .solution pre")]
    told = [words for words in told if len(words) > 30]  # a shorter one may be what a cell prints, too
    assert bool(told) == bool(page.select(".exercise"))
    assert [words for words in told if words in deck] == []


@pytest.mark.parametrize("name", CHAPTERS)
def test_links_of_a_deck_lead_somewhere(name):
    for element in read("slides", name).select(".slides [href], .slides [src], head [href], head [src]"):
        address = urlsplit(element.get("href") or element["src"])
        if not address.scheme:
            target = (SLIDES / address.path).resolve()
            assert target.is_file(), address
            if address.fragment:
                assert f'id="{unquote(address.fragment)}"' in target.read_text(encoding="utf-8"), address


@pytest.mark.parametrize("name", CHAPTERS)
def test_slides_fit_their_frame_and_figures_move(show, name):
    """One visit, all laws of a deck."""
    seen = show(name)
    assert seen.page.evaluate(CUT) == []
    assert min(seen.page.evaluate(ZOOMS)) >= SMALLEST
    for figure in identities(read("slides", name), ".live-figure:has(input[type=range])"):
        go_to(seen.page, f"#{figure}")
        slider = seen.page.locator(f"#{figure} input[type=range]").first
        drawing = seen.page.locator(f"#{figure} svg")
        before, number = drawing.inner_html(), seen.page.evaluate("Reveal.getState().indexh")
        slider.focus()
        seen.page.keyboard.press("End" if slider.input_value() != slider.get_attribute("max") else "Home")
        seen.page.wait_for_function(MOVED, arg=[figure, before])
        seen.page.keyboard.press("ArrowLeft")
        assert seen.page.evaluate("Reveal.getState().indexh") == number  # the slider had the key, not the deck
        seen.page.evaluate("document.activeElement.blur()")
    assert seen.outside == []
    assert seen.complaints == []


@pytest.mark.parametrize(("theme", "judge"), [("light", violations), ("dark", violations_of_colors)])
@pytest.mark.parametrize("name", ["attention", "training", "encoder", "index"])
def test_everybody_can_use_a_deck(show, visit, site, name, theme, judge):
    """In the other theme nothing but colors can differ."""
    if name == "index":
        assert judge(visit(f"{site}/slides/index.html", width=320, theme=theme).page) == []
        return
    page = show(name, theme).page
    assert page.evaluate("document.documentElement.dataset.theme") == theme
    assert judge(page) == []
    for place in (".katex-display", "pre", "figcaption", "li"):
        page.keyboard.press("Home")  # in a deck, code may come after the last figure
        go_to(page, place)
        assert judge(page) == []


def test_deck_needs_no_server(show):
    seen = show("attention", address=HTML.as_uri())
    go_to(seen.page, ".live-figure")
    seen.page.wait_for_url("**#/*")  # so that a slide can be linked to
    assert seen.outside == []
    assert seen.complaints == []


def test_deck_prints_a_slide_a_page(tab, site):
    tab.goto(f"{site}/slides/attention.html?view=print")
    tab.wait_for_selector(".pdf-page")
    tab.wait_for_function(f"{FITTED} === 'pdf-ready'")
    assert tab.evaluate(CUT) == []
    printed = tab.pdf(prefer_css_page_size=True, print_background=True)
    tab.goto("about:blank")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == len(read("slides", "attention").select(".slides > section"))
