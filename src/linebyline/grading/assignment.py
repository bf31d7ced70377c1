"""What ``assignment.toml`` says: the exercises that are set, when they are due, and what they are worth."""

import re
import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

from clearformer.files import write_whole
from linebyline.exercises import Exercise, Write, registry
from linebyline.grading.files import Table, read_table

PUBLIC = "public"
ADDRESS = re.compile(r"|[a-z+]+://[\w.+:/@~#=&%-]+", re.ASCII)


@dataclass(frozen=True)
class LateRule:
    """What is deducted for each day that has begun, and the last day that counts; ``LateRule()`` deducts nothing."""

    percent_per_day: float = 0.0
    last_day: int | None = None

    def factor(self, days: int) -> float:
        """Return what points are multiplied by after some days."""
        if self.last_day is not None and days > self.last_day:
            return 0.0
        return max(0.0, 100 - self.percent_per_day * days) / 100

    def __str__(self) -> str:
        """The rule as students read it; empty if nothing is deducted."""
        costs = f"Each day that has begun after that costs {self.percent_per_day:g} % of the points."
        ends = f"After day {self.last_day} nothing counts." if self.last_day else "Nothing counts that comes later."
        shown = [costs] * bool(self.percent_per_day and self.last_day != 0) + [ends] * (self.last_day is not None)
        return " ".join(shown)


def days_late(due: datetime, zone: ZoneInfo, received: datetime) -> int:
    """Return the least number of days by which a local due time must move for a submission to be in time.

    They are days of the calendar: a due time moved by a day is the same time on the wall, whatever the clocks do.
    """
    days = max(0, (received - moment(due, zone)).days - 1)  # the loop needs at most three steps from here
    while received > moment(due + timedelta(days=days), zone):
        days += 1
    return days


def moment(local: datetime, zone: ZoneInfo) -> datetime:
    """Return a local time as a moment: the later one if the clock shows it twice, or not at all."""
    return max(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))


@dataclass(frozen=True)
class Task:
    """An exercise that is set; ``credit`` is "all" for all points or none, or "laws" for points law by law.

    ``may_use`` and ``forbid`` are names such as ``F.softmax`` or ``torch``, which include everything in them.
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

    def seed(self) -> int | None:
        """Read the seed of the hidden cases; None for the word ``public``, which means the cases of ``check``.

        That word is for graders that run where students can read the seed. A ValueError says that there is no such
        file, or that it holds neither a whole number from 0 nor that word.
        """
        try:
            text = self.seed_file.read_text(encoding="utf-8").strip()
        except FileNotFoundError:
            reason = "there is no such file; make one that holds a large random number, which no student may see"
            raise ValueError(f"{self.file}: seed_file = '{self.seed_file.name}': {reason}") from None
        if text == PUBLIC:
            return None
        if not (text.isascii() and text.isdigit() and len(text) <= 100):
            raise ValueError(f"{self.seed_file}: expected one whole number from 0, or {PUBLIC}, got {text[:20]!r}")
        return int(text)


def read_assignment(file: Path) -> Assignment:
    """Read an assignment; a ValueError names the file, the key and the value that is wrong.

    Example:
        >>> assignment = read_assignment(Path("examples/course/attention.toml"))
        >>> [(task.id, task.points, task.credit) for task in assignment.tasks][1]
        ('attention.softmax', 4.0, 'laws')
        >>> print(assignment.late)
        Each day that has begun after that costs 10 % of the points. After day 3 nothing counts.
    """
    table = read_table(file)
    title = table.take("title", str)
    table.require(title.strip() and title.isprintable(), "title", "expected one line of text")
    due = table.take("due", datetime)
    table.require(not due.tzinfo, "due", "expected a local time, without an offset: the offset follows from zone")
    zone, known = table.take("zone", str), available_timezones()
    table.require(zone in known, "zone", "expected a time zone such as 'Europe/Berlin', which this machine knows")
    late = _late(Table(file, table.take("late", dict, {}), "late."))
    tasks = tuple(map(_task, table.tables("exercises")))
    essays = tuple(map(_essay, table.tables("essays")))
    if not tasks and not essays:
        raise ValueError(f"{file}: exercises is missing, and so is essays: nothing is asked for")
    for id, count in Counter([*(task.id for task in tasks), *(essay.id for essay in essays)]).items():
        if count > 1:
            raise ValueError(f"{file}: id = {id!r}: appears {count} times")
    seed_file = file.parent / table.take("seed_file", str)
    package = table.take("package", str, "")
    expected = "expected an address that pip installs from, such as 'git+https://...'"
    table.require(ADDRESS.fullmatch(package), "package", expected)
    table.finish()
    return Assignment(file, title, due, ZoneInfo(zone), late, tasks, essays, seed_file, package)


def write_assignment(file: Path, text: str) -> Path:
    """Write an assignment and, beside it, its seed: a random number of 128 bits that only its owner may read.

    A ValueError says that there is a file already, or that ``read_assignment`` refuses the text, which is removed.
    """
    if file.exists():
        raise ValueError(f"{file} is there already: name another folder, or move it away")
    write_whole(file, text)
    try:
        seed_file = read_assignment(file).seed_file
        if not seed_file.exists():
            seed_file.touch(mode=0o600)
            seed_file.write_text(f"{secrets.randbits(128)}\n")
    except BaseException:
        file.unlink()
        raise
    return file


def _late(table: Table) -> LateRule:
    rule = LateRule(table.number("percent_per_day", 0.0, most=100), table.take("last_day", int, None))
    table.require(rule.last_day is None or rule.last_day >= 0, "last_day", "expected a number of days from 0")
    table.finish()
    return rule


def _task(table: Table) -> Task:
    id = table.take("id", str)
    table.require(id in registry(), "id", "no exercise of the book has this id")
    exercise = registry()[id]
    points = table.number("points", float(exercise.points))
    credit = table.take("credit", str, "all")
    table.require(credit in ("all", "laws"), "credit", "expected one of all, laws")
    table.require(credit == "all" or isinstance(exercise, Write), "credit", f"{id} has no laws")
    may_use, forbid = table.texts("may_use"), table.texts("forbid")
    table.finish()
    return Task(exercise, points, credit, may_use, forbid)


def _essay(table: Table) -> Essay:
    id = table.take("id", str)
    table.require(id.isidentifier(), "id", "expected one word of letters, digits and underscores")
    essay = Essay(id, table.take("question", str), table.number("points"), table.texts("rubric"))
    table.finish()
    return essay
