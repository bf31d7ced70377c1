"""What a submission may take: time, memory, files, processes."""

import ctypes
import os
import resource
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """The limits of a worker.

    Example:
        >>> Limits(law_seconds=1).for_worker(processes_now=5)["RLIMIT_NPROC"]
        69
    """

    law_seconds: float = 10.0
    load_seconds: float = 60.0
    cpu_seconds: int = 300
    data_bytes: int = 2 * 2**30  # of memory that is written to; torch maps more than it uses
    file_bytes: int = 8 * 2**20
    open_files: int = 128
    processes: int = 64
    restarts: int = 20

    def for_worker(self, processes_now: int) -> dict[str, int]:
        """Return the limits that the system keeps, by their names in ``resource``."""
        return {
            "RLIMIT_CPU": self.cpu_seconds,
            "RLIMIT_DATA": self.data_bytes,
            "RLIMIT_FSIZE": self.file_bytes,
            "RLIMIT_NOFILE": self.open_files,
            "RLIMIT_NPROC": processes_now + self.processes,
            "RLIMIT_CORE": 0,
        }


def processes_of_user() -> int:
    """Count the threads of this user, which the system counts against the limit on processes."""
    mine = os.getuid()
    count = 0
    for status in Path("/proc").glob("[0-9]*"):
        try:
            if status.stat().st_uid == mine:
                count += len(list((status / "task").iterdir()))
        except OSError:  # it has ended meanwhile
            continue
    return count


def limit_judge(data_bytes: int = 6 * 2**30) -> None:
    """Limit the memory of this process, which reads what strangers send, and let no other read its memory.

    Raises:
        OSError: the system has no such protection.
    """
    resource.setrlimit(resource.RLIMIT_DATA, (data_bytes, data_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pr_set_dumpable = 4
    prctl = getattr(ctypes.CDLL(None), "prctl", None)  # Linux alone has it
    if prctl is None or prctl(pr_set_dumpable, 0, 0, 0, 0) != 0:
        raise OSError("this process could not be made non-dumpable")
