"""A browser on the built book: served over http from here or opened from disk, every other host out of reach."""

import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Literal

import pytest
from paper import CHROMIUM, FLAGS
from playwright.sync_api import Browser, JSHandle, Page, sync_playwright

from tests.browser import live_page
from tests.browser.evaluate import evaluate
from tests.browser.figure import Figure
from tests.browser.live_controls import IDLE, opened
from tests.browser.serving import served
from tests.browser.visit import Visit

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
FIGURE = re.compile(r'<div class="live-figure".*?</script>\s*</div>', re.DOTALL)
# What a reader has moved, chosen or opened goes back; what shows or hides something by hand is for the tests to undo.
AS_FOUND = """() => {
  document.activeElement.blur();
  for (const input of document.querySelectorAll('.live-figure input')) {
    if (input.type === 'radio' || input.type === 'checkbox' ? input.checked === input.defaultChecked
                                                            : input.value === input.defaultValue) continue;
    [input.checked, input.value] = [input.defaultChecked, input.getAttribute('value') ?? ''];
    input.dispatchEvent(new Event('input', {bubbles: true}));
  }
  document.querySelectorAll('details').forEach(each => (each.open = false));
  scrollTo(0, 0);
}"""
# Each visit is the first one.
FORGET = "try { localStorage.clear(); sessionStorage.clear(); } catch { /* an empty page has none */ }"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Chromium the page tests are skipped, with one clear line; where it is required they fail instead."""
    if CHROMIUM is None and not os.environ.get("REQUIRE_BROWSER"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine: install it to check the pages"))


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of the built book on this machine."""
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="session")
def figures_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the chapters' live figures, with the head of their page and nothing else: quickly opened."""
    folder = tmp_path_factory.mktemp("figures")
    for name in ("_static", "libs"):
        (folder / name).symlink_to(HTML / name)
    (folder / "book").mkdir()
    for chapter in HTML.glob("book/*.html"):
        text = chapter.read_text(encoding="utf-8")
        body = "".join(FIGURE.findall(text))
        alone = f"{text[: text.index('<body')]}<body><main>{body}</main></body></html>"
        (folder / "book" / chapter.name).write_text(alone, encoding="utf-8")
    with served(folder) as address:
        yield address


def fixture_of(write: Callable[[Path], Any]) -> Any:
    """The fixture of a page with a live model: its folder, its address, and PyTorch on the same weights."""

    @pytest.fixture(scope="session")
    def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, Any]]:
        folder = tmp_path_factory.mktemp("live")
        reference = write(folder)
        with served(folder) as address:
            yield folder, f"{address}/index.html", reference

    return made


live_model = fixture_of(live_page.write_model)
live_assistant = fixture_of(live_page.write_assistant)
live_fill_in = fixture_of(live_page.write_fill_in)
live_translator = fixture_of(live_page.write_translator)


@pytest.fixture(scope="module")
def kept_session(keep: Callable[[str], Visit], request: pytest.FixtureRequest) -> JSHandle:
    """The session of the live model that the module of tests names KIND, which remembers what it is now."""
    kind = request.module.KIND
    page = opened(keep, request.getfixturevalue(kind)[1]).page
    page.wait_for_function(IDLE)
    handle = page.evaluate_handle("document.querySelector('.live-net').liveModel.session")
    handle.evaluate("s => { window.asStarted = {...s} }")
    return handle


@pytest.fixture
def session(kept_session: JSHandle, request: pytest.FixtureRequest) -> Callable[..., Any]:
    """It, as it was when it had started; `session(code, arg)` sees it as `s`."""
    back = getattr(request.module, "BACK", "Object.assign(s, asStarted)")
    kept_session.evaluate(f"s => {{ {back} }}")
    return lambda code, arg=None: evaluate(kept_session, f"(s, arg) => {{ {code} }}", arg)


@pytest.fixture
def reference(request: pytest.FixtureRequest) -> Any:
    """PyTorch on the weights of the module's live model."""
    return request.getfixturevalue(request.module.KIND)[2]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        yield browser


@pytest.fixture(scope="session")
def tab(browser: Browser) -> Iterator[Page]:
    """The one tab of all visits: a new one costs as much as opening a chapter."""
    with browser.new_context() as context:
        context.add_init_script(FORGET)
        yield context.new_page()


@pytest.fixture
def without_scripts(browser: Browser) -> Iterator[Page]:
    """A tab in which no script runs."""
    with browser.new_context(java_script_enabled=False) as context:
        yield context.new_page()


@pytest.fixture
def visit(tab: Page) -> Iterator[Callable[..., Visit]]:
    """Open a page for one test, its figures live unless told otherwise: visit(url, width=1280, theme="light")."""
    visits: list[Visit] = []

    def open_page(
        url: str, width: int = 1280, theme: Literal["light", "dark"] = "light", *, awake: bool = True, height: int = 800
    ) -> Visit:
        tab.set_viewport_size({"width": width, "height": height})
        tab.emulate_media(color_scheme=theme)
        visits.append(Visit(tab))
        tab.goto(url, wait_until="load")
        if awake:
            visits[-1].wake()
        return visits[-1]

    yield open_page
    for visited in visits:
        visited.leave()


@pytest.fixture(scope="module")
def keep(browser: Browser) -> Iterator[Callable[[str], Visit]]:
    """Open a page that the tests of a module share, its figures live: keep(url)."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as context:

        def open_page(url: str) -> Visit:
            seen = Visit(context.new_page())
            seen.page.goto(url, wait_until="load")
            seen.wake()
            return seen

        yield open_page


@pytest.fixture(scope="module")
def chapters_open(keep: Callable[[str], Visit], figures_site: str) -> Callable[[str], Page]:
    """Open the live figures of a chapter, once for all tests of a module: chapters_open(name)."""
    return cache(lambda chapter: keep(f"{figures_site}/book/{chapter}.html").page)


@pytest.fixture
def live_figure(chapters_open: Callable[[str], Page]) -> Iterator[Callable[..., Figure]]:
    """A live figure of a chapter, as a reader finds it: live_figure(chapter, number=0)."""
    pages: list[Page] = []

    def find(chapter: str, number: int = 0) -> Figure:
        pages.append(chapters_open(chapter))
        return Figure(pages[-1].locator(".live-figure").nth(number))

    yield find
    for page in pages:
        page.mouse.move(0, 0)
        page.evaluate(AS_FOUND)
