"""Laws of the plots in built pages: no picture of words, nothing cut in a wider font, each word found."""

import re
from pathlib import Path

import pytest

HTML = Path(__file__).parents[2] / "_build" / "html"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in sorted((HTML / "book").glob("*.html"))}
PLOTS = {name: plots for name, page in PAGES.items() if (plots := re.findall(r'(?s)<svg class="plot".*?</svg>', page))}
# How far the farthest word is beyond the edge of its drawing, in pixels, where each letter is a fiftieth wider.
BEYOND = """([drawn, wider]) => {
  document.body.innerHTML = `<style>text { letter-spacing: ${wider}em }</style>${drawn}`;
  const edge = document.querySelector("svg").getBoundingClientRect();
  return Math.max(...[...document.querySelectorAll("text")].map(word => word.getBoundingClientRect())
    .flatMap(box => [edge.left - box.left, box.right - edge.right, edge.top - box.top, box.bottom - edge.bottom]));
}"""
FOUND = "words => find(words, true) && getSelection().anchorNode.parentElement.closest('.plot') !== null"


def test_each_plot_of_a_chapter_is_drawn_in_its_page():
    sources = {name: (HTML / "_sources" / "book" / f"{name}.md").read_text(encoding="utf-8") for name in PAGES}
    told = {name: len(re.findall(r"^  image:\n    alt:", text, re.MULTILINE)) for name, text in sources.items()}
    assert {name: len(plots) for name, plots in PLOTS.items()} == {name: n for name, n in told.items() if n}
    assert sum(told.values()) > 25


def test_no_page_shows_a_picture_of_words():
    assert [image for page in PAGES.values() for image in re.findall(r"<img[^>]*>", page)] == []


@pytest.mark.parametrize("wider", [0, 0.02])
def test_no_word_leaves_its_drawing(tab, wider):
    tab.goto("about:blank")
    beyond = [(name, tab.evaluate(BEYOND, [plot, wider])) for name, plots in PLOTS.items() for plot in plots]
    assert [(name, far) for name, far in beyond if far > 0] == []


def test_words_are_found_by_the_search_of_the_browser(visit, site):
    seen = visit(f"{site}/book/search.html", awake=False)
    assert seen.page.evaluate(FOUND, "recited fraction")
