"""A browser for benchmarks, and how long a page takes to answer in it."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.lines import Quantity

# What a person waits for: from the press of a key to the picture in which its effect is seen. Shorter than 16 ms is
# not reported, and times are multiples of 8 ms.
WATCH = """() => {
  window.answers = [];
  new PerformanceObserver(list => {
    for (const event of list.getEntries()) if (event.interactionId) answers.push(event.duration);
  }).observe({type: 'event', durationThreshold: 16});
}"""
PAUSE = 200  # milliseconds, so that no key waits for the one before
WORDS, ROUNDS = "softmax", 3


def chromium() -> str:
    """The path of Chromium, or of Chrome."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser without a window."""
    flags = ["--no-sandbox", "--disable-gpu"]
    with sync_playwright() as playwright, playwright.chromium.launch(executable_path=chromium(), args=flags) as browser:
        yield browser


def pressed(page: Page, keys: Iterable[str]) -> None:
    """Press keys one after the other, each when the page is at rest."""
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(PAUSE)


def filtering(address: str) -> Quantity:
    """The slowest answer of the filters of the claims page, over what a reader types and takes back."""
    with launched() as browser, browser.new_page() as page:
        page.goto(f"{address}/book/claims.html")
        page.evaluate(WATCH)
        for _ in range(ROUNDS):
            page.focus(".claims-form [name=words]")
            pressed(page, WORDS)
            pressed(page, ["Backspace"] * len(WORDS))
            page.focus(".claims-form [name=verdict]")
            pressed(page, ["ArrowDown"] * 3 + ["ArrowUp"] * 3)
        slowest = max(page.evaluate("answers"), default=0)
    return Quantity("filters of the claims page, from key to picture, the slowest", slowest, "ms", 50)
