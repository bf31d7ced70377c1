"""The hand-out: one notebook with the exercises of an assignment, and what to do with it. No solution is in it."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.grading.assignment import Assignment, Essay, Task
from linebyline.grading.book import EQUATION, Excerpt, excerpt
from linebyline.grading.cells import INSTALLS
from linebyline.grading.files import write_json

PLACE = "*Your answer goes here.*"


def hand_out(assignment: Assignment, folder: Path) -> list[Path]:
    """Write a notebook, named as the assignment's file, and ``README.md``, unless there is another README.md."""
    notebook, readme = folder / f"{assignment.file.stem}.ipynb", folder / "README.md"
    if readme.exists() and not readme.read_bytes().startswith(f"# {assignment.title}\n".encode()):
        raise ValueError(f"{readme} is there already, of something else: move it away, or name another folder")
    content = notebook_of(cells for _, cells in sections(assignment))  # first, since the chapters may be missing
    write_json(notebook, content)
    write_whole(readme, _readme(assignment, notebook.name))
    return [notebook, readme]


def sections(assignment: Assignment) -> list[tuple[Task | Essay | None, list[dict[str, Any]]]]:
    """Return the cells of each exercise and essay, of which the last is for the answer; first those before all."""
    excerpts = [excerpt(task.exercise) for task in assignment.tasks]
    first = [_markdown(f"# {assignment.title}\n\n{_when(assignment)}\n\nYour name or number:")]
    first += [code_cell(install(assignment.package)), code_cell(_imports(excerpts))] if excerpts else []
    parts: list[tuple[Task | Essay | None, list[dict[str, Any]]]] = [(None, first)]
    numbers: dict[str, int] = {}
    for number, (task, given) in enumerate(zip(assignment.tasks, excerpts, strict=True), start=1):
        text = _markdown(f"{_heading(number, task)}\n\n{_with_equations(given, numbers)}")
        helpers = [code_cell("\n\n\n".join(given.helpers))] if given.helpers else []
        parts.append((task, [text, *helpers, code_cell(given.starter)]))
    for number, essay in enumerate(assignment.essays, start=len(excerpts) + 1):
        question = [f"## {number}. {_points(essay.points)}\n", f"{essay.question.strip()}\n"]
        asked = "\n".join([*question, *(f"- {line}" for line in essay.rubric)]).strip()
        parts.append((essay, [_markdown(asked), _markdown(PLACE)]))
    return parts


def notebook_of(parts: Iterable[list[dict[str, Any]]]) -> dict[str, Any]:
    """Return the notebook of all cells, numbered."""
    cells = [cell for part in parts for cell in part]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {"cells": cells, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}


def _markdown(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code_cell(text: str) -> dict[str, Any]:
    """Return a cell of code that was not run."""
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": text}


def install(package: str) -> str:
    """Return the code of a first cell that installs the course from an address, or without one asks the student to."""
    missing = 'raise ModuleNotFoundError("install the package clearformer first, from the repository of this course")'
    how = f'%pip install -q "clearformer[course] @ {package}"' if package else missing
    # The print keeps the block complete when a converter turns the line with % into a comment.
    lines = [f"{INSTALLS}from importlib.util import find_spec\n", 'if find_spec("clearformer") is None:']
    return "\n".join([*lines, '    print("installing clearformer")', f"    {how}"])


def _imports(excerpts: Iterable[Excerpt]) -> str:
    """Return each import once, those of other packages first."""
    lines = {line for given in excerpts for line in given.imports}
    in_order = sorted(lines, key=lambda line: ("clearformer" in line, line.split()[1], line))
    return "\n".join([*in_order, "from linebyline.exercises import check"])


def _heading(number: int, task: Task) -> str:
    exercise = task.exercise
    lines = [f"## {number}. {exercise.title}\n", f"**{_points(task.points)} · may use {exercise.may_use}.**"]
    if task.credit == "laws":
        lines.append("Points are given law by law, once the first law holds.")
    if task.may_use:
        lines.append(f"Of other packages it may use {', '.join(f'`{name}`' for name in task.may_use)}.")
    if task.forbid:
        lines.append(f"An answer that uses {' or '.join(f'`{name}`' for name in task.forbid)} gets no points.")
    return "\n".join(lines)


def _with_equations(given: Excerpt, numbers: dict[str, int]) -> str:
    """Number the equations that a text contains or refers to, and add below it those it only refers to."""
    own = [match["label"] for match in EQUATION.finditer(given.text)]
    new = [label for label in dict.fromkeys((*given.equations, *own)) if label not in numbers]
    for label in new:
        numbers[label] = len(numbers) + 1
    text = EQUATION.sub(lambda match: _tagged(match["body"], numbers[match["label"]]), given.text)
    text = re.sub(r"\{eq\}`([\w-]+)`", lambda match: f"({numbers[match[1]]})", text)
    shown = [
        _tagged(body, numbers[label]) for label, body in given.equations.items() if label in new and label not in own
    ]
    return "\n\n".join([text, *shown])


def _tagged(equation: str, number: int) -> str:
    return f"$$\n{equation} \\tag{{{number}}}\n$$"


def _points(points: float) -> str:
    return f"{points:g} point{'' if points == 1 else 's'}"


def _when(assignment: Assignment) -> str:
    day = f"{assignment.due.day} {assignment.due:%B %Y, %H:%M}"
    return f"Due on {day} ({assignment.zone.key}). {assignment.late}".strip()


def _readme(assignment: Assignment, notebook: str) -> str:
    asked = [(task.exercise.title, task.points) for task in assignment.tasks]
    asked += [("in your own words", essay.points) for essay in assignment.essays]
    rows = "\n".join(f"| {n} | {title} | {points:g} |" for n, (title, points) in enumerate(asked, 1))
    needs = "Its first cell installs what is missing" if assignment.package else "It needs the package `clearformer`"
    package = f" {needs}." if assignment.tasks else ""  # an essay needs none
    files = "A `.py` or `.md` file with the same functions will do, too."
    if assignment.essays:
        files = "An `.md` file with the same functions and headings will do, too; a `.py` file has no place for essays."
    return f"""# {assignment.title}

{_when(assignment)}

| | Exercise | Points |
|---|---|---|
{rows}
| | **all** | **{assignment.points:g}** |

1. Open `{notebook}` with Python 3.11 to 3.13, and write your answers into its cells.{package}
2. `check` says how an answer does on public cases. Grading uses others, drawn by the same rules.
3. Hand in the notebook, named by your number. {files}

Keep the names of the functions, and leave the calls of `check` in.
Of your file only the answers are run, with the functions, values and imports they need.
"""
