"""Hand-outs for other tools, which grade with the public cases only, where the tool runs them."""

from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.exercises import Exercise, Report, Write, check
from linebyline.grading.assignment import PUBLIC, Assignment, Essay, Task
from linebyline.grading.bundle import code_cell, hand_out, notebook_of, sections
from linebyline.grading.files import write_json
from linebyline.grading.judge import fraction_of_points

# Where pip finds the package is a variable of the organization or the repository. Classroom reads the two notices.
WORKFLOW = """name: Classroom
on: [push, workflow_dispatch]
permissions: {contents: read}
jobs:
  run-autograding-tests:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    if: github.actor != 'github-classroom[bot]'
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-python@v5
        with: {python-version: "3.12"}
      - name: Install
        env: {CLEARFORMER: "${{ vars.CLEARFORMER }}"}
        run: python -m pip install "clearformer[course] @ $CLEARFORMER"
      - name: Grade
        run: |
          mkdir -p graded/submission
          cp "NAME.ipynb" graded/submission/
          clearformer grade ".github/classroom/NAME.toml" graded/submission -o graded --gradescope --isolate none
          cat graded/feedback/submission.md >> "$GITHUB_STEP_SUMMARY"
      - name: Points
        run: |
          python - <<'END'
          import json, os, sys
          tests = json.load(open("graded/results.json"))["tests"]
          rows = [f"| {test['name']} | {test['score']:g} | {test['max_score']:g} |" for test in tests]
          with open(os.environ["GITHUB_STEP_SUMMARY"], "a") as summary:
              print("", "| Exercise | Points | Of |", "|---|---|---|", *rows, sep="\\n", file=summary)
          points, most = (round(sum(test[key] for test in tests), 2) for key in ("score", "max_score"))
          print(f"::notice title=Autograding complete::Points {points:g}/{most:g}")
          report = json.dumps({"totalPoints": points, "maxPoints": most})
          print(f"::notice title=Autograding report::{report}")
          sys.exit(points < most)
          END
"""
OTTER = """from linebyline.grading.bridges import hold
from otter.test_files import test_case

OK_FORMAT = False
name = "NAME"
"""


def for_nbgrader(assignment: Assignment, course: Path) -> list[Path]:
    """Write the notebook from which nbgrader generates the students', ``source/A1/A1.ipynb`` for ``A1.toml``.

    After each answer comes a locked cell that gives the points by ``check``. Answers are plain cells: nbgrader empties
    a cell that is marked as a solution, and the signature with it. It applies neither late rule, ``may_use`` nor
    ``forbid``, which students are told.
    """
    name = assignment.file.stem
    target = course / "source" / name / f"{name}.ipynb"
    write_json(target, notebook_of(_with_points(part, cells) for part, cells in _named(assignment)))
    return [target]


def for_otter(assignment: Assignment, folder: Path) -> list[Path]:
    """Write the hand-out, and the ``tests/*.py`` of otter-grader's autograder: a case for each law, or exercise.

    otter-grader has no essays, and applies neither late rule, ``may_use`` nor ``forbid``, which students are told.
    """
    files = hand_out(assignment, folder)
    write_json(files[0], notebook_of(cells for _, cells in _named(assignment)))
    for task in assignment.tasks:
        name = task.id.replace(".", "-")
        files.append(folder / "tests" / f"{name}.py")
        write_whole(files[-1], "\n\n".join([OTTER.replace("NAME", name), *_cases(task)]))
    return files


def for_github(assignment: Assignment, repository: Path) -> list[Path]:
    """Write a template repository for GitHub Classroom, whose workflow grades each push with the public cases.

    The secret seed is not read: the seed file in the repository, which must have a name without folders, says so.
    """
    classroom = repository / ".github" / "classroom"
    seed = classroom / assignment.seed_file.relative_to(assignment.file.parent)
    if seed.parent != classroom:
        raise ValueError(f"{assignment.file}: seed_file: expected a name without folders for GitHub, got {seed.name}")
    files = hand_out(assignment, repository)
    workflow = repository / ".github" / "workflows" / "classroom.yml"
    contents = {
        classroom / assignment.file.name: assignment.file.read_text(encoding="utf-8-sig"),
        seed: f"{PUBLIC}\n",
        workflow: WORKFLOW.replace("NAME", assignment.file.stem),
    }
    for file, content in contents.items():
        write_whole(file, content)
    return [*files, *contents]


def score(report: Report, points: float) -> float:
    """Return the points law by law: the fraction of the laws that hold, if the first one holds."""
    pairs = zip(report.results, _weights(report.exercise), strict=False)  # there are no results while it is not solved
    laws = [{"verdict": "holds" if result.ok else "fails", "weight": weight} for result, weight in pairs]
    return round(points * fraction_of_points(laws, "laws"), 2)


def _weights(exercise: Exercise) -> list[int]:
    assert isinstance(exercise, Write)
    return [*(law.weight for law in exercise.laws), 1]  # the last result is about changed arguments


def hold(id: str, answer: Any, law: int | None = None) -> None:
    """Raise an AssertionError with the report if an answer breaks a law: a given one or the first, or else any."""
    report = check(id, answer)
    held = report.passed if law is None else bool(report.results) and all(report.results[i].ok for i in (0, law))
    if not held:
        raise AssertionError(str(report))


def _cases(task: Task) -> list[str]:
    """Return a test case for each law, or one for the exercise."""
    name, laws = task.exercise.entry, [("", task.points)]
    if task.credit == "laws":
        weights = _weights(task.exercise)
        laws = [(f", {place}", task.points * weight / sum(weights)) for place, weight in enumerate(weights)]
    return [
        f"@test_case(points={points!r})\ndef case_{number}({name}):\n    hold({task.id!r}, {name}{law})\n"
        for number, (law, points) in enumerate(laws)
    ]


def _named(assignment: Assignment) -> list[tuple[Task | Essay | None, list[dict[str, Any]]]]:
    """Return the sections of the hand-out; an answer that was only passed to ``check`` gets a name for the test."""
    parts = sections(assignment)
    for part, cells in parts:
        if isinstance(part, Task):
            name = part.exercise.entry
            dots, named = f'check("{part.id}", ...)', f'{name} = ...\ncheck("{part.id}", {name})'
            cells[-1]["source"] = cells[-1]["source"].replace(dots, named)
    return parts


def _with_points(part: Task | Essay | None, cells: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if isinstance(part, Essay):
        cells[-1]["metadata"] = _nbgrader(f"essay-{part.id}", part.points, solution=True)
    if not isinstance(part, Task):
        return cells
    checked = f'report = check("{part.id}", {part.exercise.entry})\n'
    if part.credit == "laws":
        imported, points = "from linebyline.grading.bridges import score", f"score(report, {part.points:g})"
        test = code_cell(f"{imported}\n\n{checked}print(report)\n{points}")
    else:
        test = code_cell(f"{checked}assert report.passed, report")
    test["metadata"] = _nbgrader(part.id.replace(".", "-"), part.points, solution=False)
    return [*cells, test]


def _nbgrader(id: str, points: float, *, solution: bool) -> dict[str, Any]:
    """Mark a cell that gives points: the answer itself, graded by hand, or a locked test of it."""
    kind = {"grade": True, "solution": solution, "locked": not solution, "task": False}
    return {"nbgrader": {**kind, "grade_id": id, "points": points, "schema_version": 3}}
