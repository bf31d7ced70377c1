"""What a live figure has drawn: the data behind the items of one of its marks."""

from playwright.sync_api import Locator

# A line is one path, which holds the first of its points and, in its mark, all of them.
DATA = """([figure, mark]) => ['path', 'line', 'text']
  .flatMap(kind => [...figure.querySelectorAll(`g.${mark} ${kind}`)].map(shape => shape.__data__))
  .flatMap(item => ['line', 'area'].includes(item.mark.marktype) ? item.mark.items : [item])
  .map(item => item.datum)"""


def drawn(figure: Locator, mark: str) -> list[dict]:
    """The data behind the items of a mark, in drawing order; of a line or area, behind each of its points."""
    return figure.page.evaluate(DATA, [figure.element_handle(), mark])
