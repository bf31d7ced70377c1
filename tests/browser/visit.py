"""A visit to a page: all it asks for and complains about is noted, and every other host is blocked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, Request, Route

AXE = Path(__file__).parents[2] / "node_modules" / "axe-core" / "axe.min.js"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
# Put into words on the page: the whole report takes longer to hand over than to make.
VIOLATIONS = """tags => axe.run({runOnly: tags, resultTypes: ['violations']}).then(report => report.violations
  .flatMap(v => v.nodes.map(n => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary}`)))"""


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


def violations(page: Page) -> list[str]:
    """Where a page, as it stands, breaks a rule of WCAG 2.2 A or AA that can be checked by a program."""
    page.evaluate(AXE.read_text(encoding="utf-8"))
    found: list[str] = page.evaluate(VIOLATIONS, WCAG)
    return found
