"""All live figures of the chapters: their tables and the values beside their sliders follow the controls."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from tests.browser.figure import Figure

# A figure is the last expression of its cell; index.md repeats one of a chapter.
FIGURE = re.compile(r"^figures\.(?!live_|plot_style)\w+\(", re.MULTILINE)
BOOK = Path(__file__).parents[2] / "book"
CHAPTERS = [path.stem for path in sorted(BOOK.glob("[!i]*.md")) if FIGURE.search(path.read_text(encoding="utf-8"))]


def test_most_chapters_have_a_figure():
    assert len(CHAPTERS) >= 18


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_table_and_shown_values_follow_the_keyboard(visit, figures_site, chapter):
    page = visit(f"{figures_site}/book/{chapter}.html").page
    for figure in page.locator(".live-figure").all():
        table = json.loads(figure.locator("script").last.text_content())["table"]
        for key in ("Home", "End"):
            for slider in figure.locator("input[type=range]").all():
                slider.press(key)
                shown = slider.locator("xpath=preceding-sibling::output").text_content()
                assert slider.get_attribute("aria-valuetext") == shown != ""
            if "mark" in table:
                rows = Figure(figure).marks(table["mark"])
                rows.sort(key=lambda row: row[table["sort"]] if "sort" in table else 0)
                values = [row[field] for row in rows for field in np.atleast_1d(table["value"])]
                for cell, value in zip(figure.locator("td").all_text_contents(), values, strict=True):
                    assert cell == value if isinstance(value, str) else abs(float(cell) - value) < 5.001e-4
