"""One submission, graded: what the judge said of it, when it came, and what else there is to know of it."""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from linebyline.grading.assignment import Assignment, Task
from linebyline.grading.cells import Cells, read_cells
from linebyline.grading.judge import Item, Results
from linebyline.grading.slices import within
from linebyline.grading.submission import Answers, answers_in, groups

Judge = Callable[[str, Sequence[Item]], Results]
Record = dict[str, Any]
# Packages whose use is worth a word where nobody has said what may be used.
TOLD = ("F", "clearformer", "torch", "scipy", "transformers", "tokenizers")


@dataclass(frozen=True)
class Handed:
    """What one student handed in: the files that could be meant, and when it came."""

    student: str
    files: tuple[Path, ...]
    received: datetime

    @property
    def digest(self) -> str:
        """The SHA-256 of the files and the time."""
        parts = [f"{file.name}\0{_digest(file)}\0" for file in self.files]
        return hashlib.sha256("".join([*parts, self.received.isoformat()]).encode()).hexdigest()


def _digest(file: Path) -> str:
    try:
        with file.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        return type(error).__name__  # reading it says the same


def received(files: Sequence[Path]) -> datetime:
    """Return the time of the last file, which is when it was handed in if nobody has touched it since."""
    return datetime.fromtimestamp(int(max((file.stat().st_mtime for file in files), default=0)), UTC)


def grade(assignment: Assignment, handed: Handed, judge: Judge) -> Record:
    """Grade one submission.

    Args:
        assignment: What was asked.
        handed: What came.
        judge: What holds code against exercises; see ``judge.judge_in_process``.

    Returns:
        What JSON can hold: ``student``, ``file``, ``received``, ``days_late``, ``isolation``, ``problems`` of the file,
        and the ``exercises`` as the judge gives them, each with its ``flags``.
    """
    cells, problems = read_handed(handed)
    judged: dict[str, dict[str, Any]] = {}
    isolations = set()
    for group in groups(assignment.tasks):
        answers = answers_in(cells, group, assignment.tasks)
        found = [task for task in group if task.id in answers.entries]
        asked = [Item(task.id, answers.entries[task.id], task.points, task.credit) for task in found]
        if asked:
            results = judge(answers.code, asked)
            isolations.add(results["isolation"])
            problems += [f"the code stopped: {results['stopped']}"] if results["stopped"] else []
            judged |= {result["id"]: result for result in results["exercises"]}
        judged |= {task.id: _with_flags(task, judged.get(task.id), answers) for task in group}
    late = assignment.days_late(handed.received)
    return {
        "student": handed.student,
        "file": handed.files[0].name if len(handed.files) == 1 else "",
        "received": handed.received.isoformat() if handed.files else "",
        "days_late": late,
        "isolation": ", ".join(sorted(isolations)),
        "problems": problems,
        "exercises": [judged[task.id] for task in assignment.tasks],
    }


def read_handed(handed: Handed) -> tuple[Cells, list[str]]:
    """Read the one file that was handed in; which one is meant is not guessed."""
    if len(handed.files) != 1:
        names = ", ".join(file.name for file in handed.files)
        return Cells((), ()), [f"several files, of which none was taken: {names}" if names else "nothing was handed in"]
    cells = read_cells(handed.files[0])
    return cells, list(cells.problems)


def _with_flags(task: Task, result: dict[str, Any] | None, answers: Answers) -> dict[str, Any]:
    """Complete the result of an exercise with what its code uses; what is forbidden takes its points."""
    remarks = answers.remarks.get(task.id, [])
    if result is None:
        result = {"id": task.id, "points": 0.0, "of": task.points, "status": "missing", "laws": []}
        return {**result, "why": "; ".join(remarks), "flags": ["no answer"]}
    uses = answers.uses[task.id]
    forbidden = [name for name in uses if within(name, task.forbid)]
    told = [name for name in uses if not within(name, task.may_use)] if task.may_use else _worth_a_word(uses)
    flags = [*remarks, *(f"uses {name}" for name in told if name not in forbidden)]
    if result["status"] == "died":
        flags.append("not graded")
    if not forbidden:
        return {**result, "flags": flags}
    flags = [f"forbidden: uses {', '.join(forbidden)}", *flags]
    why = f"it uses {', '.join(forbidden)}, which this exercise does not allow; ask if this is a mistake"
    return {**result, "points": 0.0, "earned": result["points"], "status": "forbidden", "why": why, "flags": flags}


def _worth_a_word(uses: Sequence[str]) -> list[str]:
    """Leave out what everybody uses, where nothing was said: NumPy and the standard library."""
    return [name for name in uses if within(name, TOLD) or "." not in name]


def read_record(file: Path) -> Record | None:
    """Read what was written of a submission; nothing if it is not there or not whole."""
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None
