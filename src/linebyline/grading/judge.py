"""The judge of a submission: it holds laws, cases and the seed, asks a worker for answers, and alone writes results.

It is run in a process of its own: ``python -m linebyline.grading.judge REQUEST.json RESULTS.json``.
"""

import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.exercises import Exercise, Result, Write, registry
from linebyline.exercises.core import Law, find
from linebyline.exercises.core.exercise import random_cases
from linebyline.exercises.core.laws import how_broken, unmodified
from linebyline.exercises.core.on_copies import OnCopies
from linebyline.grading.isolation import KINDS, IsolationError, choose, strip_package
from linebyline.grading.limits import Limits, limit_judge
from linebyline.grading.remote import Late, RemoteAnswer, Worker, deadline

Results = dict[str, Any]
SKIPPED = "skipped"
DIED = "died"


@dataclass(frozen=True)
class Asked:
    """An exercise of an assignment.

    ``entry`` and ``points`` are the registry's unless given. ``credit`` is ``"all"``, all points or none, or
    ``"laws"``: the fraction of the laws that hold, by their weights, if the first one holds.

    Raises:
        ValueError: there is no such rule for points.
    """

    id: str
    entry: str = ""
    points: float | None = None
    credit: str = "all"

    def __post_init__(self) -> None:
        if self.credit not in ("all", "laws"):
            raise ValueError(f"{self.id}: expected 'all' or 'laws' as credit, got {self.credit!r}")


def judge_submission(
    code: str,
    exercises: Sequence[Asked],
    *,
    seed: int | None,
    isolation: str = "auto",
    limits: Limits = Limits(),  # noqa: B008, it cannot be changed
) -> Results:
    """Hold the answers of a submission against the laws; in the main thread, since deadlines are signals.

    Args:
        code: The submission, as Python.
        exercises: What was asked for.
        seed: Seed of the random cases; without one the public ones, which a student's own `check` draws.
        isolation: ``"docker"``, ``"bwrap"``, ``"none"``, or ``"auto"`` for the first two.
        limits: What the submission may take.

    Returns:
        What JSON can hold: the ``isolation``, where the code ``stopped`` (nothing if it came to its end), how many
        times the worker ``starts``, and for each of the ``exercises``, in their order, its ``id``, ``points``, ``of``
        how many, ``status`` (``passed``, ``failed``, ``unsolved``, ``missing``), ``why``, and its ``laws``: ``name``,
        ``verdict`` (``holds``, ``fails``, ``skipped``), ``why`` and ``weight``.

    Raises:
        KeyError: no exercise has such an id.
        IsolationError: no isolation works here, or not the one asked for.
        ValueError: the seed is negative.
    """
    random_cases(seed)  # refuses a seed that is none
    known = registry()
    pairs = [(asked, find(known, asked.id)) for asked in exercises]
    kind = isolation if isolation in KINDS else choose(isolation)  # a named one is tried by starting the worker
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(code, kind, strip_package(Path(folder)), limits)
        try:
            judged = [_judge(worker, asked, exercise, seed, limits) for asked, exercise in pairs]
        finally:
            worker.stop()
    return {"isolation": kind, "stopped": worker.stopped, "starts": worker.starts, "exercises": judged}


def judge_died(exercises: Sequence[Asked], why: str) -> Results:
    """Return the results of a submission whose judge did not come to its end: no points, status ``died`` and why."""
    known = registry()
    judged = [_outcome(asked, find(known, asked.id), DIED, f"the judge died: {why}", []) for asked in exercises]
    return {"isolation": "unknown", "stopped": "", "starts": 0, "exercises": judged}


