"""A plan of the course: what is read in which week, and the assignment that goes with it."""

import re
import tomllib
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

from linebyline.chapters import BY_WEEK, CHAPTERS
from linebyline.exercises import Exercise, registry

WORDS_A_MINUTE = 130
LINES_A_MINUTE = 15


@dataclass(frozen=True)
class Week:
    """What is read and done in a week."""

    title: str
    chapters: tuple[str, ...]

    @property
    def exercises(self) -> list[Exercise]:
        """The exercises of its chapters, in the order of the book."""
        return [e for chapter in self.chapters for e in registry().values() if e.id.startswith(f"{chapter}.")]


WEEKS = tuple(Week(title, chapters) for title, chapters in BY_WEEK.items())


@cache
def essays() -> dict[str, dict[str, Any]]:
    """Read the essays: for each chapter a question and a rubric, each line of which is worth a point."""
    found = tomllib.loads(Path(__file__).with_name("essays.toml").read_text(encoding="utf-8"))
    return {chapter: found[chapter] for chapter in CHAPTERS}


def reading_minutes(text: str) -> int:
    r"""Estimate how long a chapter is read: 130 words of prose a minute, 15 lines of code, without its solutions.

    Example:
        >>> reading_minutes("word " * 1300 + "\n```{code-cell}\nx = 1\n" + "x += 1\n" * 29 + "```\n")
        12
    """
    text = re.sub(r"^(`{3,})\{solution-start\}.*?^\1\{solution-end\}.*?^\1$", "", text, flags=re.M | re.S)
    cell = r"^```\{code-cell\}[^\n]*\n(.*?)^```$"
    code = "".join(re.findall(cell, text, flags=re.M | re.S))
    words = len(re.sub(cell, "", text, flags=re.M | re.S).split())
    return round(words / WORDS_A_MINUTE + len(code.splitlines()) / LINES_A_MINUTE)


def assignment_text(number: int, due: datetime, zone: str) -> str:
    """Write the file of a week's assignment: all its exercises, and an essay for each chapter.

    It is ``due`` by the clock on the wall in a ``zone`` such as ``"Europe/Berlin"``.

    Raises:
        ValueError: there is no such week, or the time has an offset: it follows from the zone.

    Example:
        >>> text = assignment_text(11, datetime(2026, 10, 23, 23, 59), "Europe/Berlin")
        >>> sorted({exercise["id"].partition(".")[0] for exercise in tomllib.loads(text)["exercises"]})
        ['sampling']
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
