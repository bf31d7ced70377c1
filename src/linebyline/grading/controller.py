"""Grades a folder of submissions: each by a judge of its own, and in the end there is always a whole gradebook."""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from tqdm import tqdm

import clearformer
import linebyline
from linebyline.grading.assignment import Assignment
from linebyline.grading.essays import write_essays
from linebyline.grading.feedback import write_feedback, write_gradescope
from linebyline.grading.files import write_json
from linebyline.grading.gradebook import by_names, missing, read_by_hand, write_gradebook
from linebyline.grading.graded import Handed, Judge, Record, grade, read_handed, read_record, received
from linebyline.grading.isolation import Limits, choose
from linebyline.grading.judge import DIED, judge_in_process
from linebyline.grading.similar import similar, write_similar
from linebyline.grading.submission import files_in, find_submissions

LIBRARIES = ("numpy", "scipy", "torch")


def grade_all(
    assignment: Assignment,
    submissions: Path,
    folder: Path,
    *,
    student: str | None = None,
    isolation: str = "auto",
    jobs: int = 1,
    gradescope: bool = False,
    judge_with: Judge | None = None,
) -> list[Record]:
    """Grade submissions and write all that comes of it.

    What was graded before, with the same files, seed and package, is not graded again: an interrupted run goes on.

    Args:
        assignment: What was asked.
        submissions: The folder of all submissions; of the files of one student with ``gradescope``.
        folder: Where to write.
        student: Grade this one only, even if it was graded before.
        isolation: Where code runs, see ``isolation.choose``.
        jobs: How many submissions at a time.
        gradescope: Write ``results.json``, too.
        judge_with: What holds code against exercises; a process each when left out.

    Returns:
        The records, by student.

    Raises:
        ValueError: the folder, the seed, the student or the gradebook that is there is wrong.
        RuntimeError: there is no such isolation on this machine.
    """
    if jobs < 1:
        raise ValueError(f"--jobs: expected 1 or more, got {jobs}")
    all_handed = [_of_gradescope(submissions, student)] if gradescope else _handed(submissions)
    chosen = [handed for handed in all_handed if student in (None, handed.student)]
    if not chosen:
        raise ValueError(f"{submissions}: nothing was handed in by {student!r}")
    _refuse_grades_of_another(folder, assignment)
    filled, seed = read_by_hand(folder / "gradebook.csv", assignment), assignment.seed()
    by_hand = by_names(filled, [handed.student for handed in all_handed])
    if judge_with is None:
        isolation = choose(isolation)
        judge_with = partial(judge_in_process, seed=seed, isolation=isolation, limits=Limits())
    state = {"assignment": assignment.digest, "seed": _sha(str(seed)), "isolation": isolation, "versions": versions()}
    run = partial(_graded, assignment, judge_with, folder, state, student is not None)
    try:
        for record in tqdm(_in_parallel(run, chosen, jobs), total=len(chosen), unit="submission", disable=None):
            write_feedback(folder / "feedback", assignment, record, by_hand.get(record["student"], {}))
    finally:  # after Ctrl-C, too, there is a row for each student
        records = [_record(folder, handed, assignment) for handed in all_handed]
        write_gradebook(folder, assignment, records, by_hand)
        digests = {handed.student: handed.digest for handed in all_handed}
        now = datetime.now(UTC).isoformat(timespec="seconds")
        told = {"file": assignment.file.name, **state, "submissions": digests, "written": now}
        write_json(folder / "record.json", told)
        if gradescope:
            write_gradescope(folder / "results.json", assignment, records[0])
    if not gradescope:
        cells = {handed.student: read_handed(handed)[0] for handed in all_handed}
        write_similar(folder / "similar.csv", similar(assignment.tasks, cells))
        if assignment.essays:
            write_essays(folder / "essays.html", assignment, all_handed)
    return records


def versions() -> dict[str, str]:
    """Name the versions on which results depend, and a hash of both packages' code."""
    code = hashlib.sha256()
    for package in (clearformer, linebyline):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            code.update(str(file.relative_to(root.parent)).encode() + b"\0" + file.read_bytes())
    found = {"clearformer": clearformer.__version__, "code": code.hexdigest()}
    for name in LIBRARIES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def _refuse_grades_of_another(folder: Path, assignment: Assignment) -> None:
    name = (read_record(folder / "record.json") or {}).get("file", assignment.file.name)
    if name != assignment.file.name:
        raise ValueError(f"{folder} has the grades of {name}, not of {assignment.file.name}: name another with -o")


def _handed(submissions: Path) -> list[Handed]:
    found = find_submissions(submissions)
    return [Handed(student, tuple(files), received(files)) for student, files in found.items()]


def _of_gradescope(folder: Path, student: str | None) -> Handed:
    """Return what Gradescope has put into a folder, with the time and the number that it wrote beside it."""
    files = tuple(files_in(folder))
    time, name = received(files), student or "submission"
    beside = read_record(folder.parent / "submission_metadata.json") or {}
    try:
        time = datetime.fromisoformat(beside["created_at"]).astimezone(UTC)
        name = student or str(int(beside["users"][0]["id"]))
    except (LookupError, TypeError, ValueError):
        pass  # tried at home, there is no such file
    return Handed(name, files, time)


def _in_parallel(run: Callable[[Handed], Record], handed: Sequence[Handed], jobs: int) -> Iterator[Record]:
    """Run some at a time; no more is held in memory than is running."""
    waiting = iter(handed)
    with ThreadPoolExecutor(jobs) as pool:
        running: set[Future[Record]] = set()
        while True:
            for one in waiting:
                running.add(pool.submit(run, one))
                if len(running) == jobs:
                    break
            if not running:
                return
            done, running = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                yield future.result()


def _graded(
    assignment: Assignment, judge_with: Judge, folder: Path, state: Mapping[str, object], anew: bool, handed: Handed
) -> Record:
    """Grade one submission and write its record, unless this was done before."""
    target = folder / "records" / f"{handed.student}.json"
    key = _sha(json.dumps([state, handed.digest], sort_keys=True))
    before = None if anew else read_record(target)
    record = before if before and before.get("key") == key else None
    if record is None or any(result["status"] == DIED for result in record["exercises"]):
        try:
            record = {**grade(assignment, handed, judge_with), "key": key}
        except Exception as error:  # one submission must not end the batch
            record = missing(handed.student, assignment, f"not graded: {type(error).__name__}: {str(error)[:200]}")
        write_json(target, record)
    return record


def _record(folder: Path, handed: Handed, assignment: Assignment) -> Record:
    found = read_record(folder / "records" / f"{handed.student}.json")
    asked = [task.id for task in assignment.tasks]
    if found and [result["id"] for result in found["exercises"]] == asked:
        return found
    return missing(handed.student, assignment, "not graded yet")


def _sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
