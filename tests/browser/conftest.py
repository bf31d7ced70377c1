"""A browser on the built book: served over http from here or opened from disk, every other host blocked."""

import functools
import http.server
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from live_page import Reference, random_model, write_page
from playwright.sync_api import Browser, Page, Request, Route, sync_playwright

ROOT = Path(__file__).parents[2]
HTML = ROOT / "_build" / "html"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--no-first-run",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Without Chromium the page tests are skipped, with one clear line; where it is required they fail instead."""
    if CHROMIUM is None and not os.environ.get("REQUIRE_BROWSER"):
        for item in items:
            if Path(__file__).parent in item.path.parents:
                item.add_marker(pytest.mark.skip(reason="no Chromium on this machine: install it to check the pages"))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files without writing a line for each."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; gives its address."""
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """Address of the built book on this machine."""
    with served(HTML) as address:
        yield address


@pytest.fixture(scope="session")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str, Reference]]:
    """A page with a live model: its folder, its address, and PyTorch on the same weights."""
    folder = tmp_path_factory.mktemp("live")
    reference = write_page(folder, *random_model())
    with served(folder) as address:
        yield folder, f"{address}/index.html", reference


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS) as browser:
        yield browser


class Visit:
    """A page and all it asked for and complained about."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.outside: list[str] = []
        self.complaints: list[str] = []
        page.route("**/*", self.block_outside)
        page.on("console", lambda m: self.complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def block_outside(self, route: Route, request: Request) -> None:
        if request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            route.continue_()
        else:
            self.outside.append(request.url)
            route.abort()

    def settle(self) -> None:
        """Scroll to each figure in turn and wait until it is live: a figure that is passed in one jump stays asleep."""
        for figure in self.page.query_selector_all(".live-figure"):
            figure.scroll_into_view_if_needed()
            self.page.wait_for_function("figure => figure.dataset.live === 'yes'", arg=figure)


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a page: visit(url, width=1280, theme="light")."""
    contexts = []

    def open_page(url: str, width: int = 1280, theme: str = "light") -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 800}, color_scheme=theme)
        contexts.append(context)
        result = Visit(context.new_page())
        result.page.goto(url, wait_until="load")
        result.settle()
        return result

    yield open_page
    for context in contexts:
        context.close()
