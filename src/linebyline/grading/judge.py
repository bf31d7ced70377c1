"""The judge of a submission: it holds laws, cases and the seed, asks a worker for answers, and alone writes results.

The worker holds the submission, and sees neither laws nor seed. What it reports about itself is believed, namely which
arguments were changed and how much memory a call took; a right answer could lie about both. The judge runs in a process
of its own, ``python -m linebyline.grading.judge REQUEST.json RESULTS.json``.
"""

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from clearformer.files import write_whole
from linebyline.exercises import Exercise, Result, Write, registry
from linebyline.exercises.core import Law, find
from linebyline.exercises.core.exercise import random_cases
from linebyline.exercises.core.laws import how_broken, unmodified
from linebyline.exercises.core.on_copies import OnCopies
from linebyline.grading.isolation import KINDS, ONE_THREAD, IsolationError, Limits, choose, strip_package
from linebyline.grading.worker_client import DeadlineExceeded, RemoteAnswer, Worker, deadline

Results = dict[str, Any]
DIED = "died"
COMMAND = (sys.executable, "-m", "linebyline.grading.judge")


@dataclass(frozen=True)
class Item:
    """An exercise to judge; ``entry``, the name of the answer, and ``points`` are the registry's unless given.

    ``credit`` is ``"all"``, or ``"laws"``: the fraction of the laws that hold, by weight, if the first one holds.
    """

    id: str
    entry: str = ""
    points: float | None = None
    credit: str = "all"


def judge_in_process(
    code: str,
    items: Sequence[Item],
    *,
    seed: int | None,
    isolation: str,
    limits: Limits,
    seconds: float = 900.0,
    command: Sequence[str] = COMMAND,
) -> Results:
    """Run ``judge_submission`` in a process of its own, which may take so many ``seconds``, and return its results.

    Whatever becomes of the process, there is a result: without one from it that of ``judge_died``.
    """
    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        source, target = Path(folder, "request.json"), Path(folder, "results.json")
        source.touch(mode=0o600)  # it holds the seed
        source.write_text(request(code, items, seed=seed, isolation=isolation, limits=limits), encoding="utf-8")
        reason = _run([*command, str(source), str(target)], Path(folder, "errors.txt"), seconds)
        if not reason:
            try:
                results: Results = json.loads(target.read_text(encoding="utf-8"))
                if [result["id"] for result in results["exercises"]] == [item.id for item in items]:
                    return results
                raise LookupError
            except (OSError, ValueError, LookupError, TypeError) as error:
                reason = f"it left no results ({type(error).__name__})"
    return judge_died(items, reason)


def _run(command: Sequence[str], errors: Path, seconds: float) -> str:
    """Run a command in a session of its own, which ends with it; return how it failed, or nothing."""
    environment = {**os.environ, **ONE_THREAD}  # judges run side by side, and sums come out the same in every run
    options: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "env": environment}
    with (
        errors.open("wb") as file,
        subprocess.Popen(command, stderr=file, start_new_session=True, **options) as process,
    ):
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"it took more than {seconds:g} seconds"
        finally:  # after Ctrl-C, too
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                process.kill()
    if not status:
        return ""
    last = errors.read_bytes()[-2000:].decode("utf-8", "replace").strip().splitlines()[-1:]
    ended = f"signal {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    return ": ".join([f"it ended with {ended}", *(line[:200] for line in last)])


def request(code: str, items: Sequence[Item], *, seed: int | None, isolation: str, limits: Limits) -> str:
    """Return the JSON that ``main`` reads."""
    fields = {"code": code, "exercises": items, "seed": seed, "isolation": isolation, "limits": limits}
    return json.dumps(fields, default=asdict)


def main(args: Sequence[str]) -> None:
    """Judge one submission; the results are written whole or not at all."""
    source, target = map(Path, args)
    fields = json.loads(source.read_text())
    source.unlink()  # it holds the seed
    limit_judge()
    items, fields["limits"] = [Item(**item) for item in fields.pop("exercises")], Limits(**fields["limits"])
    write_whole(target, json.dumps(judge_submission(fields.pop("code"), items, **fields), indent=1))


def limit_judge(data_bytes: int = 6 * 2**30) -> None:
    """Limit the memory of this process, which reads what strangers send, and let no other process read it."""
    resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pr_set_dumpable = 4
    if ctypes.CDLL(None).prctl(pr_set_dumpable, 0, 0, 0, 0) != 0:
        raise OSError("this process could not be made non-dumpable")


