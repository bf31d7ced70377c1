"""The answers to essays, collected on one page for the person who reads them."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from clearformer.files import write_whole
from linebyline.grading.assignment import Assignment, Essay
from linebyline.grading.bundle import PLACE
from linebyline.grading.cells import kind_of, texts_of
from linebyline.grading.feedback import page
from linebyline.grading.graded import Submission

POINTS, END = r"[\d.]+ points?", r"[ \t]*$"  # the heading of an essay has only its points


def write_essays(file: Path, assignment: Assignment, submissions: Iterable[Submission]) -> None:
    """Write a page with each essay: its question, what points are given for, and what each student has answered."""
    answered = [(submission, answers_to(assignment, submission.files)) for submission in submissions]
    title = f"{assignment.title}: essays"
    parts = [f"<h1>{html.escape(title)}</h1>"]
    for essay in assignment.essays:
        parts.append(f"<h2>{html.escape(essay.question.strip())}</h2>\n<p>{essay.points:g} points, for:</p>")
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in essay.rubric) + "</ul>")
        for submission, answers in answered:
            answer = answers[essay.id]
            shown = f"<pre>{html.escape(answer)}</pre>" if answer else _no_answer(submission)
            parts.append(f"<h3>{html.escape(submission.student)}</h3>\n{shown}")
    write_whole(file, page(title, "\n".join(parts)))


def _no_answer(submission: Submission) -> str:
    problems = submission.read()[1]
    if [kind_of(file) for file in submission.files] == [".py"]:
        problems.append("a .py file has no place for it")
    return f"<p>{html.escape('; '.join(['No answer', *problems]))}.</p>"


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
