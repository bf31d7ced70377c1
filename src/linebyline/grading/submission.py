"""What was handed in: by whom, and which part of its code answers which exercise.

Only what an answer needs is kept, so a notebook may plot, train or fail elsewhere.
"""

import ast
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from linebyline.exercises import Exercise, Write
from linebyline.grading.assignment import Task
from linebyline.grading.cells import SUFFIXES, Cells, kind_of
from linebyline.grading.dependencies import bound, dotted, mentioned, needed, used

# How Moodle names folders and Canvas names files in a download of all submissions.
MOODLE = re.compile(r"^.*_(?P<id>\d+)_assignsubmission_\w+$")
CANVAS = re.compile(r"^[^_]+_(?:LATE_)?(?P<id>\d+)_\d+_.+$", re.IGNORECASE)
# Handed in by mistake: they are not read, but the student has a row, which says so. Other files are ignored.
UNREAD = (".zip", ".7z", ".rar", ".gz", ".pdf", ".html", ".txt", ".docx", ".odt", ".rtf")


@dataclass(frozen=True)
class Answers:
    """The code that answers some exercises, whose answers have different names.

    By the id of an exercise, ``entries`` has the name of its answer in the code, ``uses`` what the answer uses of other
    packages, and ``remarks`` what should be said about it. What has no entry was not answered: a remark says why.
    """

    code: str = ""
    entries: dict[str, str] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)


def find_submissions(folder: Path) -> dict[str, list[Path]]:
    """Return all files that could be meant, by the student's ID: a file named by it, or the files of such a folder.

    Folders and files may also be named as Moodle and Canvas do, by ``Ada_17_assignsubmission_file`` and
    ``ada_17_4711_a1.ipynb``; the number is the ID. Links are left out. If none of a student's files can be read, those
    of other kinds are returned, and reading them reports the problem. An empty or missing folder raises a ValueError.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: expected a folder of submissions")
    found: dict[str, list[Path]] = {}
    for entry in sorted(folder.iterdir()):
        if _hidden(entry.name) or entry.is_symlink():
            continue
        if entry.is_dir():
            found.setdefault(_student(entry.name), []).extend(files_in(entry))
        elif _could_be_meant(entry):
            found.setdefault(_student(entry.stem), []).append(entry)
    if not found:
        raise ValueError(f"{folder}: found no folder and no file that ends in {', '.join(SUFFIXES)}")
    return {student: _readable(files) for student, files in sorted(found.items())}


def _hidden(name: str) -> bool:
    return name.startswith((".", "__"))


def _could_be_meant(path: Path) -> bool:
    return kind_of(path) in (*SUFFIXES, *UNREAD) and path.stem.lower() != "readme"  # that is of the hand-out


def _readable(files: list[Path]) -> list[Path]:
    return [file for file in files if kind_of(file) in SUFFIXES] or files


def files_in(folder: Path) -> list[Path]:
    """Return the files in one student's folder that could be meant, however deep."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    shown = (path for path in paths if not any(map(_hidden, path.relative_to(folder).parts)))
    return _readable([path for path in shown if _could_be_meant(path)])


def _student(name: str) -> str:
    found = MOODLE.match(name) or CANVAS.match(name)
    return found["id"] if found else name


def groups(tasks: Sequence[Task]) -> list[list[Task]]:
    """Divide exercises into groups whose answers have different names, since a program has one of each name."""
    found: dict[int, list[Task]] = {}
    seen = Counter[str]()
    for task in tasks:
        found.setdefault(seen[task.exercise.entry], []).append(task)
        seen[task.exercise.entry] += 1
    return list(found.values())


def answers_in(cells: Cells, tasks: Sequence[Task], others: Sequence[Task] = ()) -> Answers:
    """Find the answers to exercises whose answers have different names; ``others`` may have answers of the same names.

    An answer is what was passed to ``check`` in its last call for this exercise, or else what has the name that the
    starter cell gave it.
    """
    shared = {task.exercise.entry for task in others if task not in tasks}
    found, kept, extra = Answers(), set[int](), list[str]()
    for task in tasks:
        name = task.exercise.entry
        given, before = _checked(cells.statements, task.id)
        # A second answer of this name may follow that belongs to another exercise.
        seen = cells.statements[:before] if name in shared and before else cells.statements
        remarks = found.remarks.setdefault(task.id, [])
        if given is not None and not (isinstance(given, ast.Name) and given.id == name):
            roots = mentioned(ast.Expr(given))
            extra.append(f"{name} = {ast.unparse(given)}")
        else:
            roots = {name}
            remarks += _on_definitions(seen, name, task.exercise)
            if name not in bound(*seen):
                continue
        part = needed(seen, roots)
        kept |= set(map(id, part))
        found.entries[task.id] = name
        found.uses[task.id] = used([*part, *([ast.Expr(given)] if given is not None else [])])
    body = [ast.unparse(statement) for statement in cells.statements if id(statement) in kept]
    return Answers("\n".join([*body, *extra]), found.entries, found.uses, found.remarks)


def _checked(statements: Sequence[ast.stmt], id: str) -> tuple[ast.expr | None, int]:
    """Find what was last passed to ``check`` for an exercise, except dots, and after how many statements."""
    found: tuple[ast.expr | None, int] = (None, 0)
    for number, statement in enumerate(statements):
        for node in ast.walk(statement):
            match node:
                case ast.Call(func=function, args=[ast.Constant(value=value), given, *_]):
                    if value == id and dotted(function).split(".")[-1] == "check":
                        dots = isinstance(given, ast.Constant) and given.value is ...
                        found = (None if dots else given, number)
    return found


def _on_definitions(statements: Sequence[ast.stmt], name: str, exercise: Exercise) -> list[str]:
    """Return a remark on how often a name is defined, unless it is once."""
    count = sum(name in bound(statement) for statement in statements)
    if count > 1:
        return [f"{name} is defined {count} times; the last one counts"]
    if count == 1:
        return []
    if not isinstance(exercise, Write):
        return [f'nothing was predicted: check("{exercise.id}", ...) has no answer in the place of the dots']
    functions = [part.name for part in statements if isinstance(part, ast.FunctionDef)]
    return [f"no function {name} was found; the functions are: {', '.join(functions[:10]) or 'none'}"]
