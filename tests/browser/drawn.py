"""What a live figure has drawn: the data behind the items of one of its marks."""

from playwright.sync_api import Locator

from tests.browser.told import told

# A line is one path, which holds the first of its points and, in its mark, all of them.
DATA = """(figure, [mark, names]) => ['path', 'line', 'text']
  .flatMap(kind => [...figure.querySelectorAll(`g.${mark} ${kind}`)].map(shape => shape.__data__))
  .flatMap(item => ['line', 'area'].includes(item.mark.marktype) ? item.mark.items : [item])
  .map(({datum}) => names.length ? Object.fromEntries(names.map(name => [name, datum[name]])) : datum)"""


def drawn(figure: Locator, mark: str, *names: str) -> list[dict]:
    """The data behind the items of a mark, in drawing order; of a line or area, behind each of its points.

    Args:
        figure: The figure.
        mark: The mark's name.
        names: What is asked of each datum; without any, all of it.
    """
    return told(figure, DATA, [mark, names])
