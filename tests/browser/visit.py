"""A visit to a page: all it asks for and complains about is noted."""

from pathlib import Path
from typing import Literal

from playwright.sync_api import ConsoleMessage, Error, Page, Request

AXE = Path(__file__).parents[2].joinpath("node_modules", "axe-core", "axe.min.js").read_text(encoding="utf-8")
WCAG = {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
COLOURS = {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}
# Put into words on the page: the whole report takes longer to hand over than to make.
VIOLATIONS = """([within, rules]) =>
  axe.run(within, {runOnly: rules, resultTypes: ['violations'], preload: location.protocol !== 'file:'})
    .then(report => report.violations
      .flatMap(v => v.nodes.map(n => `${v.id}: ${n.html.slice(0, 160)} ${n.failureSummary}`)))"""


class Visit:
    """A page and all it asked for and complained about, until it is left."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.asked: list[str] = []
        self.outside: list[str] = []
        self.complaints: list[str] = []
        self.listeners = {"request": self.ask, "console": self.say, "pageerror": self.fail}
        for event, listener in self.listeners.items():
            page.on(event, listener)

    def ask(self, request: Request) -> None:
        self.asked.append(request.url)
        if not request.url.startswith(("http://127.0.0.1:", "file:", "data:", "blob:")):
            self.outside.append(request.url)

    def say(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.complaints.append(message.text)

    def fail(self, error: Error) -> None:
        self.complaints.append(str(error))

    def wake(self) -> None:
        """Touch each figure in turn, and wait until it is live."""
        for figure in self.page.query_selector_all(".live-figure"):
            figure.scroll_into_view_if_needed()
            figure.dispatch_event("focusin")
            self.page.wait_for_function("figure => figure.dataset.live === 'yes'", arg=figure)
        self.page.evaluate("scrollTo(0, 0)")  # where the theme's way back to the top is not half faded in

    def change_theme(self, theme: Literal["light", "dark"]) -> None:
        """Let the reader's system ask for another theme, as in the evening; some pages need no script for it."""
        self.page.emulate_media(color_scheme=theme)
        self.page.wait_for_function(f"['{theme}', undefined].includes(document.documentElement.dataset.theme)")

    def leave(self) -> None:
        """Go to an empty page, so that the next visit hears nothing of this one."""
        for event, listener in self.listeners.items():
            self.page.remove_listener(event, listener)
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")


def violations(page: Page, within: str = "html", rules: dict[str, object] = WCAG) -> list[str]:
    """Where a page, as it stands, breaks a rule of WCAG 2.2 A or AA that can be checked by a program."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found: list[str] = page.evaluate(VIOLATIONS, [within, rules])
    return found


def violations_of_colors(page: Page, within: str = "html") -> list[str]:
    """The same of colors alone, on a page judged in the other theme."""
    return violations(page, within, COLOURS)
