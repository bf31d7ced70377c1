"""The gradebook: a row for each student, points by hand that are kept when it is written again, and other formats.

Days late can be filled in by hand: a download or a mail may not know the time. The gradebook of another assignment is
refused; one of which some exercises differ is not, since exercises are struck out and added while work comes in.
"""

import csv
import io
from collections.abc import Mapping, Sequence
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

    A spreadsheet may have written decimal commas, and semicolons between cells. A ValueError says that points or days
    are not numbers, that an essay has more than its points, or that the file is not a gradebook of this assignment.
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
    essays = {f"essay {essay.id}": essay.points for essay in assignment.essays}
    found = [column for column in columns if column in registry() or column.startswith("essay ")]
    asked = [*(task.id for task in assignment.tasks), *essays]
    if found and set(found).isdisjoint(asked):  # its points were given for other work
        both = f"it has {found[0]}, and {assignment.file.name} asks for {asked[0]}"
        raise ValueError(f"{file} is of another assignment: {both}; name another folder with -o")
    expected = hand_columns(assignment)
    unknown = [column for column in columns if column.startswith("essay ") and column not in expected]
    by_hand = {}
    for row in rows:
        student = unescaped(row["student"] or "")
        values = {column: unescaped((row.get(column) or "").strip()) for column in (*unknown, *expected)}
        for column, value in values.items():
            if value and column != NOTE:
                cell = f"{file}: {student}: {column} = {value!r}"
                if column in unknown:
                    raise ValueError(f"{cell}: {assignment.file.name} asks for no such")
                values[column] = _number(value, cell, essays.get(column), days=column == DAYS)
        by_hand[student] = values
    return by_hand


def match_students(by_hand: ByHand, students: Sequence[str]) -> ByHand:
    """Return rows back to students whose number a spreadsheet has shortened, as it does with 0042.

    Example:
        >>> match_students({"42": {"note": "a"}, "7": {"note": "b"}}, ["0042", "007", "07"])
        {'0042': {'note': 'a'}, '7': {'note': 'b'}}
    """
    numbers = [student.lstrip("0") for student in students]
    renamed = {
        number: student
        for number, student in zip(numbers, students, strict=True)
        if numbers.count(number) == 1 and student not in by_hand and number not in students
    }
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
    """Write ``gradebook.csv``, ``moodle.csv`` and ``canvas.csv``; points by hand keep a row without a submission."""
    by_student = {record["student"]: record for record in records}
    for student, values in by_hand.items():
        if any(values.values()) and student not in by_student:
            by_student[student] = missing_record(student, assignment, "the submission is gone")
    rows = [_row(by_student[student], assignment, by_hand.get(student, {})) for student in sorted(by_student)]
    write_whole(folder / "gradebook.csv", as_csv([rows[0].keys(), *(row.values() for row in rows)]))
    totals = {row["student"]: row["total"] for row in rows}
    of = f"{assignment.points:g}"
    # Moodle takes no file without the last column; empty, it keeps the grades that were given there since.
    names = ["Identifier", "Grade", "Maximum Grade", "Last modified (grade)"]
    moodle = [[f"Participant {s}" if s.isdigit() else s, points, of, ""] for s, points in totals.items()]
    write_whole(folder / "moodle.csv", as_csv([names, *moodle]))
    canvas = [["", s, "", "", "", points] for s, points in totals.items()]
    names = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", assignment.title]
    write_whole(folder / "canvas.csv", as_csv([names, ["    Points Possible", "", "", "", "", of], *canvas]))


def _row(record: Record, assignment: Assignment, by_hand: Mapping[str, str]) -> dict[str, Any]:
    days = days_counted(record, by_hand)
    flags = [f"{result['id']}: {flag}" for result in record["exercises"] for flag in result["flags"]]
    return {
        "student": record["student"],
        **{result["id"]: f"{result['points']:g}" for result in record["exercises"]},
        **{column: by_hand.get(column, "") for column in hand_columns(assignment)},
        "days late": days,
        "late factor": f"{assignment.late.factor(days):g}",
        "total": f"{total(record, assignment, by_hand):g}",
        "of": f"{assignment.points:g}",
        "flags": "; ".join([*record["problems"], *flags]),  # what a person should look at
        **{name: record[name] for name in ("isolation", "received", "file")},
    }
