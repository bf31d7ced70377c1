"""A lock, so that two runs do not write one file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


@contextmanager
def sole_writer(path: str | os.PathLike[str]) -> Iterator[None]:
    """Be the one run that writes a file, for as long as the context lasts.

    A file beside it, with the suffix ``.lock``, is held open. The lock goes with the process that holds it, however
    that ends: a killed run leaves the file, and no lock. On Windows nothing is locked.

    Args:
        path: What is written, such as a checkpoint; its folder is made if it is missing.

    Raises:
        RuntimeError: another run is writing it.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder, sole_writer(f"{folder}/checkpoint.safetensors"):
        ...     print(*os.listdir(folder))
        checkpoint.lock
    """
    if sys.platform == "win32":
        yield
        return
    lock = Path(path).with_suffix(".lock")
    lock.parent.mkdir(parents=True, exist_ok=True)
    with open(lock, "a+") as file:
        if not _taken(file):
            file.seek(0)
            raise RuntimeError(f"{path} is being written by another run, process {file.read() or 'unknown'}")
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)


def _taken(file: TextIO) -> bool:
    """Whether the lock is this process's now."""
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return os.fstat(file.fileno()).st_nlink > 0  # who held it until now may have removed the file meanwhile
