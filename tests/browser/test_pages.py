"""Laws of every published page: it needs no network, says nothing in the console, and is usable by everybody."""

import gzip
import json
import re
from functools import cache
from pathlib import Path

import pytest

from tests.browser.visit import violations, violations_of_colours

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
# The theme leaves templates under _static, and slides have laws of their own.
OTHERS = {"_static", "slides"}
BUILT = sorted(str(path.relative_to(HTML)) for path in HTML.rglob("*.html") if not OTHERS & set(path.parts))
PAGES = [page for page in BUILT if page != "index.html"]  # which only leads to book/index.html
MAX_GZIP_BYTES = 500 * 1024
MAX_SHIFT = 0.1
WITH_FIGURES = [page for page in PAGES if 'class="live-figure"' in (HTML / page).read_text(encoding="utf-8")]
# The sum of all layout shifts so far; what was observed before reaches a new observer a moment later.
SHIFT = """() => new Promise(resolve => {
  let total = 0;
  new PerformanceObserver(list => list.getEntries().forEach(entry => (total += entry.value)))
    .observe({type: "layout-shift", buffered: true});
  setTimeout(() => resolve(total), 300);
})"""
# Nothing waits for a time once the page has loaded: what a jump moves, it moves in the next frames.
SHIFT_OF_JUMP = """place => new Promise(resolve => {
  let total = 0, frames = 0;
  const watch = new PerformanceObserver(list => list.getEntries().forEach(entry => (total += entry.value)));
  const next = () => ++frames < 8 ? requestAnimationFrame(next) : setTimeout(() => resolve(total));
  watch.observe({type: "layout-shift"});
  const jump = () => (watch.takeRecords(), (total = 0), eval(place), next());
  document.fonts.ready.then(() => requestIdleCallback(() => requestAnimationFrame(() => requestAnimationFrame(jump))));
})"""

# Three of them: what is seen to be near in one is drawn in the next.
FRAMES = (
    "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))"
)
SECTION = "[...document.querySelectorAll('.bd-article > section > section')]"
# Two jumps from the top, and from where each of them led one further down, to what nothing has drawn yet.
JUMPS = (
    ("scrollTo(0, document.documentElement.scrollHeight / 2)", "scrollTo(0, 1e7)"),
    (f"{SECTION}.at(4)?.scrollIntoView()", f"{SECTION}.at(-1)?.scrollIntoView()"),
)
SETTLE = "document.getAnimations().forEach(animation => animation.finish())"
WITH_ANSWERS = [page for page in PAGES if 'class="in-page"' in (HTML / page).read_text(encoding="utf-8")]


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


def boxes(page):
    """How many boxes the browser has made to lay the page out with."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")
    session.send("HeapProfiler.collectGarbage")  # of the pages before
    page.evaluate(FRAMES)
    found = {each["name"]: each["value"] for each in session.send("Performance.getMetrics")["metrics"]}
    session.detach()
    return found["LayoutObjects"]


def laid_out_too_early(page):
    """Whether exercises, far below, have their boxes already."""
    before = boxes(page)
    show = "it => (it.style.contentVisibility = 'visible', it.querySelectorAll('*').length)"
    elements = page.locator("#exercises").evaluate(show)
    return boxes(page) - before <= elements


def laws(seen, width, other, **more):
    """Assert the laws that a whole page has, awake, with all that opens opened, and some more that were asked before.

    In the other theme nothing but colours can differ, so these are judged there once more, on the same page.
    """
    seen.wake()
    seen.page.evaluate("document.querySelectorAll('details').forEach(d => (d.open = true))")
    seen.draw()
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
        "not everybody can use it in the other theme": violations_of_colours(seen.page),
        "it asks another host": seen.outside,
        "it complains": seen.complaints,
    }
    assert {law: how for law, how in broken.items() if how} == {}


@pytest.mark.parametrize("page", PAGES)
def test_page_breaks_no_law(visit, site, page):
    """One visit, all laws: opening a page costs more than asking any of them but the last."""
    seen = visit(f"{site}/{page}", awake=False)
    loaded = weight(site, seen.asked)
    shift = seen.page.evaluate(SHIFT)
    more = {
        "its first load is heavy": loaded > MAX_GZIP_BYTES and loaded,
        "its layout shifts": shift > MAX_SHIFT and shift,
        "its exercises are laid out before a reader is near": page in WITH_ANSWERS and laid_out_too_early(seen.page),
    }
    laws(seen, 1280, "dark", **more)


@pytest.mark.parametrize("page", PAGES)
def test_page_breaks_no_law_on_a_phone_where_there_is_no_server(visit, page):
    """Opened from disk; before all else a reader jumps to places that nothing has drawn yet."""
    address = (HTML / page).as_uri()
    seen = visit(address, width=320, theme="dark", awake=False)
    loaded = weight(HTML.as_uri(), seen.asked)
    shifts = {"opened": seen.page.evaluate(SHIFT)}
    for number, jumps in enumerate(JUMPS):
        if number:
            seen.page.goto(address)  # from the top: a page opened anew would go where it was left
        shifts |= {jump: seen.page.evaluate(SHIFT_OF_JUMP, jump) for jump in jumps}
    more = {
        "its first load is heavy": loaded > MAX_GZIP_BYTES and loaded,
        "its layout shifts": {place: shift for place, shift in shifts.items() if shift > MAX_SHIFT},
    }
    laws(seen, 320, "light", **more)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_names_and_punctuation_lose_no_colour_with_their_marks(theme):
    styles = (HTML / "_static" / "pygments.css").read_text(encoding="utf-8")
    rule = r'html\[data-theme="{}"\] \.highlight{} {{[^}}]*(?<=[ ;])color: (#\w+)'
    colours = {re.search(rule.format(theme, mark), styles)[1] for mark in ("", r" \.n", r" \.p", r" \.nn")}
    assert len(colours) == 1


@pytest.mark.parametrize("width", [320, 768, 1280])
def test_what_stands_below_the_text_stands_in_its_column(visit, site, width):
    opened = visit(f"{site}/book/attention.html", width=width, awake=False).page
    ends = "it => [it.getBoundingClientRect().left, it.getBoundingClientRect().right]"
    left, right = opened.locator("article h1").evaluate(ends)
    for link in opened.locator(".paper-link a, .prev-next-footer a").all():
        first, last = link.evaluate(ends)
        assert left - 1 <= first < last <= right + 1


def test_pages_load_the_script_of_answers_where_there_is_something_to_answer():
    texts = {page: (HTML / page).read_text(encoding="utf-8") for page in PAGES}
    with_answers = {page for page, text in texts.items() if 'class="in-page"' in text}
    assert "book/attention.html" in with_answers
    assert {page for page, text in texts.items() if "answers.js" in text} == with_answers


def test_there_are_figures():
    assert len(WITH_FIGURES) > 3


@pytest.fixture(scope="module")
def without_scripts(browser):
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


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
