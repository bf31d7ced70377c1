"""A visit to a page: all it asks for and complains about is noted, and every other host is blocked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Page, Request, Route


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


@contextmanager
def visiting(browser: Browser) -> Iterator[Callable[..., Visit]]:
    """Open pages: visit(url, width=1280, theme="light"); all are closed at the end."""
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
