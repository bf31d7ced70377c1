"""A worker as its judge sees it: started, asked, stopped, and started again when it is gone."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from linebyline.grading.isolation import IsolationError, command, surroundings
from linebyline.grading.limits import Limits
from linebyline.grading.messages import Broken
from linebyline.grading.peer import Gone, Peer


class Late(BaseException):
    """A deadline is over; no ``except Exception`` of a law holds it up."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise ``Late`` in here after so many seconds, and again each second, should something swallow it."""

    def over(number: int, frame: FrameType | None) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Worker:
    """A process with the code of a submission, and a new one when that has ended.

    Args:
        code: The submission.
        isolation: A kind that was found to work.
        folder: What ``strip_package`` made.
        limits: What it may take.
    """

    def __init__(self, code: str, isolation: str, folder: Path, limits: Limits) -> None:
        self._code, self._isolation, self._folder, self._limits = code, isolation, folder, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._peer: Peer | None = None
        self._container = ""
        self.starts = 0
        self.stopped = ""  # where the code stopped

    def ask(self, what: str, *args: Any) -> Any:
        """Ask the worker, which must have been made ``ready``.

        Raises:
            Gone: its process has ended.
            Broken: it said what no worker says; it is stopped.
        """
        if self._peer is None:
            raise Gone("expected an answer, got the end of the process")
        try:
            return self._peer.ask(what, *args)
        except (Broken, Late):
            self.stop()
            raise

    @property
    def spent(self) -> bool:
        """Whether it has ended too often to be started again."""
        return self._peer is None and self.starts > self._limits.restarts

    def ready(self) -> str:
        """See that there is a worker which has run the code, and let go of what an earlier law gave it.

        Returns:
            Why there is none; nothing if there is.

        Raises:
            IsolationError: the process did not even start.
        """
        if self._peer is not None:
            self._peer.forget()
            return ""
        if self.spent:
            return f"the process ended {self.starts} times"
        self.starts += 1
        try:
            with deadline(self._limits.load_seconds), tempfile.TemporaryFile() as errors:
                self._start(errors)
                self.stopped = str(self.ask("load", self._code))[:400]
        except Late:
            self.stop()
            return f"the code did not come to its end in {self._limits.load_seconds:g} seconds"
        except Broken:
            self.stop()
            return "the process ended while the code ran"
        return ""

    def _start(self, errors: Any) -> None:
        line = command(self._isolation, self._folder, self._limits)
        if self._isolation == "docker":
            self._container = line[line.index("--name") + 1]
        told = surroundings(self._isolation)
        self._process = subprocess.Popen(
            line, stdin=-1, stdout=-1, stderr=errors, env=told, cwd="/", start_new_session=True, bufsize=0
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._peer = Peer(self._process.stdout.fileno(), self._process.stdin.fileno(), {})
        try:
            self._peer.ask("has", "", "")
        except Broken:
            errors.seek(0)
            said = errors.read(2000).decode(errors="replace").strip().splitlines() or ["it said nothing"]
            self.stop()
            raise IsolationError(f"{self._isolation}: the worker did not start: {said[-1][:200]}") from None

    def stop(self) -> None:
        """End the worker and what it has started; no deadline interrupts this."""
        # Not by a mask: another thread would take the alarm, and its handler would run in this one all the same.
        before = signal.signal(signal.SIGALRM, lambda number, frame: None)
        try:
            self._stop()
        finally:
            signal.signal(signal.SIGALRM, before)

    def _stop(self) -> None:
        process, self._process, self._peer = self._process, None, None
        if process is None:
            return
        with suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        if self._container:  # it goes on when the command that started it is killed
            subprocess.run(["docker", "kill", self._container], capture_output=True, timeout=60, check=False)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()


class RemoteAnswer:
    """An answer that is called in its worker; laws take it for the function itself."""

    def __init__(self, worker: Worker, exercise_id: str, entry: str) -> None:
        self._worker, self._names = worker, (exercise_id, entry)
        self.changed: set[int] = set()

    def __call__(self, *args: Any) -> Any:
        """Call the answer."""
        return self._ask("call", args)

    def peak_memory(self, *args: Any) -> int:
        """Measure a call there."""
        return int(self._ask("peak", args))

    def _ask(self, what: str, args: tuple[Any, ...]) -> Any:
        got = self._worker.ask(what, *self._names, *args)
        match got:
            case (value, list(changed)) if all(type(n) is int and 0 < n <= len(args) for n in changed):
                self.changed |= set(changed)
                return value
        self._worker.stop()
        raise Broken("expected a value and the arguments that were changed, got another message")
