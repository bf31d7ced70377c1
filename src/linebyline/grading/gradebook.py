"""The gradebook: a row for each student, points by hand that are kept when it is written again, and other formats.

Days late can be filled in by hand, so that nobody must be asked where a submission comes from: a download of Canvas, a
clone or a mail may or may not know the time, and an extension is a decision. The gradebook of another assignment is
refused; one of which some exercises differ is not, since exercises are struck out and added while work comes in.
"""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.exercises import registry
from linebyline.grading.assignment import Assignment
from linebyline.grading.files import as_csv, unescaped
from linebyline.grading.graded import Record, missing_record

BY_HAND, DAYS, NOTE = "by hand", "days by hand", "note"
ByHand = Mapping[str, Mapping[str, str]]


def hand_columns(assignment: Assignment) -> list[str]:
    """Return the columns that a person fills in: points of essays, points to add, days late, and a note."""
    return [*(f"essay {essay.id}" for essay in assignment.essays), BY_HAND, DAYS, NOTE]


def read_by_hand(file: Path, assignment: Assignment) -> dict[str, dict[str, str]]:
    """Read what was filled in by hand, by student; empty if there is no gradebook yet.

    A spreadsheet may have written decimal commas, and semicolons between cells.

    Raises:
        ValueError: points or days are not numbers, an essay has more than its points, or the file is not a gradebook,
            or one of another assignment.
    """
    if not file.exists():
        return {}
    try:
        text = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{file} is not in UTF-8 ({error.reason} at {error.start}): save it as 'CSV UTF-8'") from error
    rows = csv.DictReader(io.StringIO(text), delimiter=";" if ";" in text.partition("\n")[0] else ",")
    columns = rows.fieldnames or ()
    if "student" not in columns:
        raise ValueError(f"{file}: expected a gradebook with a column 'student'; move it away to begin a new one")
    _refuse_another(columns, file, assignment)
    expected = hand_columns(assignment)
    most = {f"essay {essay.id}": essay.points for essay in assignment.essays}
    unknown = [column for column in columns if column.startswith("essay ") and column not in expected]
    by_hand = {}
    for row in rows:
        student = unescaped(row["student"] or "")
        for column in unknown:
            if row[column]:
                cell = f"{file}: {student}: {column} = {row[column]!r}"
                raise ValueError(f"{cell}: {assignment.file.name} asks for no such")
        values = {column: unescaped((row.get(column) or "").strip()) for column in expected}
        for column, value in values.items():
            if column != NOTE and value:
                cell = f"{file}: {student}: {column} = {value!r}"
                values[column] = _number(value, cell, most.get(column), days=column == DAYS)
        by_hand[student] = values
    return by_hand


def _refuse_another(columns: Sequence[str], file: Path, assignment: Assignment) -> None:
    """Refuse a gradebook that has none of the exercises and essays: its points were given for other work."""
    found = [column for column in columns if column in registry() or column.startswith("essay ")]
    asked = [*(task.id for task in assignment.tasks), *(f"essay {essay.id}" for essay in assignment.essays)]
    if found and set(found).isdisjoint(asked):
        raise ValueError(
            f"{file} is of another assignment: it has {found[0]}, and {assignment.file.name} asks for {asked[0]}; "
            f"name another folder with -o"
        )


def match_students(by_hand: ByHand, students: Iterable[str]) -> ByHand:
    """Return rows back to students whose number a spreadsheet has shortened, as it does with 0042.

    Example:
        >>> match_students({"42": {"note": "a"}, "7": {"note": "b"}}, ["0042", "007", "07"])
        {'0042': {'note': 'a'}, '7': {'note': 'b'}}
    """
    known, by_number = set(students), dict[str, list[str]]()
    for student in known:
        by_number.setdefault(student.lstrip("0"), []).append(student)
    renamed = {}
    for name in by_hand.keys() - known:
        match by_number.get(name, []):
            case [student] if student not in by_hand:
                renamed[name] = student
    return {renamed.get(name, name): values for name, values in by_hand.items()}


def _number(text: str, cell: str, most: float | None, *, days: bool) -> str:
    """Normalize a number of days, or of points; points without a bound may be negative."""
    try:
        value = float(text.replace(",", "."))
    except ValueError:
        value = float("nan")
    if days and not (0 <= value < 1e6 and value.is_integer()):
        raise ValueError(f"{cell}: expected a whole number of days from 0")
    if not abs(value) < 1e6:
        raise ValueError(f"{cell}: expected a number of points")
    if most is not None and not 0 <= value <= most:
        raise ValueError(f"{cell}: expected 0 to {most:g} points; more can be added in '{BY_HAND}'")
    return f"{value:g}"


def days_counted(record: Record, by_hand: Mapping[str, str]) -> int:
    """Return the days that count as late: those filled in by hand, or else those by the time of the file."""
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
    gone = [missing_record(student, assignment, "the submission is gone") for student in filled]
    every = sorted([*records, *gone], key=lambda record: str(record["student"]))
    totals = {record["student"]: total(record, assignment, by_hand.get(record["student"], {})) for record in every}
    rows = [_row(record, assignment, by_hand.get(record["student"], {}), totals[record["student"]]) for record in every]
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


def _row(record: Record, assignment: Assignment, by_hand: Mapping[str, str], points: float) -> list[Any]:
    days = days_counted(record, by_hand)
    flags = [*record["problems"]]  # what a person should look at
    for result in record["exercises"]:
        flags += [f"{result['id']}: {flag}" for flag in result["flags"]]
    return [
        *(record["student"], *(f"{result['points']:g}" for result in record["exercises"])),
        *(by_hand.get(column, "") for column in hand_columns(assignment)),
        *(days, f"{assignment.late.factor(days):g}", f"{points:g}", f"{assignment.points:g}"),
        *("; ".join(flags), record["isolation"], record["received"], record["file"]),
    ]
