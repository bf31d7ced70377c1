"""What people read: a student's feedback, also in Gradescope's format, and all answers to essays on one page."""

import html
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.grading.assignment import Assignment, Essay
from linebyline.grading.bundle import PLACE
from linebyline.grading.cells import kind_of, texts_of
from linebyline.grading.files import write_json
from linebyline.grading.gradebook import BY_HAND, NOTE, days_counted, total
from linebyline.grading.graded import Record, Submission

STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem}"
    "code{overflow-wrap:anywhere}li{margin:.2rem 0}"
    "pre{white-space:pre-wrap;overflow-wrap:anywhere;border-left:.2rem solid #888;padding-left:.8rem}"
)
NOT_ISOLATED = "This was graded without isolation."
# How a kind of block is written in Markdown and in HTML.
KINDS = {
    "title": ("# {}\n", "<h1>{}</h1>"),
    "heading": ("\n## {}\n", "<h2>{}</h2>"),
    "text": ("{}\n", "<p>{}</p>"),
    "item": ("- {}", "<ul><li>{}</li></ul>"),
}
POINTS, END = r"[\d.]+ points?", r"[ \t]*$"  # the heading of an essay has only its points
Block = tuple[str, str, str]  # a kind, a plain text, and what is quoted from a program


def write_feedback(folder: Path, assignment: Assignment, record: Record, by_hand: Mapping[str, str]) -> None:
    """Write ``ID.html`` and ``ID.md``, with what a person has filled in for the student."""
    blocks, student = _blocks(assignment, record, by_hand), record["student"]
    write_whole(folder / f"{student}.md", "\n".join(_as_markdown(*block) for block in blocks))
    body = "\n".join(_as_html(*block) for block in blocks)
    write_whole(folder / f"{student}.html", _page(f"{assignment.title}: {student}", body))


def _page(title: str, body: str) -> str:
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
    last = [f"{added} by hand." if added else "", by_hand.get(NOTE, "")]
    last += [NOT_ISOLATED] * (record["isolation"] == "none")
    return blocks + [("text", text, "") for text in last if text]


def _late(assignment: Assignment, days: int) -> str:
    if not days:
        return "In time."
    if not str(assignment.late):
        return ""  # without a rule late work counts in full, so there is nothing to say
    factor = assignment.late.factor(days)
    return f"Late by {days} day{'' if days == 1 else 's'}, so points are multiplied by {factor:g}."


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
    lines = [_late(assignment, record["days_late"]), *record["problems"]]
    lines += [NOT_ISOLATED] * (record["isolation"] == "none")
    write_json(file, {"score": score, "output": "\n".join(lines), "visibility": "visible", "tests": tests})


def write_essays(file: Path, assignment: Assignment, submissions: Iterable[Submission]) -> None:
    """Write a page with each essay: its question, what points are given for, and what each student has answered."""
    answered = [(submission, answers_to(assignment, submission.files)) for submission in submissions]
    title = f"{assignment.title}: essays"
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for essay in assignment.essays:
        parts.append(f"<h2>{html.escape(essay.question.strip())}</h2>\n<p>{essay.points:g} points, for:</p>")
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in essay.rubric) + "</ul>")
        for submission, answers in answered:
            shown = f"<pre>{html.escape(answers[essay.id])}</pre>" if answers[essay.id] else _no_answer(submission)
            parts.append(f"<h3>{html.escape(submission.student)}</h3>\n{shown}")
    write_whole(file, _page(title, "\n".join(parts)))


def _no_answer(submission: Submission) -> str:
    problems = ["No answer", *submission.read().problems]
    if [kind_of(file) for file in submission.files] == [".py"]:
        problems.append("a .py file has no place for it")
    return f"<p>{html.escape('; '.join(problems))}.</p>"


def answers_to(assignment: Assignment, files: Sequence[Path]) -> dict[str, str]:
    """Return the answer to each essay, by its id: all below its question, up to the next heading of the hand-out.

    If the question is gone, the number of the heading marks the place. An answer may have headings of its own.
    """
    try:
        text = "\n\n".join(texts_of(files[0])) if len(files) == 1 else ""
    except (OSError, ValueError, RecursionError):  # the gradebook says what is wrong with the file
        text = ""
    titles = [re.escape(task.exercise.title) for task in assignment.tasks]
    heading = re.compile(rf"^## \d+\. (?:{'|'.join([*titles, POINTS])}){END}", re.MULTILINE)
    numbered = enumerate(assignment.essays, len(titles) + 1)
    return {essay.id: _answer(text, number, essay, heading) for number, essay in numbered}


def _answer(text: str, number: int, essay: Essay, heading: re.Pattern[str]) -> str:
    """Return the text below a heading, without that of the hand-out; half a surrogate pair becomes a question mark."""
    words = r"\s+".join(map(re.escape, essay.question.split()))
    # The question first: numbers change if an exercise was struck out since.
    places = (rf"^{words}\s*?$", rf"^## {number}\. {POINTS}{END}")
    found = next(filter(None, (re.search(place, text, re.MULTILINE) for place in places)), None)
    if not found:
        return ""
    rest = heading.split(text[found.end() :])[0]
    for given in (*(f"- {line}" for line in essay.rubric), PLACE):
        rest = rest.replace(given, "", 1)
    return rest.strip().encode("utf-8", "replace").decode()
