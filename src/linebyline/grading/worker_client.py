"""A worker as its judge sees it: started, asked, stopped, and started again when its process has ended."""

import os
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Any

from linebyline.grading.isolation import IsolationError, Limits, command, launcher_environment
from linebyline.grading.peer import ConnectionClosed, Peer
from linebyline.grading.protocol import ProtocolError


class DeadlineExceeded(BaseException):
    """A deadline is over; a BaseException, so that no ``except Exception`` of a law catches it."""


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise ``DeadlineExceeded`` in the block after so many seconds, and again each second, in case it is swallowed."""

    def exceeded(number: int, frame: FrameType | None) -> None:
        raise DeadlineExceeded

    before = signal.signal(signal.SIGALRM, exceeded)
    signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Worker:
    """A process that runs a submission with the package in ``folder``, and a new one when that has ended."""

    def __init__(self, code: str, isolation: str, folder: Path, limits: Limits) -> None:
        self._code, self._isolation, self._folder, self.limits = code, isolation, folder, limits
        self._process: subprocess.Popen[bytes] | None = None
        self._peer: Peer | None = None
        self._container = ""
        self.starts = 0
        self.stopped = ""  # where the code stopped

    def ask(self, operation: str, *args: Any) -> Any:
        """Call an operation of the worker; a ProtocolError says that it has ended, or sent what no worker sends."""
        if self._peer is None:
            raise ConnectionClosed
        try:
            return self._peer.ask(operation, *args)
        except (ProtocolError, DeadlineExceeded):
            self.stop()
            raise

    def ask_in_time(self, operation: str, *args: Any) -> Any:
        """Call an operation that takes no longer than a law may."""
        with deadline(self.limits.law_seconds):
            return self.ask(operation, *args)

    def ready(self) -> str:
        """Start a worker and run the code in it, unless there is one; drop what an earlier law sent it.

        Returns why there is no worker; empty if there is one. An IsolationError says that no process was started.
        """
        if self._peer is not None:
            self._peer.forget()
            return ""
        if self.starts > self.limits.restarts:
            return f"the process ended {self.starts} times"
        self.starts += 1
        try:
            with deadline(self.limits.load_seconds), tempfile.TemporaryFile() as errors:
                self._start(errors)
                self.stopped = str(self.ask("load", self._code))[:400]
            return ""
        except DeadlineExceeded:
            self.stop()
            return f"the code did not come to its end in {self.limits.load_seconds:g} seconds"
        except ProtocolError:
            self.stop()
            return "the process ended while the code ran"

    def _start(self, errors: Any) -> None:
        line = command(self._isolation, self._folder, self.limits)
        if self._isolation == "docker":
            self._container = line[line.index("--name") + 1]
        options = {"stderr": errors, "env": launcher_environment(self._isolation), "cwd": "/"}
        self._process = subprocess.Popen(line, stdin=-1, stdout=-1, start_new_session=True, bufsize=0, **options)
        assert self._process.stdin is not None and self._process.stdout is not None
        self._peer = Peer(self._process.stdout.fileno(), self._process.stdin.fileno(), {})
        try:
            self._peer.ask("has", "", "")
        except ProtocolError:
            errors.seek(0)
            lines = errors.read(2000).decode(errors="replace").strip().splitlines() or ["it said nothing"]
            self.stop()
            raise IsolationError(f"{self._isolation}: the worker did not start: {lines[-1][:200]}") from None

    def stop(self) -> None:
        """End the worker and what it has started; no deadline interrupts this."""
        # Masking the signal would not do: another thread would take it, and the handler would still run in this one.
        before = signal.signal(signal.SIGALRM, lambda number, frame: None)
        try:
            process, self._process, self._peer = self._process, None, None
            if process is None:
                return
            with suppress(OSError), process:  # which closes the pipes and waits
                os.killpg(process.pid, signal.SIGKILL)
            if self._container:  # it keeps running when the command that started it is killed
                subprocess.run(["docker", "kill", self._container], capture_output=True, timeout=60, check=False)
        finally:
            signal.signal(signal.SIGALRM, before)


class RemoteAnswer:
    """An answer that is called in its worker; to a law it looks like the function itself."""

    def __init__(self, worker: Worker, exercise_id: str, entry: str) -> None:
        self._worker, self._names = worker, (exercise_id, entry)
        self.changed: set[int] = set()

    def __call__(self, *args: Any) -> Any:
        """Call the answer."""
        return self._ask("call", args)

    def peak_memory(self, *args: Any) -> int:
        """Measure the memory of a call, in bytes."""
        return int(self._ask("peak", args))

    def _ask(self, operation: str, args: tuple[Any, ...]) -> Any:
        match self._worker.ask(operation, *self._names, *args):
            case (value, list(changed)) if all(type(n) is int and 0 < n <= len(args) for n in changed):
                self.changed |= set(changed)
                return value
        self._worker.stop()
        raise ProtocolError("expected a value and the arguments that were changed, got another message")
