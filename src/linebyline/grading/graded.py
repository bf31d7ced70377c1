"""One submission, graded: what the judge found, when it was handed in, and what a person should look at."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linebyline.grading.assignment import Assignment, Task, days_late
from linebyline.grading.cells import Cells, read_cells
from linebyline.grading.dependencies import within
from linebyline.grading.judge import Item, Results
from linebyline.grading.submission import Answers, answers_in, groups

Judge = Callable[[str, Sequence[Item]], Results]
Record = dict[str, Any]
# Packages whose use is flagged if the assignment does not say what may be used; NumPy is not among them.
FLAGGED = ("F", "clearformer", "torch", "scipy", "transformers", "tokenizers")


@dataclass(frozen=True)
class Submission:
    """What one student handed in: the files that could be meant, and when."""

    student: str
    files: tuple[Path, ...]
    received: datetime

    @property
    def digest(self) -> str:
        """The SHA-256 of the files and the time."""
        parts = [f"{file.name}\0{_digest(file)}\0" for file in self.files]
        return hashlib.sha256("".join([*parts, self.received.isoformat()]).encode()).hexdigest()

    def read(self) -> Cells:
        """Read the one file that was handed in; of several files none is guessed to be meant."""
        if len(self.files) == 1:
            return read_cells(self.files[0])
        names = ", ".join(file.name for file in self.files)
        return Cells((), (f"several files, of which none was taken: {names}" if names else "nothing was handed in",))


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return type(error).__name__  # reading the file reports the same


def received(files: Sequence[Path]) -> datetime:
    """Return the modification time of the newest file, which is when it was handed in."""
    return datetime.fromtimestamp(int(max((file.stat().st_mtime for file in files), default=0)), UTC)


def grade(assignment: Assignment, submission: Submission, judge: Judge) -> Record:
    """Grade one submission with a judge such as ``judge.judge_in_process``.

    Returns:
        What JSON can hold: ``student``, ``file``, ``received``, ``days_late``, ``isolation``, ``problems`` of the file,
        and the ``exercises`` as the judge returns them, each with its ``flags``.
    """
    cells = submission.read()
    problems = list(cells.problems)
    judged: dict[str, dict[str, Any]] = {}
    isolations = set()
    for group in groups(assignment.tasks):
        answers = answers_in(cells, group, assignment.tasks)
        entries = answers.entries
        items = [Item(task.id, entries[task.id], task.points, task.credit) for task in group if task.id in entries]
        if items:
            results = judge(answers.code, items)
            isolations.add(results["isolation"])
            problems += [f"the code stopped: {results['stopped']}"] if results["stopped"] else []
            judged |= {result["id"]: result for result in results["exercises"]}
        judged |= {task.id: _with_flags(task, judged.get(task.id), answers) for task in group}
    file = submission.files[0].name if len(submission.files) == 1 else ""
    late = days_late(assignment.due, assignment.zone, submission.received)
    time = {"received": submission.received.isoformat() if submission.files else "", "days_late": late}
    found = {"problems": problems, "exercises": [judged[task.id] for task in assignment.tasks]}
    return {"student": submission.student, "file": file, **time, "isolation": ", ".join(sorted(isolations)), **found}


def _with_flags(task: Task, result: dict[str, Any] | None, answers: Answers) -> dict[str, Any]:
    """Add to a result what the code uses; use of what is forbidden takes the points, and the record keeps them.

    Names are read from the code and not watched, so ``getattr``, which can hide one, is flagged itself.
    """
    remarks = answers.remarks.get(task.id, [])
    if result is None:
        return {**_missing(task, "; ".join(remarks)), "flags": ["no answer"]}
    uses = answers.uses[task.id]
    forbidden = [name for name in uses if within(name, task.forbid)]
    if task.may_use:
        flagged = [name for name in uses if not within(name, task.may_use)]
    else:
        flagged = [name for name in uses if within(name, FLAGGED) or "." not in name]
    flags = [*remarks, *(f"uses {name}" for name in flagged if name not in forbidden)]
    flags += ["not graded"] if result["status"] == "died" else []
    if not forbidden:
        return {**result, "flags": flags}
    flags = [f"forbidden: uses {', '.join(forbidden)}", *flags]
    why = f"it uses {', '.join(forbidden)}, which this exercise does not allow; ask if this is a mistake"
    return {**result, "points": 0.0, "earned": result["points"], "status": "forbidden", "why": why, "flags": flags}


def _missing(task: Task, why: str) -> dict[str, Any]:
    return {"id": task.id, "points": 0.0, "of": task.points, "status": "missing", "why": why, "laws": [], "flags": []}


def missing_record(student: str, assignment: Assignment, why: str) -> Record:
    """Return the record of a student for whom there is nothing to grade, or nothing graded."""
    empty = {"student": student, "file": "", "received": "", "days_late": 0, "isolation": ""}
    return {**empty, "problems": [why], "exercises": [_missing(task, why) for task in assignment.tasks]}


def read_record(file: Path) -> Record | None:
    """Read the record of a submission; None if it is missing or incomplete."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