def _judge(worker: Worker, asked: Asked, exercise: Exercise, seed: int | None, limits: Limits) -> dict[str, Any]:
    entry = asked.entry or exercise.entry
    why = worker.ready()
    if why:
        return _outcome(asked, exercise, "failed", why, _skipped(exercise))
    try:
        with deadline(limits.law_seconds):
            found = worker.ask("has", asked.id, entry)
        if found is not True:
            return _outcome(asked, exercise, "missing", f"there is no answer named {entry}", [])
        if isinstance(exercise, Write):
            laws = _hold(worker, RemoteAnswer(worker, asked.id, entry), exercise, seed, limits)
        else:
            with deadline(limits.law_seconds):
                value = worker.ask("value", asked.id, entry)
            results = exercise.examine(value, seed=seed).results
            laws = [_law(result) for result in results]
    except IsolationError:
        raise
    except (Late, Exception) as error:
        worker.stop()
        return _outcome(asked, exercise, "failed", f"no answer came ({type(error).__name__})", _skipped(exercise))
    status = "passed" if all(law["verdict"] == "holds" for law in laws) else "failed"
    return _outcome(asked, exercise, status if laws else "unsolved", "", laws)


def _hold(
    worker: Worker, answer: RemoteAnswer, exercise: Write, seed: int | None, limits: Limits
) -> list[dict[str, Any]]:
    """Hold an answer against each law; nothing if there is no answer yet. After a law that came late none is tried."""
    on_copies = OnCopies(answer)
    laws: list[dict[str, Any]] = []
    for number, law in enumerate(exercise.laws):
        why = worker.ready()
        if why:
            return laws + _skipped(exercise)[number:]
        try:
            with deadline(limits.law_seconds):
                broken = how_broken(law, on_copies, random_cases(seed, number))
        except NotImplementedError:
            return []
        except Late:
            worker.stop()
            late = f"expected an end within {limits.law_seconds:g} seconds, got none"
            return [*laws, _law(Result(law.name, False, late), law), *_skipped(exercise)[number + 1 :]]
        laws.append(_law(Result(law.name, not broken, broken), law))
    return [*laws, _law(unmodified(on_copies.changed | answer.changed))]


def _law(result: Result, law: Law | None = None) -> dict[str, Any]:
    verdict = "holds" if result.ok else "fails"
    return {"name": result.name, "verdict": verdict, "why": result.message[:1000], "weight": law.weight if law else 1}


def _skipped(exercise: Exercise) -> list[dict[str, Any]]:
    if not isinstance(exercise, Write):
        return []
    names = [*(law.name for law in exercise.laws), unmodified(set()).name]
    return [{"name": name, "verdict": SKIPPED, "why": "", "weight": 1} for name in names]


def _outcome(asked: Asked, exercise: Exercise, status: str, why: str, laws: list[dict[str, Any]]) -> dict[str, Any]:
    of = exercise.points if asked.points is None else asked.points
    earned = fraction_of_points(laws, asked.credit) if status in ("passed", "failed") else 0.0
    return {"id": asked.id, "points": round(of * earned, 2), "of": of, "status": status, "why": why, "laws": laws}


def fraction_of_points(laws: list[dict[str, Any]], credit: str) -> float:
    """Return the fraction of the points; a law that nobody could break by doing nothing must hold first."""
    held = [law["verdict"] == "holds" for law in laws]
    if not held or not held[0] or (credit == "all" and not all(held)):
        return 0.0
    weights = [law["weight"] for law in laws]
    return float(sum(w for w, h in zip(weights, held, strict=True) if h) / sum(weights))


def request(code: str, exercises: Sequence[Asked], *, seed: int | None, isolation: str, limits: Limits) -> str:
    """Write what ``main`` reads."""
    asked = [asdict(exercise) for exercise in exercises]
    told = {"code": code, "exercises": asked, "seed": seed, "isolation": isolation, "limits": asdict(limits)}
    return json.dumps(told)


def main(args: Sequence[str]) -> None:
    """Judge one submission.

    The request holds the seed, so it is removed once it was read. The results are written whole or not at all: if there
    are none, or if this process ended with an error, ``judge_died`` is what there is to say.
    """
    source, target = map(Path, args)
    told: Mapping[str, Any] = json.loads(source.read_text())
    source.unlink()
    limit_judge()
    results = judge_submission(
        told["code"],
        [Asked(**asked) for asked in told["exercises"]],
        seed=told["seed"],
        isolation=told["isolation"],
        limits=Limits(**told["limits"]),
    )
    write_whole(target, json.dumps(results, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
