"""What tests of grading share: an assignment, submissions, a fake judge, and answers for the real one."""

import csv
import json
import os
from datetime import UTC, datetime
from pathlib import Path

from linebyline.exercises import registry
from linebyline.grading.isolation import Limits
from linebyline.grading.judge import Item, judge_submission

TOML = """
title = "Attention by hand"
due = 2026-10-23T23:59:00
zone = "Europe/Berlin"
seed_file = "a1.seed"

[late]
percent_per_day = 10
last_day = 3

[[exercises]]
id = "attention.weighted_average"
may_use = ["numpy"]
forbid = ["numpy.average"]

[[exercises]]
id = "attention.doubled"

[[exercises]]
id = "attention.softmax"
points = 4
credit = "laws"

[[essays]]
id = "why"
question = "Why are scores divided?"
points = 3
rubric = ["names the spread", "names the softmax"]
"""
HEAD = TOML.split("[[exercises]]")[0]
EVERY_EXERCISE = HEAD + "\n".join(f'[[exercises]]\nid = "{id}"' for id in registry())


def write(folder: Path, text: str = TOML, seed: str = "2026\n") -> Path:
    """Write an assignment and its seed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a1.seed").write_text(seed)
    (folder / "a1.toml").write_text(text)
    return folder / "a1.toml"


IN_TIME = datetime(2026, 10, 23, 12, tzinfo=UTC)
ANSWERED = "def weighted_average(w, v): return w @ v\ndef softmax(z): return z\ncheck('attention.doubled', [1, 2, 3])"


class Judge:
    """Gives all points to code that does not say ``wrong``, and counts what it was asked."""

    def __init__(self):
        self.asked = []

    def __call__(self, code, exercises):
        self.asked.append([asked.entry for asked in exercises])
        if "interrupt" in code:
            raise KeyboardInterrupt
        if "break" in code:
            raise OSError("no space left")
        right = "wrong" not in code
        laws = [
            {"name": "a law", "verdict": "holds" if right else "fails", "why": "" if right else "expected <b>, got `1`"}
        ]
        told = {"status": "passed" if right else "failed", "why": "", "laws": laws}
        points = [asked.points if right else 0.0 for asked in exercises]
        judged = [{"id": a.id, "points": p, "of": a.points, **told} for a, p in zip(exercises, points, strict=True)]
        return {"isolation": "none", "stopped": "", "starts": 1, "exercises": judged}


def hand_in(folder: Path, when: datetime = IN_TIME, **sources: str) -> Path:
    folder.mkdir(exist_ok=True)
    for student, source in sources.items():
        file = folder / f"{student}.py"
        file.write_text(source)
        os.utime(file, (when.timestamp(), when.timestamp()))
    return folder


def rows(folder: Path) -> dict[str, dict[str, str]]:
    with (folder / "gradebook.csv").open(newline="") as file:
        return {row["student"]: row for row in csv.DictReader(file)}


def everything(folder: Path) -> dict[str, str]:
    """All that was written, without the time."""
    found = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
    found["record.json"] = json.dumps({**json.loads(found["record.json"]), "written": ""})
    return found


AVERAGE = "attention.weighted_average"
RIGHT = """
def weighted_average(weights, values):
    if weights.sum() == 0:
        raise ValueError
    return weights @ values / weights.sum()
"""
PLAIN = "def weighted_average(weights, values):\n    return weights @ values / weights.sum()\n"


def judged(code: str, *asked: Item, seed: int = 1, limits: Limits = Limits(law_seconds=20)) -> list[dict]:  # noqa: B008
    results = judge_submission(code, asked, seed=seed, isolation="none", limits=limits)
    assert json.loads(json.dumps(results)) == results
    return results["exercises"]
