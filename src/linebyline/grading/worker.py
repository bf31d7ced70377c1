"""The process that holds a submission: it runs the code, then calls its functions when the judge asks for it.

Beside it there is no course but the few files that it is made of. What it reports is a stranger's word.
"""

import ctypes
import json
import os
import resource
import signal
import sys
import traceback
import types
from typing import Any

from linebyline.exercises.core.on_copies import OnCopies
from linebyline.grading.peer import Peer

_MISSING = object()


class Program:
    """The code that was handed in, and its answers."""

    def __init__(self) -> None:
        self._names: dict[str, Any] = {}

    def load(self, code: str) -> str:
        """Run the code; return where it stopped, or nothing if it ran to its end."""
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
        return self.value(exercise_id, entry) is not _MISSING

    def value(self, exercise_id: str, entry: str) -> Any:
        """Return an answer: what was passed to ``check``, or else what has the name."""
        answers = getattr(sys.modules.get("linebyline.exercises"), "answers", {})
        return answers[exercise_id] if exercise_id in answers else self._names.get(entry, _MISSING)

    def call(self, exercise_id: str, entry: str, *args: Any) -> tuple[Any, list[int]]:
        """Call an answer; return also which arguments it changed."""
        on_copies = OnCopies(self.value(exercise_id, entry))
        return on_copies(*args), sorted(on_copies.changed)

    def peak(self, exercise_id: str, entry: str, *args: Any) -> tuple[int, list[int]]:
        """Measure the memory of a call in bytes; return also which arguments it changed."""
        on_copies = OnCopies(self.value(exercise_id, entry))
        return on_copies.peak_memory(*args), sorted(on_copies.changed)


def _line(error: BaseException) -> str:
    """Return the line of the submission on which an error was raised."""
    trace = traceback.walk_tb(error.__traceback__)
    lines: list[int | None] = [line for frame, line in trace if frame.f_code.co_filename == "submission.py"]
    lines += [error.lineno] if isinstance(error, SyntaxError) else []
    return f"line {lines[-1]}: " if lines else ""


def main() -> None:
    """Serve the judge over the standard streams, under the limits that the first argument names."""
    settings = json.loads(sys.argv[1])
    reads, writes = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    for name, limit in settings["limits"].items():
        resource.setrlimit(getattr(resource, name), (limit, limit))
    if settings["user"] is not None:
        os.setgroups([])
        os.setgid(settings["user"])
        os.setuid(settings["user"])
    pr_set_pdeathsig, pr_set_no_new_privs = 1, 38
    system = ctypes.CDLL(None)
    system.prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)  # it ends when the judge ends
    system.prctl(pr_set_no_new_privs, 1, 0, 0, 0)  # what it starts gains no rights
    program = Program()
    operations = {name: getattr(program, name) for name in ("load", "has", "value", "call", "peak")}
    try:
        Peer(reads, writes, operations).serve()
    finally:
        os._exit(0)  # what a submission registered for the end of the process does not run
