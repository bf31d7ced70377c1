"""Laws of every published page: it needs no network, says nothing in the console, and is usable by everybody."""

import gzip
import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
BUILT = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if "_static" not in path.parts)
PAGES = [page for page in BUILT if page != "index.html"]  # which only leads to book/index.html
AXE = ROOT / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
MAX_GZIP_BYTES = 1_200_000


def test_the_book_is_built():
    assert "book/attention.html" in PAGES
    assert "404.html" in PAGES


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("scheme", ["http", "file"])
def test_page_asks_for_nothing_outside_and_does_not_complain(visit, site, scheme, page):
    seen = visit(f"{site}/{page}" if scheme == "http" else (HTML / page).as_uri())
    seen.page.wait_for_timeout(200)
    assert seen.outside == []
    assert seen.complaints == []


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_page_is_accessible_and_does_not_scroll_sideways(visit, site, theme, width, page):
    seen = visit(f"{site}/{page}", width=width, theme=theme)
    seen.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    # Colours are judged when what opened has faded in.
    seen.page.evaluate("document.getAnimations().forEach(animation => animation.finish())")
    assert seen.page.evaluate("document.documentElement.scrollWidth") <= width
    seen.page.evaluate(AXE.read_text(encoding="utf-8"))
    report = seen.page.evaluate("tags => axe.run({runOnly: tags})", WCAG)
    found = [f"{v['id']}: {n['html'][:160]} {n['failureSummary']}" for v in report["violations"] for n in v["nodes"]]
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("page", PAGES)
def test_first_load_is_light(visit, site, page):
    seen = visit(f"{site}/{page}")
    urls = seen.page.evaluate("performance.getEntriesByType('resource').map(r => r.name)")
    files = {HTML / page} | {HTML / re.sub(r"[?#].*", "", url.removeprefix(site + "/")) for url in urls}
    total = sum(len(gzip.compress(file.read_bytes(), mtime=0)) for file in files)
    assert total <= MAX_GZIP_BYTES, f"{page} loads {total} bytes gzipped: {sorted(map(str, files))}"


@pytest.mark.parametrize("width", [320, 1280])
@pytest.mark.parametrize("page", PAGES)
def test_layout_does_not_shift(visit, site, page, width):
    seen = visit(f"{site}/{page}", width=width)
    shift = seen.page.evaluate(
        """() => new Promise(resolve => {
             let total = 0;
             new PerformanceObserver(list => list.getEntries().forEach(e => (total += e.value)))
               .observe({type: "layout-shift", buffered: true});
             setTimeout(() => resolve(total), 500);
           })"""
    )
    assert shift <= 0.1


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
