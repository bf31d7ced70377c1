"""Code fits its column: a reader never scrolls sideways to read a cell, or what a page shows of the package."""

import re
from types import SimpleNamespace

import chapters
import pytest
from sphinx.directives.code import LiteralIncludeReader

WIDEST = 79
LONGEST = 25  # lines of a cell, with the options above its code
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
INCLUDE = re.compile(r"^`{3,}\{literalinclude\} (\S+)\n((?:^:.*\n)*)", re.MULTILINE)
OPTION = re.compile(r"^:([\w-]+): *(.*)$", re.MULTILINE)
CHOICES = {"pyobject", "start-at", "start-after", "end-at", "end-before", "lines"}


def cells(page):
    """The lines of the code cells of a page, their options left out."""
    notebook = chapters.notebook(page)
    return [line for cell in notebook.cells if cell.cell_type == "code" for line in cell.source.splitlines()]


def includes(page):
    """The lines that a page shows of the package."""
    shown = []
    for path, options in INCLUDE.findall(page.read_text(encoding="utf-8")):
        given = {name: value.strip("\"'") for name, value in OPTION.findall(options)}
        dedent = {"dedent": int(given["dedent"]) if given["dedent"] else None} if "dedent" in given else {}
        chosen = {name: value for name, value in given.items() if name in CHOICES} | dedent
        shown += (
            LiteralIncludeReader(str((page.parent / path).resolve()), chosen, SimpleNamespace(source_encoding="utf-8"))
            .read()[0]
            .splitlines()
        )
    return shown


@pytest.mark.parametrize("page", chapters.pages(), ids=lambda page: page.stem)
def test_code_fits_its_column(page):
    assert [line for line in cells(page) + includes(page) if len(line) > WIDEST] == []


def test_what_a_page_shows_of_the_package_is_read(tmp_path):
    (tmp_path / "code.py").write_text("def wide():\n    return 1\n\n\ndef other():\n    pass\n")
    page = tmp_path / "page.md"
    page.write_text("```{literalinclude} code.py\n:language: python\n:pyobject: wide\n:dedent: 0\n```\n")
    assert includes(page) == ["def wide():", "    return 1"]


@pytest.mark.parametrize("page", chapters.executed(), ids=lambda page: page.stem)
def test_a_cell_is_taken_in_at_a_glance(page):
    written = CELL.findall(page.read_text(encoding="utf-8"))
    assert written
    assert [cell for _, cell in written if cell.count("\n") > LONGEST] == []
