"""Grades a folder of submissions: each by a separate judge, and always with a complete gradebook at the end.

What was graded is kept under a hash of all it depends on: submission, time, assignment, seed, versions and the code of
both packages. So an interrupted run continues, and ends with the bytes that it would have had.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path

from tqdm import tqdm

import clearformer
import linebyline
from linebyline.grading.assignment import Assignment
from linebyline.grading.feedback import write_essays, write_feedback, write_gradescope
from linebyline.grading.files import write_json
from linebyline.grading.gradebook import match_students, read_by_hand, write_gradebook
from linebyline.grading.graded import Judge, Record, Submission, grade, missing_record, read_record, received
from linebyline.grading.isolation import Limits, choose
from linebyline.grading.judge import DIED, judge_in_process
from linebyline.grading.similar import similar, write_similar
from linebyline.grading.submission import files_in, find_submissions


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
    """Grade submissions; write the gradebook, feedback, essays, similar pairs and the record of the run to a folder.

    A named ``student`` is graded alone, even if that was done before. With ``gradescope`` the submissions are the
    files of one student, and ``results.json`` is written, too. ``judge_with`` holds code against exercises, by default
    in a process for each submission, ``jobs`` of them at a time, with the ``isolation`` of ``isolation.choose``.

    Raises:
        ValueError: the folder, the seed, the student or an existing gradebook is wrong.
        RuntimeError: no such isolation works on this machine.
    """
    if jobs < 1:
        raise ValueError(f"--jobs: expected 1 or more, got {jobs}")
    if gradescope:
        everyone = [_of_gradescope(submissions, student)]
    else:
        found = find_submissions(submissions)
        everyone = [Submission(name, tuple(files), received(files)) for name, files in found.items()]
    chosen = [submission for submission in everyone if student in (None, submission.student)]
    if not chosen:
        raise ValueError(f"{submissions}: nothing was handed in by {student!r}")
    name = assignment.file.name
    graded = (read_record(folder / "record.json") or {}).get("file", name)
    if graded != name:
        raise ValueError(f"{folder} has the grades of {graded}, not of {name}: name another with -o")
    filled, seed = read_by_hand(folder / "gradebook.csv", assignment), assignment.seed()
    by_hand = match_students(filled, [submission.student for submission in everyone])
    if judge_with is None:
        isolation = choose(isolation)
        judge_with = partial(judge_in_process, seed=seed, isolation=isolation, limits=Limits())
    digest = _sha(assignment.file.read_bytes())
    state = {"assignment": digest, "seed": _sha(str(seed).encode()), "isolation": isolation, "versions": versions()}
    run = partial(_graded, assignment, judge_with, folder, state, student is not None)
    try:
        for record in tqdm(_in_parallel(run, chosen, jobs), total=len(chosen), unit="submission", disable=None):
            write_feedback(folder / "feedback", assignment, record, by_hand.get(record["student"], {}))
    finally:  # after Ctrl-C, too, there is a row for each student
        records = [_record(folder, submission, assignment) for submission in everyone]
        write_gradebook(folder, assignment, records, by_hand)
        digests = {submission.student: submission.digest for submission in everyone}
        written = datetime.now(UTC).isoformat(timespec="seconds")
        write_json(folder / "record.json", {"file": name, **state, "submissions": digests, "written": written})
        if gradescope:
            write_gradescope(folder / "results.json", assignment, records[0])
    if not gradescope:
        cells = {submission.student: submission.read() for submission in everyone}
        write_similar(folder / "similar.csv", similar(assignment.tasks, cells))
        if assignment.essays:
            write_essays(folder / "essays.html", assignment, everyone)
    return records


def versions() -> dict[str, str]:
    """Return the versions on which results depend, and a hash of both packages' code."""
    code = hashlib.sha256()
    for package in (clearformer, linebyline):
        root = Path(str(package.__file__)).parent
        for file in sorted(root.rglob("*.py")):
            code.update(str(file.relative_to(root.parent)).encode() + b"\0" + file.read_bytes())
    libraries = {name: version(name) for name in ("numpy", "scipy", "torch")}
    return {"clearformer": clearformer.__version__, "code": code.hexdigest(), **libraries}


def _of_gradescope(folder: Path, student: str | None) -> Submission:
    """Return what Gradescope has put into a folder, with the time and the number that it wrote beside it."""
    files = tuple(files_in(folder))
    time, name = received(files), student or "submission"
    metadata = read_record(folder.parent / "submission_metadata.json") or {}
    with suppress(LookupError, TypeError, ValueError):  # outside Gradescope there is no such file
        time = datetime.fromisoformat(metadata["created_at"]).astimezone(UTC)
        name = student or str(int(metadata["users"][0]["id"]))
    return Submission(name, files, time)


def _in_parallel(run: Callable[[Submission], Record], submissions: Sequence[Submission], jobs: int) -> Iterator[Record]:
    """Run some at a time; after Ctrl-C those that are running finish, and no other is started."""
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for future in as_completed([pool.submit(run, submission) for submission in submissions]):
                yield future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _graded(
    assignment: Assignment, judge_with: Judge, folder: Path, state: object, again: bool, submission: Submission
) -> Record:
    """Grade one submission and write its record, unless this was done before."""
    target = folder / "records" / f"{submission.student}.json"
    key = _sha(json.dumps([state, submission.digest], sort_keys=True).encode())
    record = None if again else read_record(target)
    if record is None or record.get("key") != key or any(result["status"] == DIED for result in record["exercises"]):
        try:
            record = {**grade(assignment, submission, judge_with), "key": key}
        except Exception as error:  # one submission must not end the batch
            reason = f"not graded: {type(error).__name__}: {str(error)[:200]}"
            record = missing_record(submission.student, assignment, reason)
        write_json(target, record)
    return record


def _record(folder: Path, submission: Submission, assignment: Assignment) -> Record:
    record = read_record(folder / "records" / f"{submission.student}.json")
    if record and [result["id"] for result in record["exercises"]] == [task.id for task in assignment.tasks]:
        return record
    return missing_record(submission.student, assignment, "not graded yet")


def _sha(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
