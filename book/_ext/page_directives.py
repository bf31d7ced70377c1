"""The directives of the book.

`predict` and `diagnose` draw an exercise that is answered in the page. The others draw ways through the book: what each
chapter needs (its *Need* line), how long it takes, a map of all chapters, and paths.
"""

import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import chapters
import numpy as np
from docutils import nodes
from docutils.statemachine import StringList
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from linebyline.chapters import CHAPTERS
from linebyline.exercises import Diagnose, Exercise, Pick, Predict, registry
from linebyline.plan import WEEKS, Week, reading_minutes

LINK = re.compile(r"\[\]\((\w+)\.md\)|\{ref\}`([\w-]+)`")
NEED = re.compile(r"^\*\*Need:\*\* (.*)$", re.MULTILINE)


class InPage(SphinxDirective):
    """Draw an exercise, given by its id, so that it can be answered in the page."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", form(registry()[self.arguments[0]]), format="html")]


def form(exercise: Exercise) -> str:
    """HTML of an exercise: what is asked, and, as data, the response to each answer."""
    fields, data = FIELDS[type(exercise)](exercise)
    name = f"answer-{exercise.id.replace('.', '-', 1)}"
    return chapters.render("answer.html", name=name, data=json.dumps(data).replace("<", "\\u003c"), **fields)


def _numbers(exercise: Predict) -> tuple[dict[str, Any], dict[str, Any]]:
    values, wrong = exercise.values(), exercise.wrong_answers
    guesses = [{"remark": remark, "values": np.ravel(guess).tolist()} for remark, guess in wrong.items()]
    data = {"values": values, "shown": [f"{value:.4g}" for value in values], "within": exercise.within}
    fields = {"legend": "Your prediction", "numbers": exercise.asks, "button": "How far off?"}
    return fields, {**data, "guesses": guesses}


def _options(exercise: Pick) -> tuple[dict[str, Any], dict[str, Any]]:
    words = {exercise.options.index(option): remark for remark, option in exercise.wrong_answers.items()}
    fields = {"legend": f"Your prediction: {exercise.asks}", "options": exercise.options, "button": "Is it this one?"}
    return fields, {"right": exercise.options.index(exercise.value()), "words": words}


def _lines(exercise: Diagnose) -> tuple[dict[str, Any], dict[str, Any]]:
    lines = [
        {
            "code": highlight(line.strip(), PythonLexer(), HtmlFormatter(nowrap=True)).strip(),
            "indent": len(line) - len(line.lstrip()),
            "remark": number in exercise.remarks,
        }
        for number, line in enumerate(exercise.broken.lines)
    ]
    fields = {"legend": "Which line is at fault?", "lines": lines, "button": "Is it this one?"}
    return fields, {"right": exercise.fault, "words": exercise.remarks}


FIELDS: dict[type, Callable[..., Any]] = {Predict: _numbers, Pick: _options, Diagnose: _lines}


@cache
def source(chapter: str) -> str:
    """The text of a chapter."""
    return (chapters.ROOT / "book" / f"{chapter}.md").read_text(encoding="utf-8")


def title(chapter: str) -> str:
    """The title of a chapter."""
    return source(chapter).partition("\n# ")[2].partition("\n")[0]


@cache
def needs(chapter: str) -> tuple[str, ...]:
    """The chapters that the *Need* line of a chapter names, in the order of the book."""
    links = LINK.findall(NEED.findall(source(chapter))[0])
    named = {page or next(one for one in CHAPTERS if f"\n({label})=\n" in source(one)) for page, label in links}
    return tuple(other for other in CHAPTERS if other in named)


@cache
def minutes(chapter: str) -> tuple[int, int]:
    """How long it takes to read a chapter, and to do its exercises."""
    return reading_minutes(source(chapter)), sum(exercise.minutes for exercise in Week("", (chapter,)).exercises)


def hours(total: int) -> str:
    """A time in words: minutes up to an hour and a half, then whole hours."""
    return f"{total} minutes" if total <= 90 else f"{round(total / 60)} hours"


class OfChapters(SphinxDirective):
    """A directive that fills in a template with chapters; Sphinx reads its page again when a chapter changes."""

    def run(self) -> list[nodes.Node]:
        for name in CHAPTERS:
            self.env.note_dependency(str(chapters.ROOT / "book" / f"{name}.md"))
        return self.draw()

    def draw(self) -> list[nodes.Node]:
        return [nodes.raw("", chapters.render(f"{self.name}.html", **self.values()), format="html")]


class ChapterMap(OfChapters):
    """All chapters, part by part; `map.js` draws what each one needs and gives."""

    def values(self) -> dict[str, Any]:
        named = {part: names for part, names in chapters.parts().items() if set(names) <= set(CHAPTERS)}
        needed = {chapter: needs(chapter) for chapter in CHAPTERS}
        return {"parts": named, "needed": needed, "data": json.dumps(needed), "title": title, "minutes": minutes}


class ReadingPath(OfChapters):
    """A way through some chapters, named one a line, with its time; ``:reading:`` leaves the exercises out."""

    has_content = True
    option_spec = {"reading": lambda _: True}  # noqa: RUF012, as docutils has it

    def values(self) -> dict[str, Any]:
        reading, working = (sum(part) for part in zip(*map(minutes, self.content), strict=True))
        times = {"reading": hours(reading), "working": "" if "reading" in self.options else hours(working)}
        return {**times, "names": list(self.content), "title": title}


class PlanOfWeeks(OfChapters):
    """The weeks of the course: what each one reads, and how long it takes with its exercises."""

    def values(self) -> dict[str, Any]:
        reading, working = (sum(part) for part in zip(*map(minutes, CHAPTERS), strict=True))
        weeks = [(week, hours(sum(sum(minutes(name)) for name in week.chapters))) for week in WEEKS]
        return {"reading": hours(reading), "working": hours(working), "names": CHAPTERS, "weeks": weeks, "title": title}


class FurtherReading(OfChapters):
    """What each chapter names for further reading, chapter by chapter."""

    def draw(self) -> list[nodes.Node]:
        entries = nodes.definition_list(classes=["further-reading"])
        for name in CHAPTERS:
            reading, link = nodes.definition(), nodes.reference("", title(name), refuri=f"{name}.html", internal=True)
            lines = source(name).partition("\n## Further reading\n")[2].strip().splitlines()
            self.state.nested_parse(StringList(lines, source=name), 0, reading)
            entries += nodes.definition_list_item("", nodes.term("", "", link), reading)
        return [entries]


def add_time(app: Sphinx, doctree: nodes.document) -> None:
    """Say how long a chapter takes, below what it needs."""
    chapter = Path(app.env.docname).name
    for box in list(doctree.findall(nodes.Admonition)) if chapter in CHAPTERS else ():
        if "admonition-in-this-chapter" in box["classes"]:
            reading, working = minutes(chapter)
            text = f" {reading} minutes to read" + (f", {working} for the exercises." if working else ".")
            box += nodes.paragraph("", "", nodes.strong("", "Time:"), nodes.Text(text))
            box += nodes.raw("", '<button type="button" class="code-switch">Hide the code</button>', format="html")
