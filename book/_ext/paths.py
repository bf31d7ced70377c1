"""Ways through the book: what each chapter needs (its *Need* line), how long it takes, a map of all, and paths."""

import html
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import chapters
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from linebyline.chapters import CHAPTERS
from linebyline.plan import WEEKS, Week, reading_minutes

LINK = re.compile(r"\[\]\((\w+)\.md\)|\{ref\}`([\w-]+)`")
NEED = re.compile(r"^\*\*Need:\*\* (.*)$", re.MULTILINE)


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
    """A time in words: minutes up to an hour and a half, then whole hours.

    Example:
        >>> hours(75), hours(200)
        ('75 minutes', '3 hours')
    """
    return f"{total} minutes" if total <= 90 else f"{round(total / 60)} hours"


def _time(names: Sequence[str], *, exercises: bool) -> nodes.paragraph:
    reading, working = (sum(part) for part in zip(*map(minutes, names), strict=True))
    time = f"{hours(reading)} of reading" + (f" and {hours(working)} of exercises" if exercises else "")
    return nodes.paragraph("", f"About {time}, in {len(names)} chapters.", classes=["path-time"])


def _link(name: str) -> nodes.reference:
    return nodes.reference("", title(name), refuri=f"{name}.html", internal=True)


def _way(names: Sequence[str]) -> Iterator[nodes.Node]:
    """A link to each chapter, with arrows between them."""
    for number, name in enumerate(names):
        yield from [nodes.Text(" → ")] * (number > 0)
        yield _link(name)


class OfChapters(SphinxDirective):
    """A directive whose result depends on the text of every chapter."""

    def run(self) -> list[nodes.Node]:
        """Let Sphinx read the page again when a chapter changes."""
        for name in CHAPTERS:
            self.env.note_dependency(str(chapters.ROOT / "book" / f"{name}.md"))
        return self.draw()


class ChapterMap(OfChapters):
    """All chapters, part by part; `map.js` draws what each one needs and gives."""

    def draw(self) -> list[nodes.Node]:
        """One raw node."""
        rows = [_row(part, names) for part, names in chapters.parts().items() if set(names) <= set(CHAPTERS)]
        data = json.dumps({chapter: needs(chapter) for chapter in CHAPTERS})
        told = '<p class="map-told" role="status" aria-live="polite"></p>'
        script = f'<script type="application/json">{data}</script>'
        return [nodes.raw("", f'<div class="chapter-map">{"".join(rows)}{told}{script}</div>\n', format="html")]


def _row(caption: str, names: list[str]) -> str:
    def item(name: str) -> str:
        needed = ", ".join(map(title, needs(name)))  # in words, for readers without a pointer
        words = f'<span class="map-words">needs: {html.escape(needed)}</span>' if needed else ""
        time = f'<span class="map-time">{sum(minutes(name))} min</span>'
        return f'<li><a href="{name}.html" data-chapter="{name}">{html.escape(title(name))}{time}{words}</a></li>'

    return f'<section class="map-part"><h3>{html.escape(caption)}</h3><ol>{"".join(map(item, names))}</ol></section>\n'


class ReadingPath(OfChapters):
    """A way through some chapters, named one a line, with its time; ``:reading:`` leaves the exercises out."""

    has_content = True
    option_spec = {"reading": lambda _: True}  # noqa: RUF012, as docutils has it

    def draw(self) -> list[nodes.Node]:
        """A paragraph with the time, and one with a link to each chapter; refuse a name of no chapter."""
        unknown = [name for name in self.content if name not in CHAPTERS]
        if unknown:
            raise self.error(f"no chapters: {', '.join(unknown)}")
        way = nodes.paragraph("", "", *_way(self.content), classes=["path"])
        return [_time(self.content, exercises="reading" not in self.options), way]


class PlanOfWeeks(OfChapters):
    """The weeks of the course: what each one reads, and how long it takes with its exercises."""

    def draw(self) -> list[nodes.Node]:
        """A paragraph with the time of all, and a list of the weeks."""
        weeks = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        for week in WEEKS:
            total = sum(sum(minutes(name)) for name in week.chapters)
            words = nodes.Text(f"{week.title}, {hours(total)}: ")
            weeks += nodes.list_item("", nodes.paragraph("", "", words, *_way(week.chapters)))
        return [_time(CHAPTERS, exercises=True), weeks]


class FurtherReading(OfChapters):
    """What each chapter names for further reading, chapter by chapter."""

    def draw(self) -> list[nodes.Node]:
        """A list of the chapters, each with what it says."""
        entries = nodes.definition_list(classes=["further-reading"])
        for name in CHAPTERS:
            reading = nodes.definition()
            lines = source(name).partition("\n## Further reading\n")[2].strip().splitlines()
            self.state.nested_parse(StringList(lines, source=name), 0, reading)
            entries += nodes.definition_list_item("", nodes.term("", "", _link(name)), reading)
        return [entries]


def add_time(app: Sphinx, doctree: nodes.document) -> None:
    """Say how long a chapter takes, below what it needs."""
    chapter = Path(app.env.docname).name
    boxes = doctree.findall(
        lambda node: "admonition-in-this-chapter" in getattr(node, "attributes", {}).get("classes", [])
    )
    for box in boxes if chapter in CHAPTERS else ():
        reading, working = minutes(chapter)
        text = f" {reading} minutes to read, {working} for the exercises."
        box += nodes.paragraph("", "", nodes.strong("", "Time:"), nodes.Text(text))
        box += nodes.raw("", '<button type="button" class="code-switch">Hide the code</button>', format="html")
