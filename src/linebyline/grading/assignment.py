"""What ``assignment.toml`` says: the exercises that are set, by when, and what they are worth."""

import hashlib
import os
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from clearformer.files import write_whole
from linebyline.exercises import Exercise, Write, registry
from linebyline.grading.late import LateRule, days_late
from linebyline.grading.table import Table, read_table

PUBLIC = "public"
ADDRESS = re.compile(r"|[a-z+]+://[\w.+:/@~#=&%-]+", re.ASCII)


@dataclass(frozen=True)
class Task:
    """An exercise that is set.

    ``credit`` is "all" for all points or none, "laws" for points law by law. ``may_use`` and ``forbid`` are names such
    as ``F.softmax`` or ``torch``, which stand for all that is in them.
    """

    exercise: Exercise
    points: float
    credit: str
    may_use: tuple[str, ...]
    forbid: tuple[str, ...]

    @property
    def id(self) -> str:
        """The id of the exercise."""
        return self.exercise.id


@dataclass(frozen=True)
class Essay:
    """A question that a person grades, and what points are given for."""

    id: str
    question: str
    points: float
    rubric: tuple[str, ...]


@dataclass(frozen=True)
class Assignment:
    """An assignment: ``due`` is the local time in ``zone``, ``package`` the address that pip installs from."""

    file: Path
    title: str
    due: datetime
    zone: ZoneInfo
    late: LateRule
    tasks: tuple[Task, ...]
    essays: tuple[Essay, ...]
    seed_file: Path
    package: str = ""

    @property
    def points(self) -> float:
        """The points of all exercises and essays."""
        return sum(task.points for task in self.tasks) + sum(essay.points for essay in self.essays)

    @property
    def digest(self) -> str:
        """The SHA-256 of the file."""
        return hashlib.sha256(self.file.read_bytes()).hexdigest()

    def days_late(self, received: datetime) -> int:
        """Count the days that a submission is late."""
        return days_late(self.due, self.zone, received)

    def seed(self) -> int | None:
        """Read the seed of the hidden cases; the word ``public`` stands for the cases of ``check``, and none is given.

        Raises:
            ValueError: the file holds neither a whole number from 0 nor that word.
            OSError: it cannot be read.
        """
        try:
            text = self.seed_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            raise ValueError(
                f"{self.file}: seed_file = '{self.seed_file.name}': there is no such file; "
                f"make one that holds a large random number, which no student may see"
            ) from None
        if text == PUBLIC:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 100):
            raise ValueError(f"{self.seed_file}: expected one whole number from 0, or {PUBLIC}, got {text[:20]!r}")
        return int(text)


def read_assignment(file: Path) -> Assignment:
    """Read an assignment.

    Raises:
        ValueError: something in it is wrong, with the file, the key and the value.
        OSError: it cannot be read.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> text = '''
        ... title = "Attention"
        ... due = 2026-10-23T23:59:00
        ... zone = "Europe/Berlin"
        ... seed_file = "a1.seed"
        ... [late]
        ... percent_per_day = 10
        ... last_day = 3
        ... [[exercises]]
        ... id = "attention.softmax"
        ... '''
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "a1.toml")
        ...     _ = file.write_text(text)
        ...     assignment = read_assignment(file)
        >>> [(task.id, task.points, task.credit) for task in assignment.tasks]
        [('attention.softmax', 2.0, 'all')]
        >>> print(assignment.late)
        Each day that has begun after that costs 10 % of the points. After day 3 nothing counts.
    """
    table = read_table(file)
    title = table.take("title", str)
    if not title.strip() or not title.isprintable():
        raise table.refusal("title", "expected one line of text")
    due = table.take("due", datetime)
    if due.tzinfo is not None:
        raise table.refusal("due", "expected a local time, without an offset: the offset follows from zone")
    zone = _zone(table)
    late = _late(table.table("late"))
    tasks, essays = _tasks(table.tables("exercises")), _essays(table.tables("essays"))
    if not tasks and not essays:
        raise ValueError(f"{file}: exercises is missing, and so is essays: nothing is asked for")
    _refuse_twins([*(task.id for task in tasks), *(essay.id for essay in essays)], file)
    name = table.take("seed_file", str)
    package = table.take("package", str) if "package" in table else ""
    if not ADDRESS.fullmatch(package):
        raise table.refusal("package", "expected an address that pip installs from, such as 'git+https://...'")
    table.finish()
    return Assignment(file, title, due, zone, late, tasks, essays, file.parent / name, package)


def write_assignment(file: Path, text: str) -> Path:
    """Write an assignment and, beside it, its seed: a random number of 128 bits that only its owner may read.

    Args:
        file: Where to; an existing file is not touched, as somebody may have edited it.
        text: What ``read_assignment`` reads.

    Returns:
        The file.

    Raises:
        ValueError: there is a file already, or the text is refused; nothing is left behind then.
        OSError: it cannot be written.
    """
    if file.exists():
        raise ValueError(f"{file} is there already: name another folder, or move it away")
    write_whole(file, text)
    try:
        seed_file = read_assignment(file).seed_file
        if not seed_file.exists():
            with open(os.open(seed_file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
                opened.write(f"{secrets.randbits(128)}\n")
    except BaseException:
        file.unlink()
        raise
    return file


def _zone(table: Table) -> ZoneInfo:
    name = table.take("zone", str)
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise table.refusal("zone", "expected a time zone such as 'Europe/Berlin', which this machine knows") from error


def _late(table: Table | None) -> LateRule:
    if table is None:
        return LateRule()
    percent = table.number("percent_per_day", 0.0, most=100)
    last_day = table.take("last_day", int) if "last_day" in table else None
    if last_day is not None and last_day < 0:
        raise table.refusal("last_day", "expected a number of days from 0")
    table.finish()
    return LateRule(percent, last_day)


def _tasks(tables: Iterable[Table]) -> tuple[Task, ...]:
    exercises, tasks = registry(), []
    for table in tables:
        id = table.take("id", str)
        if id not in exercises:
            raise table.refusal("id", "no exercise of the book has this id")
        exercise = exercises[id]
        points = table.number("points", float(exercise.points))
        credit = table.choice("credit", ("all", "laws"))
        if credit == "laws" and not isinstance(exercise, Write):
            raise table.refusal("credit", f"{id} has no laws")
        tasks.append(Task(exercise, points, credit, table.texts("may_use"), table.texts("forbid")))
        table.finish()
    return tuple(tasks)


def _essays(tables: Iterable[Table]) -> tuple[Essay, ...]:
    essays = []
    for table in tables:
        id = table.take("id", str)
        if not id.isidentifier():
            raise table.refusal("id", "expected one word of letters, digits and underscores")
        essays.append(Essay(id, table.take("question", str), table.number("points"), table.texts("rubric")))
        table.finish()
    return tuple(essays)


def _refuse_twins(ids: list[str], file: Path) -> None:
    for id in ids:
        if ids.count(id) > 1:
            raise ValueError(f"{file}: id = {id!r}: appears {ids.count(id)} times")
