"""The data behind the marks of a live figure."""

from playwright.sync_api import Locator

from tests.browser.evaluate import evaluate

# A line is one path, which holds the first of its points and, in its mark, all of them.
DATA = """(figure, [mark, names]) => ['path', 'line', 'text']
  .flatMap(kind => [...figure.querySelectorAll(`g.${mark} ${kind}`)].map(shape => shape.__data__))
  .flatMap(item => ['line', 'area'].includes(item.mark.marktype) ? item.mark.items : [item])
  .map(({datum}) => names.length ? Object.fromEntries(names.map(name => [name, datum[name]])) : datum)"""


def marks(figure: Locator, mark: str, *names: str) -> list[dict]:
    """The data behind each item of a mark, in drawing order, or the named fields of it; for a line, of each point."""
    return evaluate(figure, DATA, [mark, names])
