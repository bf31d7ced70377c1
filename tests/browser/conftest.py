"""A browser on the built book: served over http from here or opened from disk, every other host blocked."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from live_page import Reference, random_model, write_page
from playwright.sync_api import Browser, Locator, Page, sync_playwright
from visit import Visit, visiting

from benchmarks.serving import served

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


@pytest.fixture
def visit(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open a page for one test."""
    with visiting(browser) as open_page:
        yield open_page


@pytest.fixture
def page(visit: Callable[..., Visit], site: str, request: pytest.FixtureRequest) -> Page:
    """The page of the book that the module of tests names PAGE."""
    return visit(f"{site}/{request.module.PAGE}").page


@pytest.fixture
def figures(page: Page) -> list[Locator]:
    """The live figures of that page, in its order."""
    return page.locator(".live-figure").all()


@pytest.fixture
def figure(figures: list[Locator]) -> Locator:
    """The first of them."""
    return figures[0]
