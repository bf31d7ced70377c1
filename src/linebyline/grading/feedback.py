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
# How a kind of block is written in Markdown and in HTML.
KINDS = {
    "title": ("# {}\n", "<h1>{}</h1>"),
    "heading": ("\n## {}\n", "<h2>{}</h2>"),
    "text": ("{}\n", "<p>{}</p>"),
    "item": ("- {}", "<ul><li>{}</li></ul>"),
}
Block = tuple[str, str, str]  # a kind, a plain text, and what is quoted from a program


def write_feedback(folder: Path, assignment: Assignment, record: Record, by_hand: Mapping[str, str]) -> None:
    """Write ``ID.html`` and ``ID.md``, with what a person has filled in for the student."""
    blocks, student = _blocks(assignment, record, by_hand), record["student"]
    write_whole(folder / f"{student}.md", "\n".join(_as_markdown(*block) for block in blocks))
    body = "\n".join(_as_html(*block) for block in blocks)
    write_whole(folder / f"{student}.html", page(f"{assignment.title}: {student}", body))


def page(title: str, body: str) -> str:
    """Return an HTML page that needs no other file; the title is plain text, the body HTML."""
    head = f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{html.escape(title)}</title>'
    head += '<meta name="viewport" content="width=device-width,initial-scale=1">'
    return f"{head}<style>{STYLE}</style></head><body>\n{body}\n</body></html>\n"


def _blocks(assignment: Assignment, record: Record, by_hand: Mapping[str, str]) -> list[Block]:
    late = _late(assignment, days_counted(record, by_hand))
    blocks = [("title", assignment.title, ""), ("text", f"Handed in by {record['student']}. {late}".strip(), "")]
    blocks += [("item", "Of the file:", problem) for problem in record["problems"]]
    for task, result in zip(assignment.tasks, record["exercises"], strict=True):
        blocks.append(("heading", f"{task.exercise.title}: {result['points']:g} of {result['of']:g}", ""))
        blocks += [("item", text, quoted) for text, quoted in _lines(result)]
    for essay in assignment.essays:
        given = by_hand.get(f"essay {essay.id}")
        points = f"{given} of {essay.points:g}" if given else f"{essay.points:g} points, not read yet"
        blocks += [("heading", f"In your own words: {points}", ""), ("text", essay.question.strip(), "")]
    blocks.append(("heading", f"Together: {total(record, assignment, by_hand):g} of {assignment.points:g}", ""))
    added = by_hand.get(BY_HAND)
    last = [f"{added} by hand." if added else "", by_hand.get(NOTE, ""), *_not_isolated(record)]
    return blocks + [("text", text, "") for text in last if text]


def _late(assignment: Assignment, days: int) -> str:
    if not days:
        return "In time."
    if not str(assignment.late):
        return ""  # without a rule late work counts in full, so there is nothing to say
    factor = assignment.late.factor(days)
    return f"Late by {days} day{'' if days == 1 else 's'}, so points are multiplied by {factor:g}."


def _not_isolated(record: Record) -> list[str]:
    return ["This was graded without isolation."] if record["isolation"] == "none" else []


def _lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the lines on an exercise: the reason if there is one, and a line for each law."""
    lines = [("", result["why"])] if result["why"] else []
    lines += [("not solved yet", "")] if result["status"] == "unsolved" else []
    lines += [("", flag) for flag in result["flags"] if "defined" in flag]
    return lines + [(f"{law['verdict']}: {law['name']}", law["why"]) for law in result["laws"]]


def _as_markdown(kind: str, text: str, quoted: str) -> str:
    # In a code span nothing that a program has printed is taken for markup.
    span = f"`{' '.join(quoted.split()).replace('`', chr(39))}`" if quoted else ""
    text = " ".join(filter(None, [f"{text}:" if text and quoted and text[-1] != ":" else text, span]))
    return KINDS[kind][0].format(text)


def _as_html(kind: str, text: str, quoted: str) -> str:
    return KINDS[kind][1].format(html.escape(text) + (f" <code>{html.escape(quoted)}</code>" if quoted else ""))


def write_gradescope(file: Path, assignment: Assignment, record: Record) -> None:
    """Write ``results.json`` as Gradescope reads it; essays are graded there by hand."""
    tests = []
    for task, result in zip(assignment.tasks, record["exercises"], strict=True):
        output = "\n".join(f"{text} {quoted}".strip() for text, quoted in _lines(result))
        score = {"score": result["points"], "max_score": result["of"]}
        tests.append({"name": task.exercise.title, "number": task.id, **score, "output": output})
    points = sum(result["points"] for result in record["exercises"])
    score = round(points * assignment.late.factor(record["days_late"]), 2)
    lines = [_late(assignment, record["days_late"]), *record["problems"], *_not_isolated(record)]
    write_json(file, {"score": score, "output": "\n".join(lines), "visibility": "visible", "tests": tests})
