"""Ways through the book: what each chapter needs and gives, how long it takes, a map of all, and paths with times.

What a chapter needs is read from its *Need* line, so that map and chapters agree.
"""

import html
import json
import re
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import chapters
from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.application import Sphinx

from linebyline.chapters import CHAPTERS
from linebyline.plan import WEEKS, Week, reading_minutes

BOOK = chapters.ROOT / "book"
LINK = re.compile(r"\[\]\((\w+)\.md\)|\{ref\}`([\w-]+)`")
LINE = r"^\*\*{}:\*\* (.*)$"


@cache
def source(chapter: str) -> str:
    """The text of a chapter."""
    return (BOOK / f"{chapter}.md").read_text(encoding="utf-8")


def title(chapter: str) -> str:
    """What a chapter is called."""
    return source(chapter).partition("\n# ")[2].partition("\n")[0]


@cache
def needs(chapter: str) -> tuple[str, ...]:
    """The chapters that the *Need* line of a chapter names, in the order of the book."""
    line = re.search(LINE.format("Need"), source(chapter), re.MULTILINE)
    assert line is not None, f"{chapter} does not say what it needs"
    named = {page or _chapter_of(label) for page, label in LINK.findall(line[1])}
    return tuple(other for other in CHAPTERS if other in named)


def _chapter_of(label: str) -> str:
    return next(chapter for chapter in CHAPTERS if f"\n({label})=\n" in source(chapter))


@cache
def minutes(chapter: str) -> tuple[int, int]:
    """How long a chapter is read, and how long its exercises take."""
    return reading_minutes(source(chapter)), sum(exercise.minutes for exercise in Week("", (chapter,)).exercises)


def hours(total: int) -> str:
    """A time in words: minutes up to an hour and a half, then whole hours.

    Example:
        >>> hours(75), hours(200)
        ('75 minutes', '3 hours')
    """
    return f"{total} minutes" if total <= 90 else f"{round(total / 60)} hours"


class ChapterMap(Directive):
    """Draw all chapters, part by part; the script of the page draws what each one needs and gives."""

    def run(self) -> list[nodes.Node]:
        """Give one raw node."""
        drawn = [_row(part, names) for part, names in chapters.parts().items() if set(names) <= set(CHAPTERS)]
        data = {chapter: needs(chapter) for chapter in CHAPTERS}
        return [
            nodes.raw(
                "",
                f'<div class="chapter-map">{"".join(drawn)}\n<p class="map-told" role="status" aria-live="polite">'
                "</p>\n"
                f'<script type="application/json">{json.dumps(data)}</script></div>\n',
                format="html",
            )
        ]


def _row(caption: str, names: list[str]) -> str:
    links = "".join(
        f'<li><a href="{name}.html" data-chapter="{name}">{html.escape(title(name))}'
        f'<span class="map-time">{sum(minutes(name))} min</span>{_needs_in_words(name)}</a></li>'
        for name in names
    )
    return f'<section class="map-part"><h3>{html.escape(caption)}</h3><ol>{links}</ol></section>\n'


def _needs_in_words(chapter: str) -> str:
    """What a chapter needs, for who has nothing to point with."""
    names = ", ".join(title(other) for other in needs(chapter))
    return f'<span class="map-words">needs: {html.escape(names)}</span>' if names else ""


class ReadingPath(Directive):
    """A way through some chapters, named one a line, with its time; ``:reading:`` leaves the exercises out."""

    has_content = True
    option_spec = {"reading": lambda _: True}  # noqa: RUF012, as docutils has it

    def run(self) -> list[nodes.Node]:
        """Give a paragraph with a link to each chapter, and one with the time.

        Raises:
            DirectiveError: there is no chapter of a name.
        """
        unknown = [name for name in self.content if name not in CHAPTERS]
        if unknown:
            raise self.error(f"no chapters: {', '.join(unknown)}")
        way = nodes.paragraph("", "", *_way(self.content), classes=["path"])
        return [_time(self.content, exercises="reading" not in self.options), way]


class PlanOfWeeks(Directive):
    """The weeks of the course: what each one reads, and how long it takes with its exercises."""

    def run(self) -> list[nodes.Node]:
        """Give a paragraph with the time of all, and a list of the weeks."""
        weeks = nodes.enumerated_list(enumtype="arabic", prefix="", suffix=".")
        for week in WEEKS:
            total = sum(sum(minutes(name)) for name in week.chapters)
            said = nodes.paragraph("", f"{week.title}, {hours(total)}: ")
            said.extend(_way(week.chapters))
            weeks += nodes.list_item("", said)
        return [_time(CHAPTERS, exercises=True), weeks]


def _time(names: Sequence[str], *, exercises: bool) -> nodes.paragraph:
    reading, working = (sum(part) for part in zip(*map(minutes, names), strict=True))
    time = f"{hours(reading)} of reading" + (f" and {hours(working)} of exercises" if exercises else "")
    return nodes.paragraph("", f"About {time}, in {len(names)} chapters.", classes=["path-time"])


def _way(names: Sequence[str]) -> Iterator[nodes.Node]:
    """A link to each chapter, with arrows between them."""
    for number, name in enumerate(names):
        if number:
            yield nodes.Text(" → ")
        yield nodes.reference("", title(name), refuri=f"{name}.html", internal=True)


class FurtherReading(Directive):
    """What each chapter names for further reading, chapter by chapter."""

    def run(self) -> list[nodes.Node]:
        """Give a list of the chapters, each with what it says."""
        entries = nodes.definition_list(classes=["further-reading"])
        for name in CHAPTERS:
            said = nodes.definition()
            lines = source(name).partition("\n## Further reading\n")[2].strip().splitlines()
            self.state.nested_parse(StringList(lines, source=name), 0, said)
            chapter = nodes.term("", "", nodes.reference("", title(name), refuri=f"{name}.html", internal=True))
            entries += nodes.definition_list_item("", chapter, said)
        return [entries]


def add_time(app: Sphinx, doctree: nodes.document) -> None:
    """Say how long a chapter takes, below what it needs."""
    chapter = Path(app.env.docname).name
    if chapter not in CHAPTERS:
        return
    reading, working = minutes(chapter)
    for box in doctree.findall(nodes.Admonition):
        if "admonition-in-this-chapter" in box["classes"]:
            text = f" {reading} minutes to read, {working} for the exercises."
            box += nodes.paragraph("", "", nodes.strong("", "Time:"), nodes.Text(text))
            box += nodes.raw("", '<button type="button" class="code-switch">Hide the code</button>', format="html")
            return
