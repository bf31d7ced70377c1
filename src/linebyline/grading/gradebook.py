"""The gradebook: a row a student, points by hand that stay when it is written again, and files for other systems."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.exercises import registry
from linebyline.grading.assignment import Assignment
from linebyline.grading.graded import Record

BY_HAND, DAYS, NOTE = "by hand", "days by hand", "note"
ByHand = Mapping[str, Mapping[str, str]]


def hand_columns(assignment: Assignment) -> list[str]:
    """Name the columns that a person fills in: points of essays, points to add, days that are late, and a note."""
    return [*(f"essay {essay.id}" for essay in assignment.essays), BY_HAND, DAYS, NOTE]


def read_by_hand(file: Path, assignment: Assignment) -> dict[str, dict[str, str]]:
    """Read what was filled in by hand, by student; nothing if there is no gradebook yet.

    A table program may have written commas in numbers and semicolons between them.

    Raises:
        ValueError: points or days are no number, an essay has more than its points, or the file is no gradebook, or
            one of another assignment.
        OSError: it cannot be read.
    """
    if not file.exists():
        return {}
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not in UTF-8 ({error.reason} at {error.start}): save it as 'CSV UTF-8'") from error
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    if "student" not in (rows.fieldnames or ()):
        raise ValueError(f"{file}: expected a gradebook with a column 'student'; move it away to begin a new one")
    _refuse_another(rows.fieldnames or (), file, assignment)
    asked = hand_columns(assignment)
    most = {f"essay {essay.id}": essay.points for essay in assignment.essays}
    gone = [column for column in rows.fieldnames or () if column.startswith("essay ") and column not in asked]
    found = {}
    for row in rows:
        student = _plain(row["student"] or "")
        for column in gone:
            if row[column]:
                raise ValueError(
                    f"{file}: {student}: {column} = {row[column]!r}: {assignment.file.name} asks for no such"
                )
        values = {column: _plain((row.get(column) or "").strip()) for column in asked}
        for column in values:
            if column != NOTE and values[column]:
                place = f"{file}: {student}: {column} = {values[column]!r}"
                values[column] = _number(values[column], place, most.get(column), days=column == DAYS)
        found[student] = values
    return found


def _refuse_another(columns: Sequence[str], file: Path, assignment: Assignment) -> None:
    """Refuse a gradebook with exercises or essays of which none is asked: its points were given for other work."""
    found = [column for column in columns if column in registry() or column.startswith("essay ")]
    asked = [*(task.id for task in assignment.tasks), *(f"essay {essay.id}" for essay in assignment.essays)]
    if found and set(found).isdisjoint(asked):
        raise ValueError(
            f"{file} is of another assignment: it has {found[0]}, and {assignment.file.name} asks for {asked[0]}; "
            f"name another folder with -o"
        )


def by_names(by_hand: ByHand, students: Iterable[str]) -> ByHand:
    """Return rows back to those whose number a table program has shortened, as it does with 0042.

    Example:
        >>> by_names({"42": {"note": "a"}, "7": {"note": "b"}}, ["0042", "007", "07"])
        {'0042': {'note': 'a'}, '7': {'note': 'b'}}
    """
    known, long = set(students), dict[str, list[str]]()
    for student in sorted(known):
        long.setdefault(student.lstrip("0"), []).append(student)
    lost = {name: long.get(name, []) for name in by_hand if name not in known}
    found = {name: names[0] for name, names in lost.items() if len(names) == 1 and names[0] not in by_hand}
    return {found.get(name, name): values for name, values in by_hand.items()}


def _number(text: str, place: str, most: float | None, *, days: bool) -> str:
    """Read days, or points; those without a bound may be taken off, too."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if days and not (0 <= value < 1e6 and value.is_integer()):
        raise ValueError(f"{place}: expected a whole number of days from 0")
    if not abs(value) < 1e6:
        raise ValueError(f"{place}: expected a number of points")
    if most is not None and not 0 <= value <= most:
        raise ValueError(f"{place}: expected 0 to {most:g} points; more can be added in '{BY_HAND}'")
    return f"{value:g}"


def days_counted(record: Record, by_hand: Mapping[str, str]) -> int:
    """Return the days that count as late: those filled in by hand, or else by the time of the file.

    Example:
        >>> days_counted({"days_late": 3}, {}), days_counted({"days_late": 3}, {"days by hand": "0"})
        (3, 0)
    """
    return int(float(by_hand.get(DAYS) or record["days_late"]))


