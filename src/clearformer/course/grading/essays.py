"""The answers to essays, gathered on one page for the person who reads them."""

import html
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from clearformer.course.grading.assignment import Assignment, Essay
from clearformer.course.grading.bundle import PLACE
from clearformer.course.grading.cells import texts_of
from clearformer.course.grading.feedback import page
from clearformer.course.grading.graded import Handed
from clearformer.files import write_whole

HEADING = re.compile(r"^## ", re.MULTILINE)


def write_essays(file: Path, assignment: Assignment, all_handed: Iterable[Handed]) -> None:
    """Write a page with each essay: its question, what points are given for, and what each student has answered.

    Args:
        file: Where to.
        assignment: What was asked.
        all_handed: What came.
    """
    answers = {handed.student: answers_to(assignment.essays, handed.files) for handed in all_handed}
    parts = [f"<h1>{html.escape(assignment.title)}: essays</h1>"]
    for essay in assignment.essays:
        parts.append(f"<h2>{html.escape(essay.question.strip())}</h2>\n<p>{essay.points:g} points, for:</p>")
        parts.append("<ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in essay.rubric) + "</ul>")
        for student, found in answers.items():
            said = found[essay.id]
            shown = f"<pre>{html.escape(said)}</pre>" if said else "<p>No answer.</p>"
            parts.append(f"<h3>{html.escape(student)}</h3>\n{shown}")
    write_whole(file, page(f"{assignment.title}: essays", "\n".join(parts)))


def answers_to(essays: Sequence[Essay], files: Sequence[Path]) -> dict[str, str]:
    r"""Find what was answered to each essay: all that stands below its question, up to the next heading.

    Args:
        essays: The essays.
        files: What one student handed in; of several files none is taken, as in grading.

    Returns:
        By the essay's id, the text; empty where there is none.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> essay = Essay("why", "Why a root?", 1.0, ("names the spread",))
        >>> with TemporaryDirectory() as folder:
        ...     file = Path(folder, "ada.md")
        ...     _ = file.write_text("## 1. 1 point\n\nWhy a root?\n\n- names the spread\n\nScores spread.\n\n## Next")
        ...     answers_to([essay], [file])
        {'why': 'Scores spread.'}
    """
    try:
        text = "\n\n".join(texts_of(files[0])) if len(files) == 1 else ""
    except (OSError, ValueError, RecursionError):  # the gradebook says what is wrong with the file
        text = ""
    return {essay.id: _below(text, essay) for essay in essays}


def _below(text: str, essay: Essay) -> str:
    """Take what follows a question, without the rubric and the mark of the place that the hand-out has there."""
    words = r"\s+".join(map(re.escape, essay.question.split()))
    found = re.search(words, text)
    if not found:
        return ""
    rest = HEADING.split(text[found.end() :])[0]
    for given in (*(f"- {line}" for line in essay.rubric), PLACE):
        rest = rest.replace(given, "", 1)
    return rest.strip()
