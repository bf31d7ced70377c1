"""What a student reads: which laws hold, which fail and why; and the same in Gradescope's format."""

import html
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.grading.assignment import Assignment
from linebyline.grading.files import write_json
from linebyline.grading.gradebook import BY_HAND, NOTE, days_counted, total
from linebyline.grading.graded import Record

STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "code{overflow-wrap:anywhere}li{margin:.2rem 0}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:.2rem solid #888;padding-left:.8rem}"
)


def write_feedback(folder: Path, assignment: Assignment, record: Record, by_hand: Mapping[str, str]) -> None:
    """Write ``ID.html`` and ``ID.md``, with what a person has filled in for the student."""
    blocks = _blocks(assignment, record, by_hand)
    write_whole(folder / f"{record['student']}.md", "\n".join(_as_markdown(*block) for block in blocks))
    body = "\n".join(_as_html(*block) for block in blocks)
    write_whole(folder / f"{record['student']}.html", page(f"{assignment.title}: {record['student']}", body))


def page(title: str, body: str) -> str:
    r"""Put a body into a page that needs no other file.

    Args:
        title: As plain text.
        body: As HTML.

    Example:
        >>> page("Ada & Eve", "<p>Two.</p>").endswith("</head><body>\n<p>Two.</p>\n</body></html>\n")
        True
    """
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
    head += '<meta name="viewport" content="width=device-width,initial-scale=1">'
    return f"{head}<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"


def _blocks(assignment: Assignment, record: Record, by_hand: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Return what there is to say as pairs of a kind and a plain text, with what is quoted from a program apart."""
    blocks = [
        ("title", assignment.title, ""),
        ("text", f"Handed in by {record['student']}. {_late(assignment, days_counted(record, by_hand))}".strip(), ""),
    ]
    blocks += [("item", "Of the file:", problem) for problem in record["problems"]]
    for task, result in zip(assignment.tasks, record["exercises"], strict=True):
        blocks.append(("heading", f"{task.exercise.title}: {result['points']:g} of {result['of']:g}", ""))
        blocks += [("item", said, quoted) for said, quoted in _lines(result)]
    for essay in assignment.essays:
        given = by_hand.get(f"essay {essay.id}")
        reached = f"{given} of {essay.points:g}" if given else f"{essay.points:g} points, not read yet"
        blocks.append(("heading", f"In your own words: {reached}", ""))
        blocks.append(("text", essay.question.strip(), ""))
    blocks.append(("heading", f"Together: {total(record, assignment, by_hand):g} of {assignment.points:g}", ""))
    added, note = by_hand.get(BY_HAND), by_hand.get(NOTE)
    blocks += [("text", f"{added} by hand.", "")] * bool(added) + [("text", note or "", "")] * bool(note)
    if record["isolation"] == "none":
        blocks.append(("text", "This was graded without isolation.", ""))
    return blocks


def _late(assignment: Assignment, days: int) -> str:
    if not days:
        return "In time."
    if not str(assignment.late):
        return ""  # without a rule it counts in full, and nobody is told of it
    factor = assignment.late.factor(days)
    return f"Late by {days} day{'' if days == 1 else 's'}, so points are multiplied by {factor:g}."


def _lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines on an exercise: the reason where there is one, and a line for each law."""
    lines = [("", result["why"])] if result["why"] else []
    if result["status"] == "unsolved":
        lines.append(("not solved yet", ""))
    lines += [("", flag) for flag in result["flags"] if "defined" in flag]
    return lines + [(f"{law['verdict']}: {law['name']}", law["why"]) for law in result["laws"]]


def _as_markdown(kind: str, said: str, quoted: str) -> str:
    # In a code span nothing that a program has printed is taken for markup.
    span = f"`{' '.join(quoted.split()).replace('`', chr(39))}`" if quoted else ""
    text = " ".join(filter(None, [f"{said}:" if said and quoted and said[-1] != ":" else said, span]))
    return {"title": f"# {text}\n", "heading": f"\n## {text}\n", "text": f"{text}\n", "item": f"- {text}"}[kind]


def _as_html(kind: str, said: str, quoted: str) -> str:
    text = html.escape(said) + (f" <code>{html.escape(quoted)}</code>" if quoted else "")
    tag = {"title": "h1", "heading": "h2", "text": "p", "item": "li"}[kind]
    return f"<{tag}>{text}</{tag}>" if tag != "li" else f"<ul><li>{text}</li></ul>"


def write_gradescope(file: Path, assignment: Assignment, record: Record) -> None:
    """Write ``results.json`` as Gradescope reads it; essays are graded there by hand."""
    tests = []
    for task, result in zip(assignment.tasks, record["exercises"], strict=True):
        said = [f"{text} {quoted}".strip() for text, quoted in _lines(result)]
        score = {"score": result["points"], "max_score": result["of"]}
        tests.append({"name": task.exercise.title, "number": task.id, **score, "output": "\n".join(said)})
    points = sum(result["points"] for result in record["exercises"])
    score = round(points * assignment.late.factor(record["days_late"]), 2)
    without = ["This was graded without isolation."] if record["isolation"] == "none" else []
    output = "\n".join([_late(assignment, record["days_late"]), *record["problems"], *without])
    write_json(file, {"score": score, "output": output, "visibility": "visible", "tests": tests})
