"""Guards of the recorded chapters: comparing with a record proves something only if the record is whole."""

import re
from unittest.mock import Mock

import chapters
import nbformat
import pytest
from jupyter_cache import get_cache
from myst_nb.core.read import read_myst_markdown_notebook
from myst_parser.config.main import MdParserConfig

from tests import comparison

MAX_IGNORED = 0.05
MAX_BARE = 0.05  # share of printed lines that say True or False where a number would teach more


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """Today's chapters with their recorded outputs, as they are run and compared."""
    folder = chapters.prepare(tmp_path_factory.mktemp("prepared"))
    return {path.stem: nbformat.read(path, as_version=4) for path in folder.glob("*.ipynb")}


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_every_chapter_that_runs_is_recorded_and_nothing_else():
    assert {path.stem for path in chapters.RECORDS.glob("*.ipynb")} == {page.stem for page in chapters.executed()}


def test_no_cell_changed_since_its_chapter_was_recorded(prepared):
    stale = [
        f"{name}, cell {number}: {cell.source[:60]!r}"
        for name, notebook in prepared.items()
        for number, cell in enumerate(code_cells(notebook))
        if cell.execution_count is None
    ]
    assert stale == [], "run `make record` and look at what changed"


def test_nearly_every_cell_is_compared_and_none_failed(prepared):
    cells = [cell for notebook in prepared.values() for cell in code_cells(notebook)]
    escapes = {"nbval-skip", "nbval-raises-exception", "raises-exception", "skip-execution"}
    assert [cell.source for cell in cells if escapes & set(cell.metadata.get("tags", []))] == []
    ignored = [cell for cell in cells if "nbval-ignore-output" in cell.metadata.get("tags", [])]
    assert len(ignored) <= MAX_IGNORED * len(cells) > 0
    outputs = [output for cell in cells for output in cell.outputs]
    assert [each for each in outputs if each.output_type == "error" or each.get("name") == "stderr"] == []
    assert [each for each in outputs if re.search(r"\bat 0x[0-9a-f]{6,}", str(each))] == []  # another one each time


def test_a_cell_of_a_figure_shows_the_figure_alone(prepared):
    """What a plotting function returns would come out as a figure of its own, with a second number."""
    figures = [
        (name, cell.metadata["mystnb"]["figure"]["name"], len(cell.outputs))
        for name, notebook in prepared.items()
        for cell in code_cells(notebook)
        if "name" in cell.metadata.get("mystnb", {}).get("figure", {})
    ]
    assert figures and [each for each in figures if each[2] != 1] == []


def test_a_cell_that_gives_a_table_has_it_drawn_as_one(prepared):
    """Without a format that knows tables, the page shows lines of bars and dashes."""
    formats = [
        (name, cell.source, cell.metadata.get("mystnb", {}).get("markdown_format"))
        for name, notebook in prepared.items()
        for cell in code_cells(notebook)
        if any(output.get("data", {}).get("text/markdown", "").startswith("|") for output in cell.outputs)
    ]
    assert formats and [each for each in formats if each[2] not in ("myst", "gfm")] == []


def printed(cell):
    """The lines that a cell prints, reports of exercises left out."""
    texts = [output.get("text", "") for output in cell.outputs]
    texts += [
        output.data.get("text/plain", "") for output in cell.outputs if set(output.get("data", [])) == {"text/plain"}
    ]
    return [] if "check(" in cell.source else [line for text in texts for line in text.splitlines() if line.strip()]


def test_lines_print_numbers_not_verdicts(prepared):
    lines = [line for notebook in prepared.values() for cell in code_cells(notebook) for line in printed(cell)]
    bare = [line for line in lines if re.search(r"\b(True|False)\b", line)]
    assert len(lines) > 500
    assert len(bare) <= MAX_BARE * len(lines), bare


@pytest.mark.parametrize("kind", ["image/png", "image/svg+xml"])
def test_plots_are_neither_recorded_nor_compared(kind):
    output = nbformat.v4.new_output("display_data", {kind: "drawn", "text/plain": "<Figure>"})
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])])
    assert list(chapters.stable(notebook).cells[0].outputs[0].data) == ["text/plain"]
    cell = Mock()
    cell.parent.skip_compare = ("metadata",)
    comparison.pytest_collection_modifyitems([cell])
    assert {"metadata", kind} <= set(cell.parent.skip_compare)


@pytest.mark.parametrize("page", chapters.executed(), ids=lambda page: page.stem)
def test_the_build_finds_what_the_comparison_ran(tmp_path, page):
    """It looks for outputs by the code, which it reads from the source in its own way."""
    cache = get_cache(tmp_path)
    read = read_myst_markdown_notebook(page.read_text(encoding="utf-8"), config=MdParserConfig())
    assert cache.create_hashed_notebook(read)[1] == cache.create_hashed_notebook(chapters.notebook(page))[1]
