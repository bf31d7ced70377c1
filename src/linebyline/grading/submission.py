"""What was handed in: whose it is, and which part of its code answers which exercise."""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from linebyline.exercises import Exercise, Write
from linebyline.grading.assignment import Task
from linebyline.grading.cells import SUFFIXES, Cells, kind_of
from linebyline.grading.slices import bound, dotted, mentioned, needed, used

# As Moodle names folders, and Canvas files, of an assignment that was downloaded as a whole.
MOODLE = re.compile(r"^.*_(?P<id>\d+)_assignsubmission_\w+$")
CANVAS = re.compile(r"^[^_]+_(?:LATE_)?(?P<id>\d+)_\d+_.+$", re.IGNORECASE)
# What is handed in by mistake: it is not read, but its student has a row, and is told.
UNREAD = (".zip", ".7z", ".rar", ".gz", ".pdf", ".html", ".txt", ".docx", ".odt", ".rtf")


@dataclass(frozen=True)
class Answers:
    """The code that answers some exercises, of which no two have one name.

    ``entries`` has, by the id of an exercise, the name of its answer in the code; ``uses`` what the answer uses of
    other packages, and ``remarks`` what has to be said of it. What has no entry was not answered: a remark says why.
    """

    code: str = ""
    entries: dict[str, str] = field(default_factory=dict)
    uses: dict[str, list[str]] = field(default_factory=dict)
    remarks: dict[str, list[str]] = field(default_factory=dict)


def find_submissions(folder: Path) -> dict[str, list[Path]]:
    """Find what was handed in: a file named by the student's ID, or a folder so named with a file in it.

    Folders and files may also be named as Moodle and Canvas do, by ``Ada_17_assignsubmission_file`` and
    ``ada_17_4711_a1.ipynb``; the number is the ID.

    Returns:
        By the ID, sorted, all files that could be meant; none for a folder without any. Where none can be read, those
        of other kinds: what is wrong with them is said when they are read.

    Raises:
        ValueError: there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise ValueError(f"{folder}: expected a folder of submissions")
    found: dict[str, list[Path]] = {}
    for entry in sorted(folder.iterdir()):
        if entry.name.startswith((".", "__")) or entry.is_symlink():
            continue
        if entry.is_dir():
            found.setdefault(_student(entry.name), []).extend(files_in(entry))
        elif _could_be_meant(entry):
            found.setdefault(_student(entry.stem), []).append(entry)
    if not found:
        raise ValueError(f"{folder}: found no folder and no file that ends in {', '.join(SUFFIXES)}")
    return {student: _readable(files) for student, files in sorted(found.items())}


def _could_be_meant(path: Path) -> bool:
    return kind_of(path) in (*SUFFIXES, *UNREAD) and path.stem.lower() != "readme"  # that is of the hand-out


def _readable(files: list[Path]) -> list[Path]:
    """Leave out what is not read, unless there is nothing else."""
    return [file for file in files if kind_of(file) in SUFFIXES] or files


def files_in(folder: Path) -> list[Path]:
    """Return the files of one student that could be meant, however deep; links and README.md are left out."""
    paths = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    hidden = (".", "__")
    shown = (path for path in paths if not any(part.startswith(hidden) for part in path.relative_to(folder).parts))
    return _readable([path for path in shown if _could_be_meant(path)])


def _student(name: str) -> str:
    found = MOODLE.match(name) or CANVAS.match(name)
    return found["id"] if found else name


def groups(tasks: Sequence[Task]) -> list[list[Task]]:
    """Put exercises together whose answers have different names, since one program holds one of each."""
    found: list[list[Task]] = []
    for task in tasks:
        name = task.exercise.entry
        free = (group for group in found if name not in {other.exercise.entry for other in group})
        group = next(free, None)
        if group is None:
            found.append(group := [])
        group.append(task)
    return found


def answers_in(cells: Cells, tasks: Sequence[Task], others: Sequence[Task] = ()) -> Answers:
    """Find the answers to exercises whose answers have different names.

    The answer is what was given to ``check``, in its last call for this exercise, or else what has the name that the
    starter cell gave it. Of the code only what the answers need is kept: nothing is run that plots or trains beside.

    Args:
        cells: The code that was handed in.
        tasks: The exercises.
        others: Exercises that may have answers of the same name.
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
            if not any(name in bound(statement) for statement in seen):
                continue
        part = needed(seen, roots)
        kept |= set(map(id, part))
        found.entries[task.id] = name
        found.uses[task.id] = used([*part, *([ast.Expr(given)] if given is not None else [])])
    body = [ast.unparse(statement) for statement in cells.statements if id(statement) in kept]
    return Answers("\n".join([*body, *extra]), found.entries, found.uses, found.remarks)


def _checked(statements: Sequence[ast.stmt], id: str) -> tuple[ast.expr | None, int]:
    """Find what ``check`` was given last for an exercise, and after how many statements; dots are nothing."""
    found: tuple[ast.expr | None, int] = (None, 0)
    for number, statement in enumerate(statements):
        for call in _calls_of_check(statement):
            first, second = call.args[:2]
            if isinstance(first, ast.Constant) and first.value == id:
                dots = isinstance(second, ast.Constant) and second.value is ...
                found = (None if dots else second, number)
    return found


def _calls_of_check(statement: ast.stmt) -> Iterator[ast.Call]:
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and len(node.args) >= 2 and dotted(node.func).split(".")[-1] == "check":
            yield node


def _on_definitions(statements: Sequence[ast.stmt], name: str, exercise: Exercise) -> list[str]:
    """Say how often something is defined, unless it is once."""
    count = sum(name in set(bound(statement)) for statement in statements)
    if count > 1:
        return [f"{name} is defined {count} times; the last one counts"]
    if count == 1:
        return []
    if not isinstance(exercise, Write):
        return [f'nothing was predicted: check("{exercise.id}", ...) has no answer in the place of the dots']
    functions = [part.name for part in statements if isinstance(part, ast.FunctionDef)]
    return [f"no function {name} was found; the functions are: {', '.join(functions[:10]) or 'none'}"]
