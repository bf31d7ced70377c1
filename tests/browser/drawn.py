"""What a live figure has drawn: the data behind the items of one of its marks."""

from playwright.sync_api import Locator

DATA = """([figure, mark]) => ['path', 'line', 'text']
  .flatMap(kind => [...figure.querySelectorAll(`g.${mark} ${kind}`)])
  .map(item => item.__data__.datum)"""


def drawn(figure: Locator, mark: str) -> list[dict]:
    """The data behind the items of a mark, in drawing order."""
    return figure.page.evaluate(DATA, [figure.element_handle(), mark])
