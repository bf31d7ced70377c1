"""Laws of every published page: it needs no network, says nothing in the console, and is usable by everybody."""

import gzip
import json
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from visit import Visit, violations, visiting

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
BUILT = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if "_static" not in path.parts)
PAGES = [page for page in BUILT if page != "index.html"]  # which only leads to book/index.html
MAX_GZIP_BYTES = 1_200_000
LOOKS = [(width, theme) for width in (320, 1280) for theme in ("light", "dark")]
# The sum of all layout shifts so far; what was observed before reaches a new observer a moment later.
SHIFT = """() => new Promise(resolve => {
  let total = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => (total += entry.value)))
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(total), 300);
})"""


class Seen(NamedTuple):
    """A visited page, its file and width, how far its layout shifted, and all that it loaded."""

    visit: Visit
    page: str
    width: int
    shift: float
    urls: list[str]


@cache
def gzipped(file):
    """Bytes of a file as a server sends it."""
    return len(gzip.compress(file.read_bytes(), mtime=0))


def test_the_book_is_built():
    assert "book/attention.html" in PAGES
    assert "404.html" in PAGES


@pytest.fixture(
    scope="module",
    params=[(look, page) for page in PAGES for look in LOOKS],
    ids=lambda p: "-".join(map(str, (*p[0], p[1]))),
)
def seen(request, browser, site):
    """A page in one width and theme, once scrolled through; what it did meanwhile is written down."""
    (width, theme), page = request.param
    with visiting(browser) as open_page:
        visit = open_page(f"{site}/{page}", width=width, theme=theme)
        shift = visit.page.evaluate(SHIFT)
        urls = visit.page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
        yield Seen(visit, page, width, shift, urls)


def test_page_asks_for_nothing_outside_and_does_not_complain(seen):
    assert seen.visit.outside == []
    assert seen.visit.complaints == []


@pytest.mark.parametrize("page", PAGES)
def test_page_needs_no_server(visit, page):
    opened = visit((HTML / page).as_uri())
    opened.page.wait_for_timeout(200)
    assert opened.outside == []
    assert opened.complaints == []


def test_page_is_accessible_and_does_not_scroll_sideways(seen):
    page = seen.visit.page
    page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    # Colours are judged when what opened has faded in.
    page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    assert page.evaluate("document.documentElement.scrollWidth") <= seen.width
    assert violations(page) == []


def test_first_load_is_light(seen, site):
    files = {HTML / seen.page} | {HTML / re.sub(r"[?#].*", "", url.removeprefix(site + "/")) for url in seen.urls}
    total = sum(map(gzipped, files))
    assert total <= MAX_GZIP_BYTES, f"{seen.page} loads {total} bytes gzipped: {sorted(map(str, files))}"


def test_layout_does_not_shift(seen):
    assert seen.shift <= 0.1


@pytest.mark.parametrize("page", PAGES)
def test_static_drawings_stand_where_scripts_do_not_run(browser, site, page):
    context = browser.new_context(java_script_enabled=False)
    opened = context.new_page()
    opened.goto(f"{site}/{page}")
    for figure in opened.locator(".live-figure").all():
        assert figure.locator(".live-view svg").count() == 1
        assert figure.locator("input:enabled").count() == 0
    context.close()


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_address_of_the_site_leads_to_the_first_page(browser, site, scheme):
    page = browser.new_page()
    page.goto(f"{site}/" if scheme == "http" else (HTML / "index.html").as_uri())
    page.wait_for_url("**/book/index.html")
    page.close()


@pytest.mark.parametrize("page", PAGES)
def test_every_image_says_what_it_shows(page):
    images = re.findall(r"<img[^>]*>", (HTML / page).read_text(encoding="utf-8"))
    texts = [re.search(r'alt="([^"]*)"', image) for image in images]
    # A file name is what the builder writes where the author wrote nothing.
    assert [image for image, text in zip(images, texts, strict=True) if not text or "_images/" in text[1]] == []


def test_search_finds_a_word(visit, site):
    seen = visit(f"{site}/search.html?q=softmax")
    seen.page.wait_for_selector("#search-results li a")
    links = seen.page.eval_on_selector_all("#search-results li a", "links => links.map(a => a.getAttribute('href'))")
    assert any("attention" in link for link in links)


def test_each_executed_page_offers_its_notebook(visit, site):
    seen = visit(f"{site}/book/attention.html")
    link = seen.page.get_attribute("a.btn-download-notebook-button", "href")
    notebook = json.loads((HTML / "book" / link).resolve().read_text(encoding="utf-8"))
    assert any(cell["cell_type"] == "code" for cell in notebook["cells"])


def test_not_found_page_leads_home(visit, site):
    seen = visit(f"{site}/404.html")
    seen.page.click("main a")
    seen.page.wait_for_url("**/book/index.html")
