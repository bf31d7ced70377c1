"""The answers to essays, gathered on one page for the person who reads them."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from clearformer.files import write_whole
from linebyline.grading.assignment import Assignment, Essay
from linebyline.grading.bundle import PLACE
from linebyline.grading.cells import kind_of, texts_of
from linebyline.grading.feedback import page
from linebyline.grading.graded import Handed, read_handed

POINTS, END = r"[\d.]+ points?", r"[ \t]*$"  # the heading of an essay says no more than its points


def write_essays(file: Path, assignment: Assignment, all_handed: Iterable[Handed]) -> None:
    """Write a page with each essay: its question, what points are given for, and what each student has answered.

    Args:
        file: Where to.
        assignment: What was asked.
        all_handed: What came.

    Raises:
        OSError: it cannot be written.
    """
    came = [(handed, answers_to(assignment, handed.files)) for handed in all_handed]
    parts = [f"<h1>{html.escape(assignment.title)}: essays</h1>"]
    for essay in assignment.essays:
        parts.append(f"<h2>{html.escape(essay.question.strip())}</h2>\n<p>{essay.points:g} points, for:</p>")
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in essay.rubric) + "</ul>")
        for handed, answers in came:
            said = answers[essay.id]
            shown = f"<pre>{html.escape(said)}</pre>" if said else _why_nothing(handed)
            parts.append(f"<h3>{html.escape(handed.student)}</h3>\n{shown}")
    write_whole(file, page(f"{assignment.title}: essays", "\n".join(parts)))


def _why_nothing(handed: Handed) -> str:
    """Say that there is no answer, and what is wrong with the file if something is."""
    programs = [file for file in handed.files if kind_of(file) == ".py"]
    problems = read_handed(handed)[1] + ["a .py file has no place for it"] * (len(programs) == len(handed.files) == 1)
    return f"<p>{html.escape('; '.join(['No answer', *problems]))}.</p>"


def answers_to(assignment: Assignment, files: Sequence[Path]) -> dict[str, str]:
    r"""Find what was answered to each essay: all below its question, up to the next heading of the hand-out.

    Where the question is gone, the number of the heading marks the place. An answer may have headings of its own.

    Args:
        assignment: What was asked.
        files: What one student handed in; of several files none is taken, as in grading.

    Returns:
        By the essay's id, the text; empty where there is none.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> from linebyline.grading.assignment import read_assignment
        >>> text = 'title = "A"\ndue = 2026-10-23T23:59:00\nzone = "UTC"\nseed_file = "a.seed"\n'
        >>> text += '[[essays]]\nid = "why"\nquestion = "Why a root?"\npoints = 1\n'
        >>> with TemporaryDirectory() as folder:
        ...     a, ada = Path(folder, "a.toml"), Path(folder, "ada.md")
        ...     _ = a.write_text(text)
        ...     _ = ada.write_text("## 1. 1 point\n\nWhy a root?\n\nScores spread.\n\n## 2. 2 points")
        ...     answers_to(read_assignment(a), [ada])
        {'why': 'Scores spread.'}
    """
    try:
        text = "\n\n".join(texts_of(files[0])) if len(files) == 1 else ""
    except (OSError, ValueError, RecursionError):  # the gradebook says what is wrong with the file
        text = ""
    numbered = enumerate(assignment.essays, len(assignment.tasks) + 1)
    titles = [re.escape(task.exercise.title) for task in assignment.tasks]
    heading = re.compile(rf"^## \d+\. (?:{'|'.join([*titles, POINTS])}){END}", re.MULTILINE)
    return {essay.id: _answer(text, number, essay, heading) for number, essay in numbered}


def _answer(text: str, number: int, essay: Essay, heading: re.Pattern[str]) -> str:
    """Take the text below a heading, without what the hand-out has there; half a letter becomes a question mark."""
    words = r"\s+".join(map(re.escape, essay.question.split()))
    # The question first: numbers are others if an exercise was struck out since.
    places = (rf"^{words}\s*?$", rf"^## {number}\. {POINTS}{END}")
    found = next(filter(None, (re.search(place, text, re.MULTILINE) for place in places)), None)
    if not found:
        return ""
    rest = heading.split(text[found.end() :])[0]
    for given in (*(f"- {line}" for line in essay.rubric), PLACE):
        rest = rest.replace(given, "", 1)
    return rest.strip().encode("utf-8", "replace").decode()
