"""Chapters as notebooks: which there are, how they are recorded, and how a record meets today's source."""

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jinja2
import jupytext
import nbformat
import yaml
from jupytext.combine import combine_inputs_with_outputs

from clearformer.files import write_whole
from linebyline.grading.book import SOLUTION
from linebyline.grading.bundle import install

ROOT = Path(__file__).parents[2]
RECORDS = ROOT / "tests" / "notebooks"
ALONE = re.compile(r"^:?tags: \[.*\balone\b.*\]$", re.MULTILINE)
FOR_TEACHERS = re.compile(r"^% for teachers$.*?^% for all$\n?", re.MULTILINE | re.DOTALL)
MARK = re.compile(r"^% for (?:teachers|all)$\n?", re.MULTILINE)
TEACHING = "Teaching"  # the part of the book that students do not get
IN_PAGE = re.compile(r"^(`{3,})\{(?:predict|diagnose)\}.*?^\1\s*$\n?", re.MULTILINE | re.DOTALL)
# What a record leaves out: the numbers that a plot is drawn from may differ by a digit from machine to machine.
IMAGES = ("image/png", "image/svg+xml")
LIVE = "application/vnd.clearformer.live-"


def folder(edition: str) -> Path:
    """The folder of an edition's source; its pages are in `_build/html` below it."""
    return ROOT if edition == "reader" else ROOT / "_build" / edition


def parts(root: Path = ROOT) -> dict[str, list[str]]:
    """The names of the pages in each part of the table of contents; the part of the first page has no name."""
    contents = yaml.safe_load((root / "_toc.yml").read_text(encoding="utf-8"))
    named = {part["caption"]: [Path(page["file"]).name for page in part["chapters"]] for part in contents["parts"]}
    return {"": [Path(contents["root"]).name], **named}


def pages(root: Path = ROOT) -> list[Path]:
    """Every page of the table of contents, in reading order."""
    return [root / "book" / f"{name}.md" for names in parts(root).values() for name in names]


def executed(root: Path = ROOT) -> list[Path]:
    """The pages that have code cells."""
    return [page for page in pages(root) if "{code-cell}" in page.read_text(encoding="utf-8")]


def apart(root: Path = ROOT) -> tuple[list[Path], list[Path]]:
    """The pages with code: those that can run side by side, and those whose cells measure time and are tagged so."""
    alone = [page for page in executed(root) if ALONE.search(page.read_text(encoding="utf-8"))]
    return [page for page in executed(root) if page not in alone], alone


def without_solutions(text: str) -> str:
    """A chapter's source with every gated solution taken out, and all that is for who teaches."""
    return SOLUTION.sub("", FOR_TEACHERS.sub("", text))


def without_answers(text: str) -> str:
    """A chapter's source for students: no solutions, and nothing in the page that knows what is right."""
    return IN_PAGE.sub("Answer this one in the notebook.\n", without_solutions(text))


def notebook(source: Path, *, solutions: bool = True) -> nbformat.NotebookNode:
    """Read a chapter as a notebook; cell ids are counted, not drawn, so that writing it twice gives the same file."""
    text = IN_PAGE.sub("", source.read_text(encoding="utf-8"))  # a notebook cannot draw the fields of the page
    text = MARK.sub("", text if solutions else without_solutions(text))
    result = jupytext.reads(text, fmt="md:myst")
    for number, cell in enumerate(result.cells):
        cell["id"] = f"cell-{number}"
    return result


def repository() -> str:
    """The address that this clone came from, if others can reach it; else nothing."""
    command = ["git", "remote", "get-url", "origin"]
    address = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return address if address.startswith("https://") else ""


def offered(source: Path, *, solutions: bool = True, address: str | None = None) -> nbformat.NotebookNode:
    """A chapter without outputs; its first cell installs the package from `address`, or where this clone came from."""
    address = repository() if address is None else address
    result = notebook(source, solutions=solutions)
    result.metadata.pop("jupytext")  # a JupyterLab with Jupytext would look for the page that it is paired with
    result.cells.insert(0, nbformat.v4.new_code_cell(install(address and f"git+{address}"), id="install"))
    return result


def render(template: str, **values: Any) -> str:
    """Fill in a template of `book/_templates`."""
    loader = jinja2.FileSystemLoader(ROOT / "book" / "_templates")
    return jinja2.Environment(loader=loader, autoescape=True).get_template(template).render(values)


def write(content: nbformat.NotebookNode, target: Path) -> None:
    """Write a notebook whole or not at all."""
    write_whole(target, nbformat.writes(content) + "\n")


def write_all() -> int:
    """Write each chapter as a notebook without outputs, ready to run: with solutions, and without for students."""
    folder = ROOT / "_build" / "notebooks"
    for source in executed():
        write(offered(source), folder / f"{source.stem}.ipynb")
        write(offered(source, solutions=False), folder / "student" / f"{source.stem}.ipynb")
    print(f"The notebooks: {folder}")
    return 0


def stable(content: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Leave out what cannot be compared: images, weights of live models, and the version of the language."""
    content.metadata.pop("language_info", None)
    for output in [output for cell in content.cells for output in cell.get("outputs", [])]:
        for kind in IMAGES:
            output.get("data", {}).pop(kind, None)
        for kind in [kind for kind in output.get("metadata", {}) if kind.startswith(LIVE)]:
            del output["metadata"][kind]
    return content


def prepare(folder: Path) -> Path:
    """Put the recorded outputs under today's source; a cell that changed since has no outputs and no number."""
    shutil.rmtree(folder, ignore_errors=True)
    for source in executed():
        recorded = nbformat.read(RECORDS / f"{source.stem}.ipynb", as_version=4)
        write(combine_inputs_with_outputs(notebook(source), recorded), folder / f"{source.stem}.ipynb")
    return folder
