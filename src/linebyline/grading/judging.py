"""The judge as a process of its own: whatever becomes of it, there is a result."""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from linebyline.grading.judge import Asked, Results, judge_died, request
from linebyline.grading.limits import Limits

COMMAND = (sys.executable, "-m", "linebyline.grading.judge")
# Several judges run side by side, and sums come out the same in every run.
ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


def judge(
    code: str,
    exercises: Sequence[Asked],
    *,
    seed: int | None,
    isolation: str,
    limits: Limits,
    seconds: float = 900.0,
    command: Sequence[str] = COMMAND,
) -> Results:
    """Run a judge on the code of one submission and wait for its results.

    Args:
        code: The code.
        exercises: What is asked.
        seed: The seed of the hidden cases; without one they are the public ones.
        isolation: Where the code runs.
        limits: What it may take.
        seconds: How long the judge may take.
        command: The judge; the request and where to write the results follow as two paths.

    Returns:
        What the judge wrote. If it wrote nothing, no points, the status ``died`` for each exercise, and the reason.
    """
    with tempfile.TemporaryDirectory(prefix="judge-") as folder:
        source, target = Path(folder, "request.json"), Path(folder, "results.json")
        source.touch(mode=0o600)  # it holds the seed
        source.write_text(request(code, exercises, seed=seed, isolation=isolation, limits=limits), encoding="utf-8")
        why = _run([*command, str(source), str(target)], Path(folder, "errors.txt"), seconds)
        if not why:
            try:
                return _checked(json.loads(target.read_text(encoding="utf-8")), exercises)
            except (OSError, ValueError, LookupError, TypeError) as error:
                why = f"it left no results ({type(error).__name__})"
    return judge_died(exercises, why)


def _run(command: Sequence[str], errors: Path, seconds: float) -> str:
    """Run a command in a session of its own; say how it failed, or nothing."""
    with (
        errors.open("wb") as file,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=file,
            env={**os.environ, **ONE_THREAD},
            start_new_session=True,
        ) as process,
    ):
        try:
            code = process.wait(seconds)
        except BaseException as stopped:
            _end(process)
            if isinstance(stopped, subprocess.TimeoutExpired):
                return f"it took more than {seconds:g} seconds"
            raise  # Ctrl-C
        _end(process)
    if not code:
        return ""
    last = errors.read_bytes()[-2000:].decode("utf-8", "replace").strip().splitlines()[-1:]
    ended = f"signal {signal.Signals(-code).name}" if code < 0 else f"status {code}"
    return ": ".join([f"it ended with {ended}", *(line[:200] for line in last)])


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End the judge and all that it has started in its session."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        process.kill()


def _checked(results: Mapping[str, Any], exercises: Sequence[Asked]) -> Results:
    """See that the results are those of these exercises.

    Raises:
        LookupError: they are not.
    """
    if [result["id"] for result in results["exercises"]] != [asked.id for asked in exercises]:
        raise LookupError("results of other exercises")
    return dict(results)
