"""The process that holds a submission: it runs the code, then calls its functions as it is asked.

It runs where the package has no course beside these few files. What it says of itself is a stranger's word.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import types
from typing import Any

from linebyline.exercises.core.on_copies import OnCopies
from linebyline.grading.peer import Peer

_MISSING = object()


class Submission:
    """The code that was handed in, and its answers."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}

    def load(self, code: str) -> str:
        """Run the code, and say where it stopped; nothing if it came to its end."""
        module = types.ModuleType("submission")
        sys.modules["submission"] = module
        self._names = module.__dict__
        try:
            exec(compile(code, "submission.py", "exec"), self._names)
        except BaseException as error:
            return f"{_line(error)}{type(error).__name__}: {' '.join(str(error).split())[:300]}"
        return ""

    def has(self, exercise_id: str, entry: str) -> bool:
        """Whether there is an answer to an exercise."""
        return self._find(exercise_id, entry) is not _MISSING

    def value(self, exercise_id: str, entry: str) -> Any:
        """Return an answer that is a value."""
        return self._find(exercise_id, entry)

    def call(self, exercise_id: str, entry: str, *args: Any) -> tuple[Any, list[int]]:
        """Call an answer; say also which arguments it changed."""
        on_copies = OnCopies(self._find(exercise_id, entry))
        return on_copies(*args), sorted(on_copies.changed)

    def peak(self, exercise_id: str, entry: str, *args: Any) -> tuple[int, list[int]]:
        """Measure the memory of a call in bytes; say also which arguments it changed."""
        on_copies = OnCopies(self._find(exercise_id, entry))
        return on_copies.peak_memory(*args), sorted(on_copies.changed)

    def _find(self, exercise_id: str, entry: str) -> Any:
        recorded = sys.modules.get("linebyline.exercises")
        answers = getattr(recorded, "answers", {})
        return answers[exercise_id] if exercise_id in answers else self._names.get(entry, _MISSING)


def _line(error: BaseException) -> str:
    """Say on which line of the submission an error arose."""
    if isinstance(error, SyntaxError):
        return f"line {error.lineno}: "
    found, trace = "", error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "submission.py":
            found = f"line {trace.tb_lineno}: "
        trace = trace.tb_next
    return found


def _end_with_parent() -> None:
    """End when the judge ends, and gain no rights by what is started."""
    pr_set_pdeathsig, pr_set_no_new_privs = 1, 38
    system = ctypes.CDLL(None)
    system.prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)
    system.prctl(pr_set_no_new_privs, 1, 0, 0, 0)


def main() -> None:
    """Serve the judge at the other end of the standard streams, under the limits that the first argument names."""
    told = json.loads(sys.argv[1])
    reads, writes = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    for name, limit in told["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    if told["user"] is not None:
        os.setgroups([])
        os.setgid(told["user"])
        os.setuid(told["user"])
    _end_with_parent()
    submission = Submission()
    operations = {name: getattr(submission, name) for name in ("load", "has", "value", "call", "peak")}
    try:
        Peer(reads, writes, operations).serve()
    finally:
        os._exit(0)  # what a submission left for the end of the process is not run
