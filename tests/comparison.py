"""A pytest plugin for nbval: numbers after ≈ may differ a little, and chapters that came out as recorded are kept.

A number printed after ≈ depends on the machine: it may differ by a tenth, or by a unit of its last digit. A number of a
figure that is rounded to four decimals may fall to the other side, and so differ in the last of them.
"""

import copy
import math
import re
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import execution
import nbformat
import pytest
from chapters import IMAGES

NUMBER = re.compile(r"≈\s*([-+]?\d[\d,]*(?:\.(\d+))?(?:e([-+]?\d+))?)")
FIGURE = "application/vnd.vegalite.v5+json"
TOLERANCE = 0.1  # relative to the larger of two numbers
passed: dict[pytest.Collector, list[pytest.Item]] = defaultdict(list)
Outputs = list[nbformat.NotebookNode]


def near(text: str, recorded: str) -> bool:
    """Whether two texts agree in all but the numbers after ≈, and those by a tenth or a unit of the last digit."""
    pairs = zip(NUMBER.finditer(text), NUMBER.finditer(recorded), strict=True)
    return NUMBER.sub("≈", text) == NUMBER.sub("≈", recorded) and all(_agree(a, b) for a, b in pairs)


def _agree(a: re.Match[str], b: re.Match[str]) -> bool:
    x, y = (float(match[1].replace(",", "")) for match in (a, b))
    units = (10.0 ** (int(match[3] or 0) - len(match[2] or "")) for match in (a, b))
    return math.isclose(x, y, rel_tol=TOLERANCE, abs_tol=1.001 * max(units))


def alike(new: Any, old: Any) -> bool:
    """Whether two descriptions of a figure agree in all but the fourth decimal of a number."""
    if isinstance(new, dict) and isinstance(old, dict):
        return new.keys() == old.keys() and all(alike(new[key], old[key]) for key in new)
    if isinstance(new, list) and isinstance(old, list):
        return len(new) == len(old) and all(map(alike, new, old))
    if isinstance(new, float) or isinstance(old, float):
        return isinstance(new, int | float) and isinstance(old, int | float) and abs(new - old) < 1.5e-4
    return bool(new == old)


def tolerant(compare: Callable[..., bool]) -> Callable[..., bool]:
    """Make nbval's comparison of a cell's outputs accept a recorded text that is near the one seen."""

    def compare_near(outputs: Outputs, recorded: Outputs, *rest: Any) -> bool:
        result = copy.deepcopy(recorded)
        for seen, kept in zip(outputs, result, strict=False):
            places = [(seen, kept, "text"), (seen.get("data", {}), kept.get("data", {}), "text/plain")]
            for new, old, key in places:
                if key in new and key in old and near(new[key], old[key]):
                    old[key] = new[key]
            new, old = (output.get("data", {}) for output in (seen, kept))
            if FIGURE in new and FIGURE in old and alike(new[FIGURE], old[FIGURE]):
                old[FIGURE] = new[FIGURE]
        return compare(outputs, result, *rest)

    return compare_near


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Compare with tolerance, and leave images out."""
    for chapter in {item.parent for item in items}:
        chapter.skip_compare = (*chapter.skip_compare, *IMAGES)
    for item in items:
        item.compare_outputs = tolerant(item.compare_outputs)


def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> None:
    """Note which cells came out as recorded."""
    if call.when == "call" and call.excinfo is None:
        passed[item.parent].append(item)


def pytest_sessionfinish() -> None:
    """Keep for the book each chapter of which all cells did."""
    for chapter, cells in passed.items():
        if len(cells) < sum(cell.cell_type == "code" for cell in chapter.nb.cells):
            continue
        for number, item in enumerate(cells, 1):
            item.cell.execution_count, item.cell.outputs = number, item.test_outputs
        # The kernel would say so; without it the code in the pages has no colors.
        chapter.nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
        with execution.cache_of_outputs() as cache:
            execution.keep(cache, chapter.nb, chapter.path)
