"""The commands ``clearformer plan``, ``assign`` and ``grade``, which the library finds by an entry point.

So the library imports nothing of the course. After a change of entry points the package must be installed again.
"""

import argparse
import os
import sys
from datetime import datetime
from pathlib import Path
from typing import Any


def add(commands: Any) -> None:
    """Add the commands to what ``add_subparsers`` has returned."""
    plan = commands.add_parser(
        "plan",
        help="write the file of a week's assignment, to be cut to size",
        description="Write weekN.toml with all exercises of a week of the course and an essay for each chapter, and "
        "weekN.seed with the secret number that hidden cases are drawn from. Strike out what you leave out.",
    )
    plan.add_argument("week", metavar="WEEK", type=int, help="which week of the course, from 1")
    plan.add_argument("--due", metavar="TIME", type=_time, required=True, help="2026-10-23T23:59")
    plan.add_argument("--zone", metavar="ZONE", required=True, help="where that is the time, such as Europe/Berlin")
    text = "Write one notebook with the exercises of an assignment, and a README, both without solutions."
    assign = commands.add_parser("assign", help="write the hand-out, without solutions", description=text)
    assign.add_argument("assignment", metavar="A1.toml", type=Path, help="title, due, exercises and essays")
    tools = "nbgrader: write source/A1/A1.ipynb into its course folder; otter: add tests for otter-grader; "
    tools += "github: add a workflow for GitHub Classroom"
    assign.add_argument("--for", metavar="TOOL", dest="tool", choices=("nbgrader", "otter", "github"), help=tools)
    grade = commands.add_parser(
        "grade",
        help="grade submissions, each in a process of its own",
        description="Grade a folder of submissions: files named by the student, or folders so named, also as Moodle "
        "and Canvas name them. What was graded before is not graded again, so an interrupted run continues.",
    )
    grade.add_argument("assignment", metavar="A1.toml", type=Path, help="what was asked")
    grade.add_argument("submissions", metavar="SUBMISSIONS", type=Path, help="the folder of what was handed in")
    grade.add_argument("--student", metavar="ID", help="grade this one, even if it was graded before")
    where = "where code of students runs (default auto: docker or bwrap); none gives it your own rights"
    kinds = ("auto", "docker", "bwrap", "none")
    grade.add_argument("--isolate", dest="isolation", choices=kinds, default="auto", help=where)
    most = os.cpu_count() or 1
    grade.add_argument("--jobs", metavar="N", type=int, default=most, help=f"so many at a time (default {most})")
    one = "SUBMISSIONS holds the files of one student; write results.json, too"
    grade.add_argument("--gradescope", action="store_true", help=one)
    for command, run in ((plan, _plan), (assign, _assign), (grade, _grade)):
        command.add_argument("-o", metavar="FOLDER", dest="folder", type=Path, required=True, help="where to write")
        command.set_defaults(run=run)


def _time(text: str) -> datetime:
    """Read a time of day on a date; a date alone would be the midnight on which it begins."""
    time = datetime.fromisoformat(text)
    if "T" not in text.upper() and ":" not in text:
        raise argparse.ArgumentTypeError(f"{text!r} is a date without a time: expected such as 2026-10-23T23:59")
    return time


def _plan(arguments: argparse.Namespace) -> None:
    from linebyline.grading.assignment import write_assignment
    from linebyline.plan import assignment_text

    text = assignment_text(arguments.week, arguments.due, arguments.zone)
    print(write_assignment(arguments.folder / f"week{arguments.week}.toml", text))


def _assign(arguments: argparse.Namespace) -> None:
    from linebyline.grading.assignment import read_assignment
    from linebyline.grading.bridges import for_github, for_nbgrader, for_otter
    from linebyline.grading.bundle import hand_out

    write = {"nbgrader": for_nbgrader, "otter": for_otter, "github": for_github, None: hand_out}[arguments.tool]
    for file in write(read_assignment(arguments.assignment), arguments.folder):
        print(file)


def _grade(arguments: argparse.Namespace) -> None:
    if sys.platform != "linux":
        reason = f"grading needs what Linux alone has, to keep code of students apart; this is {sys.platform}"
        raise RuntimeError(f"{reason}: use a Linux machine, a virtual one, or WSL on Windows")
    from linebyline.grading.assignment import read_assignment
    from linebyline.grading.controller import grade_all

    options = {name: getattr(arguments, name) for name in ("student", "isolation", "jobs", "gradescope")}
    records = grade_all(read_assignment(arguments.assignment), arguments.submissions, arguments.folder, **options)
    kinds = sorted({record["isolation"] for record in records} - {""})
    print(f"{arguments.folder / 'gradebook.csv'}: {len(records)} submissions, isolation {', '.join(kinds) or 'unused'}")