def judge_submission(
    code: str,
    items: Sequence[Item],
    *,
    seed: int | None,
    isolation: str = "auto",
    limits: Limits = Limits(),  # noqa: B008, it cannot be changed
) -> Results:
    """Hold the answers of a submission against the laws; in the main thread, since deadlines are signals.

    Without a seed the cases are the public ones, on which a student's own ``check`` runs. An ``IsolationError`` says
    that the requested isolation does not work here.

    Returns:
        What JSON can hold: the ``isolation``, where the code ``stopped`` (empty if it ran to its end), how many times
        the worker ``starts``, and for each of the ``exercises``, in order, its ``id``, ``points``, ``of`` how many,
        ``status`` (``passed``, ``failed``, ``unsolved``, ``missing``), ``why``, and its ``laws``: ``name``,
        ``verdict`` (``holds``, ``fails``, ``skipped``), ``why`` and ``weight``.
    """
    random_cases(seed)  # refuses a negative seed
    pairs = [(item, find(registry(), item.id)) for item in items]
    kind = isolation if isolation in KINDS else choose(isolation)  # a named one is tried by starting the worker
    with tempfile.TemporaryDirectory() as folder:
        worker = Worker(code, kind, strip_package(Path(folder)), limits)
        try:
            judged = [_judge(worker, item, exercise, seed) for item, exercise in pairs]
        finally:
            worker.stop()
    return {"isolation": kind, "stopped": worker.stopped, "starts": worker.starts, "exercises": judged}


def judge_died(items: Sequence[Item], reason: str) -> Results:
    """Return the results of a submission whose judge did not finish: no points, status ``died`` and the reason."""
    judged = [_outcome(item, find(registry(), item.id), DIED, f"the judge died: {reason}", []) for item in items]
    return {"isolation": "unknown", "stopped": "", "starts": 0, "exercises": judged}


def _judge(worker: Worker, item: Item, exercise: Exercise, seed: int | None) -> dict[str, Any]:
    entry = item.entry or exercise.entry
    if reason := worker.ready():
        return _outcome(item, exercise, "failed", reason, _skipped(exercise))
    try:
        if worker.ask_in_time("has", item.id, entry) is not True:
            return _outcome(item, exercise, "missing", f"there is no answer named {entry}", [])
        if isinstance(exercise, Write):
            laws = _hold(worker, RemoteAnswer(worker, item.id, entry), exercise, seed)
        else:
            value = worker.ask_in_time("value", item.id, entry)
            laws = [_law(result) for result in exercise.examine(value, seed=seed).results]
    except IsolationError:
        raise
    except (DeadlineExceeded, Exception) as error:
        worker.stop()
        return _outcome(item, exercise, "failed", f"no answer came ({type(error).__name__})", _skipped(exercise))
    status = "passed" if all(law["verdict"] == "holds" for law in laws) else "failed"
    return _outcome(item, exercise, status if laws else "unsolved", "", laws)


def _hold(worker: Worker, answer: RemoteAnswer, exercise: Write, seed: int | None) -> list[dict[str, Any]]:
    """Hold an answer against each law, until one exceeds its deadline; return nothing if it is not implemented yet."""
    on_copies, seconds = OnCopies(answer), worker.limits.law_seconds
    laws: list[dict[str, Any]] = []
    for number, law in enumerate(exercise.laws):
        if worker.ready():
            return laws + _skipped(exercise)[number:]
        try:
            with deadline(seconds):
                broken = how_broken(law, on_copies, random_cases(seed, number))
        except NotImplementedError:
            return []
        except DeadlineExceeded:
            worker.stop()
            late = f"expected an end within {seconds:g} seconds, got none"
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
    return [{"name": name, "verdict": "skipped", "why": "", "weight": 1} for name in names]


def _outcome(item: Item, exercise: Exercise, status: str, why: str, laws: list[dict[str, Any]]) -> dict[str, Any]:
    of = exercise.points if item.points is None else item.points
    earned = fraction_of_points(laws, item.credit) if status in ("passed", "failed") else 0.0
    return {"id": item.id, "points": round(of * earned, 2), "of": of, "status": status, "why": why, "laws": laws}


def fraction_of_points(laws: list[dict[str, Any]], credit: str) -> float:
    """Return the fraction of the points; the first law, which an answer that does nothing breaks, must hold."""
    held = [law for law in laws if law["verdict"] == "holds"]
    if not held or held[0] is not laws[0] or (credit == "all" and len(held) < len(laws)):
        return 0.0
    return float(sum(law["weight"] for law in held) / sum(law["weight"] for law in laws))


if __name__ == "__main__":
    main(sys.argv[1:])
