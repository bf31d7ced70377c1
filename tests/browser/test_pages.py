"""Laws of every published page: it needs no network, says nothing in the console, and is usable by everybody."""

import gzip
import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.browser.visit import violations, violations_of_colors

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
# The theme leaves templates under _static, and slides have laws of their own.
OTHERS = {"_static", "slides"}
BUILT = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if not OTHERS & set(path.parts))
PAGES = [page for page in BUILT if page != "index.html"]  # which only leads to book/index.html
MAX_GZIP_BYTES = 1_200_000
MAX_SHIFT = 0.1
WITH_FIGURES = [page for page in PAGES if 'class="live-figure"' in (HTML / page).read_text(encoding="utf-8")]
# The sum of all layout shifts so far; what was observed before reaches a new observer a moment later.
SHIFT = """() => new Promise(resolve => {
  let total = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => (total += entry.value)))
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(total), 300);
})"""
# Sizes and colors can be judged where all is laid out, as for a reader who has been everywhere.
LAID_OUT = "* { content-visibility: visible !important }"
SETTLE = "document.getAnimations().forEach(animation => animation.finish())"


@cache
def gzipped(file):
    """Bytes of a file as a server sends it."""
    return len(gzip.compress(file.read_bytes(), mtime=0))


def test_the_book_is_built():
    assert "book/attention.html" in PAGES
    assert "404.html" in PAGES


WIDE = "[...document.querySelectorAll('div.math[id]')].filter(it => it.scrollWidth > it.clientWidth).map(it => it.id)"


def weight(root, urls):
    """Bytes that files below an address have on the way."""
    return sum(gzipped(HTML / re.sub(r"[?#].*", "", url.removeprefix(f"{root}/"))) for url in {*urls} if root in url)


def laws(seen, width, other, **more):
    """Assert the laws that a whole page has, awake, with all that opens opened, and some more that were asked before.

    In the other theme nothing but colors can differ, so these are judged there once more, on the same page.
    """
    seen.wake()
    seen.page.add_style_tag(content=LAID_OUT)
    seen.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    # Colours are judged when what opened has faded in.
    seen.page.evaluate(SETTLE)
    reach = seen.page.evaluate("document.documentElement.scrollWidth")
    cut = seen.page.evaluate(WIDE) if width >= 1280 else []  # a phone scrolls
    unusable = violations(seen.page)
    seen.change_theme(other)
    seen.page.evaluate(SETTLE)
    broken = {
        **more,
        "it scrolls sideways": reach > width and reach,
        "it scrolls sideways in the other theme": seen.page.evaluate("document.documentElement.scrollWidth") > width,
        "an equation is wider than its column": cut,
        "not everybody can use it": unusable,
        "not everybody can use it in the other theme": violations_of_colors(seen.page),
        "it asks another host": seen.outside,
        "it complains": seen.complaints,
    }
    assert {law: how for law, how in broken.items() if how} == {}


@pytest.mark.parametrize("page", PAGES)
def test_page_breaks_no_law(visit, site, page):
    """One visit, all laws: opening a page costs more than asking any of them."""
    seen = visit(f"{site}/{page}", awake=False)
    loaded = weight(site, seen.asked)
    shift = seen.page.evaluate(SHIFT)
    more = {
        "its first load is heavy": loaded > MAX_GZIP_BYTES and loaded,
        "its layout shifts": shift > MAX_SHIFT and shift,
    }
    laws(seen, 1280, "dark", **more)


@pytest.mark.parametrize("page", PAGES)
def test_page_breaks_no_law_on_a_phone_where_there_is_no_server(visit, page):
    """Opened from disk."""
    seen = visit((HTML / page).as_uri(), width=320, theme="dark", awake=False)
    shift = seen.page.evaluate(SHIFT)
    laws(seen, 320, "light", **{"its layout shifts": shift > MAX_SHIFT and shift})


@pytest.mark.parametrize("page", WITH_FIGURES)
def test_static_drawings_stand_where_scripts_do_not_run(without_scripts, site, page):
    without_scripts.goto(f"{site}/{page}")
    for figure in without_scripts.locator(".live-figure").all():
        assert figure.locator(".live-view svg").count() == 1
        assert figure.locator("input:enabled").count() == 0


@pytest.mark.parametrize("scheme", ["http", "file"])
def test_the_address_of_the_site_leads_to_the_first_page(browser, site, scheme):
    page = browser.new_page()
    page.goto(f"{site}/" if scheme == "http" else (HTML / "index.html").as_uri())
    page.wait_for_url("**/book/index.html")
    page.close()


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
    assert "find_spec" in "".join(notebook["cells"][0]["source"])


def test_downloads_say_what_they_are(visit, site):
    seen = visit(f"{site}/book/attention.html")
    seen.page.get_by_label("Download this page").click()
    for role, name in (("link", "Notebook, to run"), ("link", "Source in MyST Markdown"), ("button", "Print, or save")):
        item = seen.page.get_by_role(role, name=name)
        assert item.is_visible()
        assert item.inner_text().strip() in item.get_attribute("aria-label")


def test_not_found_page_leads_home(visit, site):
    seen = visit(f"{site}/404.html")
    seen.page.click("main a")
    seen.page.wait_for_url("**/book/index.html")


def test_a_dark_page_is_dark_before_the_scripts_of_the_theme(browser, site):
    with browser.new_context(color_scheme="dark") as context:
        page = context.new_page()
        page.route("**/scripts/*.js*", lambda route: route.abort())
        page.goto(f"{site}/book/search.html")
        assert page.evaluate("document.documentElement.dataset.theme") == "dark"


@pytest.mark.parametrize("width", [390, 1280])
def test_a_jump_leads_to_its_section_although_others_are_not_laid_out(browser, site, width):
    with browser.new_context(viewport={"width": width, "height": 800}) as context:
        page = context.new_page()
        for section in ("exercises", "inside-a-trained-model", "queries-keys-and-values"):
            page.goto("about:blank")
            page.goto(f"{site}/book/attention.html#{section}")
            page.wait_for_timeout(500)
            assert 0 <= page.locator(f"section#{section}").bounding_box()["y"] < 100
