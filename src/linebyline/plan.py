"""A plan of the course: what is read in which week, and the assignment that goes with it."""

import re
import tomllib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from linebyline.chapters import BY_WEEK, CHAPTERS, chapter_of
from linebyline.exercises import Exercise, registry

WORDS_A_MINUTE = 200
CELL_MINUTES = 0.75  # for a code cell that is shown
FIGURE_MINUTES = 2
CELL = re.compile(r"^(`{3,})\{code-cell\}[^\n]*\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
# A cell whose output has a caption, or that draws with the package.
FIGURE = re.compile(r"^\s+figure:$|^(?:_ = )?(?:figures|drawings)\.(?!plot_style\b)\w+\(", re.MULTILINE)


@dataclass(frozen=True)
class Week:
    """What is read and done in a week."""

    title: str
    chapters: tuple[str, ...]

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises of its chapters, in the order in which they are read."""
        return [e for chapter in self.chapters for e in registry().values() if chapter_of(e.id) == chapter]


WEEKS = tuple(Week(title, chapters) for title, chapters in BY_WEEK.items())


@cache
def essays() -> dict[str, dict[str, Any]]:
    """Read the essays: for each chapter a question and a rubric, each line of which is worth a point."""
    found = tomllib.loads(Path(__file__).with_name("essays.toml").read_text(encoding="utf-8"))
    return {chapter: found[chapter] for chapter in CHAPTERS}


def reading_minutes(text: str) -> int:
    r"""Estimate how long a chapter is read, its exercises left out.

    200 words of prose take a minute, a code cell that is shown 45 seconds, and a figure two minutes.

    Example:
        >>> cell = "```{code-cell}\nx = 1\n```\n"
        >>> figure = "```{code-cell}\n:tags: [hide-input]\nfigures.rotation()\n```\n"
        >>> reading_minutes("word " * 2000 + "\n" + 4 * cell + figure)
        15
    """
    text = re.sub(r"\A---\n.*?^---$|^## Exercises$.*?(?=^## Further reading$|\Z)", "", text, flags=re.M | re.S)
    cells = [cell for _, cell in CELL.findall(text)]
    words, figures = len(CELL.sub("", text).split()), sum(bool(FIGURE.search(cell)) for cell in cells)
    shown = sum(not re.search(r"^:?tags: .*\b(?:remove|hide)-input\b", cell, flags=re.M) for cell in cells)
    return round(words / WORDS_A_MINUTE + CELL_MINUTES * shown + FIGURE_MINUTES * figures)


def assignment_text(number: int, due: datetime, zone: str) -> str:
    """Write the file of a week's assignment: all its exercises, and an essay for each chapter.

    It is ``due`` by the clock on the wall in a ``zone`` such as ``"Europe/Berlin"``.

    Raises:
        ValueError: there is no such week, or the time has an offset: it follows from the zone.

    Example:
        >>> text = assignment_text(4, datetime(2026, 10, 23, 23, 59), "Europe/Berlin")
        >>> sorted({exercise["id"].partition(".")[0] for exercise in tomllib.loads(text)["exercises"]})
        ['length_generalization', 'multi_head_attention', 'relative_positions']
    """
    if not 1 <= number <= len(WEEKS):
        raise ValueError(f"week {number}: expected one of 1 to {len(WEEKS)}")
    if due.tzinfo:
        raise ValueError(f"due {due}: expected a local time, without an offset: the offset follows from {zone}")
    week = WEEKS[number - 1]
    parts = [
        f'title = "{number}. {week.title}"\ndue = {due:%Y-%m-%dT%H:%M:%S}\nzone = "{zone}"\n'
        f'seed_file = "week{number}.seed"  # no student may see it\n'
        '# package = "git+https://..."  # what the first cell of the hand-out installs the course from',
        "# [late]  # without these lines late work counts in full, and students are told nothing of it\n"
        "# percent_per_day = 10\n# last_day = 3",
    ]
    parts += [
        f'[[exercises]]\nid = "{e.id}"  # {e.kind}, {e.difficulty}, {e.minutes} minutes\npoints = {e.points}'
        for e in week.exercises
    ]
    for chapter in week.chapters:
        essay = essays()[chapter]
        rubric = "".join(f'\n  "{line}",' for line in essay["rubric"])
        parts.append(
            f'[[essays]]\nid = "{chapter}"\nquestion = "{essay["question"]}"\n'
            f"points = {len(essay['rubric'])}\nrubric = [{rubric}\n]"
        )
    return "\n\n".join(parts) + "\n"
