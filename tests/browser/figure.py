"""A live figure under test: its controls, moved by keyboard, and the data behind its marks."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
from playwright.sync_api import Locator

from tests.browser.evaluate import evaluate

# A line is one path, which holds the first of its points and, in its mark, all of them.
DATA = """(figure, [mark, names]) => ['path', 'line', 'text']
  .flatMap(kind => [...figure.querySelectorAll(`g.${mark} ${kind}`)].map(shape => shape.__data__))
  .flatMap(item => ['line', 'area'].includes(item.mark.marktype) ? item.mark.items : [item])
  .map(({datum}) => names.length ? Object.fromEntries(names.map(name => [name, datum[name]])) : datum)"""
# How far each bar reaches, as a fraction of the axis.
REACH = "path.__data__.width / path.__data__.mark.group.width"


def close(got: Any, expected: Any, atol: float = 1e-12, rtol: float = 0) -> None:
    """Compare numbers; None is no number."""
    np.testing.assert_allclose(np.array(got, dtype=float), expected, rtol=rtol, atol=atol)


class Figure:
    """A live figure of an open page."""

    def __init__(self, root: Locator) -> None:
        self.root, self.page = root, root.page
        self.sliders, self.output = root.locator("input[type=range]"), root.locator("output")

    @property
    def spec(self) -> dict[str, Any]:
        """The specification that the page holds."""
        spec: dict[str, Any] = json.loads(self.root.locator("script").last.text_content() or "")["spec"]
        return spec

    def listed(self, signal: str) -> list[Any]:
        """What the formula of a signal chooses from."""
        formula = next(each["update"] for each in self.spec["signals"] if each["name"] == signal)
        values: list[Any] = json.loads(formula[: formula.index("]") + 1])
        return values

    def slider(self, which: int | str = 0) -> Locator:
        """A slider, by its number or its label."""
        return self.sliders.nth(which) if isinstance(which, int) else self.root.get_by_label(which, exact=True)

    def press(self, key: str, which: int | str = 0) -> None:
        self.slider(which).press(key)

    def settings(self) -> list[float]:
        """The value of each slider."""
        values: list[float] = self.sliders.evaluate_all("all => all.map(each => Number(each.value))")
        return values

    def walk(self, which: int | str = 0) -> Iterator[int]:
        """Go through the stops of a slider by keyboard, from the first to the last; gives each."""
        slider, stop = self.slider(which), ""
        slider.press("Home")
        while (now := slider.input_value()) != stop:
            yield int(float(now))
            stop = now
            slider.press("ArrowRight")

    def choose(self, label: str) -> None:
        """Check a radio button."""
        self.root.get_by_label(label, exact=True).check()

    def choices(self, group: int = 0) -> Iterator[str]:
        """Go through the radio buttons of a group by keyboard, from the first to the last; gives the label of each."""
        found = self.root.locator("fieldset fieldset").nth(group)
        buttons = found.locator("input[type=radio]")
        buttons.first.press("Space")
        for place, label in enumerate(found.locator("label").all_inner_texts()):
            assert buttons.nth(place).is_checked()
            yield label.strip()
            buttons.nth(place).press("ArrowDown")
        assert buttons.first.is_checked()  # behind the last comes the first

    def texts(self, selector: str) -> list[str]:
        return self.root.locator(selector).all_text_contents()

    def marks(self, mark: str, *by: str) -> list[dict[str, Any]]:
        """The data behind each item of a mark, for a line of each point; in drawing order, or sorted by fields."""
        found: list[dict[str, Any]] = evaluate(self.root, DATA, [mark, ()])
        return sorted(found, key=lambda item: [item[field] for field in by])

    def values(self, mark: str, field: str, *by: str) -> list[Any]:
        """One field of a mark."""
        return [item[field] for item in self.marks(mark, *by)]

    def matrix(self, mark: str, field: str, rows: str = "query", columns: str = "key") -> np.ndarray:
        """A field of the cells of a map, (rows, columns); 0 where no cell is drawn, nan where it holds no number."""
        cells = self.marks(mark)
        matrix = np.zeros([1 + max(cell[axis] for cell in cells) for axis in (rows, columns)])
        for cell in cells:
            matrix[cell[rows], cell[columns]] = np.nan if cell[field] is None else cell[field]
        return matrix

    def drawn(self, mark: str, code: str) -> list[Any]:
        """What some code says of each `path` of a mark."""
        drawn: list[Any] = self.root.evaluate(f"it => [...it.querySelectorAll('g.{mark} path')].map(path => {code})")
        return drawn

    def expect(self, mark: str, *by: str, atol: float = 1e-12, rtol: float = 0, **expected: Any) -> None:
        """Compare fields of a mark with numbers of any shape, row by row."""
        items = self.marks(mark, *by)
        for field, values in expected.items():
            close([item[field] for item in items], np.ravel(values), atol, rtol)
