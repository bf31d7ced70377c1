"""Text that comes with Python itself, slightly different in each version."""

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

_LEFT_OUT = frozenset({"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"})


def pydoc_topics() -> str:
    r"""Return the chapters of Python's language reference that ``help()`` shows, in alphabetical order.

    They are about 0.5 MB of technical English.

    Example:
        >>> pydoc_topics()[:25]
        'The "assert" statement\n**'
    """
    return "\n\n".join(topics[name].strip("\n") for name in sorted(topics)) + "\n"


def standard_library_source(max_bytes: int = 10_000_000) -> str:
    """Return at most ``max_bytes`` of the source of Python's standard library without its tests, as UTF-8.

    Example:
        >>> len(standard_library_source(1_000).encode())
        1000
    """
    data = bytearray()
    for source in source_files(Path(sysconfig.get_path("stdlib")), _LEFT_OUT):
        data += source.read_bytes()
        if len(data) >= max_bytes:
            break
    # A few files are not UTF-8; a character that the limit cuts is left out.
    return data[:max_bytes].decode("utf-8", "ignore")


def source_files(folder: Path, left_out: frozenset[str]) -> Iterator[Path]:
    """Yield the Python files in a folder and the folders in it, in the order of their names."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name):
        if path.name in left_out:
            continue
        if path.suffix == ".py":
            yield path
        elif path.is_dir():
            yield from source_files(path, left_out)
