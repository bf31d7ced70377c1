"""Laws of the notebooks that readers take away: they install what is missing, and run as the chapter does."""

import builtins
import importlib.util
import re
import sys
import tomllib

import chapters
import pytest
from IPython.core.inputtransformer2 import TransformerManager

ATTENTION = chapters.ROOT / "book" / "attention.md"
ADDRESS = "https://example.org/course.git"


def run_first_cell(address):
    """Run the first cell; gives the magic commands that it asked for."""
    asked = []

    class Shell:
        def run_line_magic(self, name, line):
            asked.append(f"{name} {line}")

    cell = chapters.offered(ATTENTION, address=address).cells[0]
    exec(TransformerManager().transform_cell(cell.source), {"__builtins__": builtins, "get_ipython": Shell})
    return asked


@pytest.mark.parametrize("solutions", [True, False])
def test_only_a_first_cell_is_added(solutions):
    offered = chapters.offered(ATTENTION, solutions=solutions, address=ADDRESS)
    assert offered.cells[1:] == chapters.notebook(ATTENTION, solutions=solutions).cells
    assert "jupytext" not in offered.metadata
    assert len({cell.id for cell in offered.cells}) == len(offered.cells)


def test_first_cell_does_nothing_where_the_package_is_there():
    assert run_first_cell(ADDRESS) == []
    assert run_first_cell("") == []


def test_first_cell_installs_a_missing_package_from_the_repository(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    assert run_first_cell(ADDRESS) == [f'pip install -q "clearformer[course] @ git+{ADDRESS}"']
    with pytest.raises(ModuleNotFoundError, match="clearformer"):
        run_first_cell("")


def test_what_the_chapters_import_is_installed_with_the_package():
    project = tomllib.loads((chapters.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["course"]]
    brought = {re.split(r"[<>=\[]", line)[0] for line in wanted}
    brought |= {"clearformer", "linebyline", "IPython", "benchmarks"}
    code = "\n".join(cell.source for page in chapters.executed() for cell in chapters.notebook(page).cells)
    imported = set(re.findall(r"^\s*(?:import|from) (\w+)(?: import [\w(]|\.|$| as)", code, re.MULTILINE))
    assert {"numpy", "sacrebleu", "torch"} < imported
    assert imported - sys.stdlib_module_names <= brought


def test_no_address_of_this_machine_is_handed_out(monkeypatch, tmp_path):
    monkeypatch.setattr(chapters, "ROOT", tmp_path)
    assert chapters.repository() == ""
    for origin, known in ((str(tmp_path), ""), (ADDRESS, ADDRESS)):
        for arguments in (["init", "-q"], ["config", "remote.origin.url", origin]):
            chapters.subprocess.run(["git", *arguments], cwd=tmp_path, check=True)
        assert chapters.repository() == known
