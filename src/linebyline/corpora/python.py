"""Text that comes with Python itself, a little different in each version."""

import sysconfig
from collections.abc import Iterator
from pathlib import Path
from pydoc_data.topics import topics

_LEFT_OUT = frozenset({"test", "tests", "idle_test", "site-packages", "dist-packages", "__pycache__"})


def pydoc_topics() -> str:
    r"""The chapters of Python's language reference that ``help()`` shows: about 0.5 MB of technical English.

    Their order is alphabetical. The text differs a little between versions of Python.

    Example:
        >>> pydoc_topics()[:25]
        'The "assert" statement\n**'
    """
    return "\n\n".join(topics[name].strip("\n") for name in sorted(topics)) + "\n"


def standard_library_source(max_bytes: int = 10_000_000) -> str:
    """The source of Python's own standard library, tests left out: code with English comments.

    Files come in the order of their names, folder by folder. The text differs a little between versions of
    Python.

    Args:
        max_bytes: the text has at most this many bytes in UTF-8; it ends after a whole character.

    Raises:
        ValueError: ``max_bytes`` is negative.

    Example:
        >>> len(standard_library_source(1_000).encode())
        1000
    """
    if max_bytes < 0:
        raise ValueError(f"max_bytes={max_bytes} must not be negative")
    data = bytearray()
    for source in _sources(Path(sysconfig.get_path("stdlib"))):
        data += source.read_bytes()
        if len(data) >= max_bytes:
            break
    # A few files are not UTF-8; a character cut off by the end is left out.
    return data[:max_bytes].decode("utf-8", "ignore")


def _sources(folder: Path) -> Iterator[Path]:
    """Every Python file in the folder and the folders in it, in the order of their names."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path
        elif path.is_dir() and path.name not in _LEFT_OUT:
            yield from _sources(path)