def total(record: Record, assignment: Assignment, by_hand: Mapping[str, str]) -> float:
    """Return the points of a submission: exercises and essays, less what is late, and what was added by hand."""
    essays = sum(float(by_hand.get(f"essay {essay.id}") or 0) for essay in assignment.essays)
    earned = sum(float(result["points"]) for result in record["exercises"]) + essays
    factor = assignment.late.factor(days_counted(record, by_hand))
    return round(max(0.0, earned * factor + float(by_hand.get(BY_HAND) or 0)), 2)


def write_gradebook(folder: Path, assignment: Assignment, records: Sequence[Record], by_hand: ByHand) -> None:
    """Write ``gradebook.csv``, ``moodle.csv`` and ``canvas.csv``.

    A student with points by hand keeps a row, even if the submission is gone.
    """
    known = {record["student"] for record in records}
    filled = [student for student, values in by_hand.items() if any(values.values()) and student not in known]
    gone = [missing(student, assignment, "the submission is gone") for student in filled]
    every = sorted([*records, *gone], key=lambda record: str(record["student"]))
    totals = {record["student"]: total(record, assignment, by_hand.get(record["student"], {})) for record in every}
    rows = [_row(record, assignment, by_hand.get(record["student"], {}), totals) for record in every]
    head = ["student", *(task.id for task in assignment.tasks), *hand_columns(assignment)]
    head += ["days late", "late factor", "total", "of", "flags", "isolation", "received", "file"]
    write_whole(folder / "gradebook.csv", as_csv([head, *rows]))
    of = f"{assignment.points:g}"
    # Moodle takes no file without the last column; empty, it keeps the grades that were given there since.
    names = ["Identifier", "Grade", "Maximum Grade", "Last modified (grade)"]
    moodle = [[f"Participant {s}" if s.isdigit() else s, f"{points:g}", of, ""] for s, points in totals.items()]
    write_whole(folder / "moodle.csv", as_csv([names, *moodle]))
    canvas = [["", s, "", "", "", f"{points:g}"] for s, points in totals.items()]
    names = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title]
    write_whole(folder / "canvas.csv", as_csv([names, ["    Points Possible", "", "", "", "", of], *canvas]))


def missing(student: str, assignment: Assignment, why: str) -> Record:
    """Return the record of a student for whom there is nothing to grade, or nothing graded."""
    exercises = [
        {"id": task.id, "points": 0.0, "of": task.points, "status": "missing", "why": why, "laws": [], "flags": []}
        for task in assignment.tasks
    ]
    told = {"student": student, "file": "", "received": "", "days_late": 0, "isolation": ""}
    return {**told, "problems": [why], "exercises": exercises}


def _row(record: Record, assignment: Assignment, by_hand: Mapping[str, str], totals: Mapping[str, float]) -> list[Any]:
    points = [f"{result['points']:g}" for result in record["exercises"]]
    hand = [by_hand.get(column, "") for column in hand_columns(assignment)]
    days = days_counted(record, by_hand)
    factor = f"{assignment.late.factor(days):g}"
    numbers = [days, factor, f"{totals[record['student']]:g}", f"{assignment.points:g}"]
    told = ["; ".join(flags(record)), record["isolation"], record["received"], record["file"]]
    return [record["student"], *points, *hand, *numbers, *told]


def flags(record: Record) -> list[str]:
    """List what a person should look at, of the file and of each exercise."""
    found = list(record["problems"])
    for result in record["exercises"]:
        found += [f"{result['id']}: {flag}" for flag in result["flags"]]
    return found


def as_csv(rows: Iterable[Sequence[Any]]) -> str:
    """Write rows as CSV, in which no text can be taken for a formula by a table program.

    Example:
        >>> print(as_csv([["=1+1", -1.5, "a, b"]]).strip())
        '=1+1,-1.5,"a, b"
    """
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([[_safe(cell) for cell in row] for row in rows])
    return buffer.getvalue()


def _safe(cell: Any) -> Any:
    if not isinstance(cell, str) or not cell.startswith(("=", "+", "-", "@", "\t", "\r")):
        return cell
    try:
        float(cell)
    except ValueError:
        return f"'{cell}"
    return cell


def _plain(cell: str) -> str:
    """Take the mark away again that ``_safe`` has set."""
    return cell[1:] if cell[:1] == "'" and _safe(cell[1:]) == cell else cell
