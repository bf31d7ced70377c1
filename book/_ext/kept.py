"""What the comparison ran is what the book shows: a plugin of pytest that hands compared chapters to the build."""

from collections import defaultdict

import ahead
import pytest
import warm
from chapters import IMAGES, ROOT
from near import compared


class Keeper:
    """Collects the cells that ran and came out as recorded, and keeps each chapter of which all did."""

    def __init__(self) -> None:
        self.cells: dict[pytest.Collector, list[pytest.Item]] = defaultdict(list)
        self.seconds: dict[pytest.Collector, float] = defaultdict(float)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Let the comparison read the numbers after ≈, and pass over plots."""
        for chapter in {item.parent for item in items}:
            chapter.skip_compare = (*chapter.skip_compare, *IMAGES)
        for item in items:
            item.compare_outputs = compared(item.compare_outputs)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Note a cell that passed, and its time."""
        if call.when == "call" and call.excinfo is None:
            self.cells[item.parent].append(item)
            self.seconds[item.parent] += call.duration

    def pytest_sessionfinish(self) -> None:
        """Keep the chapters that are whole."""
        for chapter, cells in self.cells.items():
            if len(cells) == sum(cell.cell_type == "code" for cell in chapter.nb.cells):
                keep(chapter, cells, self.seconds[chapter])


def keep(chapter: pytest.Collector, cells: list[pytest.Item], seconds: float) -> None:
    """Put a chapter with the outputs of this run where the build looks for it, by its code."""
    for number, item in enumerate(cells, 1):
        item.cell.execution_count = number
        item.cell.outputs = item.test_outputs
    # The kernel would say so; without it the code in the pages has no colours.
    chapter.nb.metadata["language_info"] = {"name": "python", "pygments_lexer": "ipython3"}
    with ahead.cache_of(ROOT) as cache:
        ahead.keep(cache, chapter.nb, chapter.path, seconds)


def pytest_configure(config: pytest.Config) -> None:
    """Take part in the run, with kernels that start at once."""
    warm.use()
    config.pluginmanager.register(Keeper())
