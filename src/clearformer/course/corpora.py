"""Text that every machine with Python already has."""

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


def split(text: str, share: float = 0.1) -> tuple[str, str]:
    r"""Cut a text into a part to train on and a part, from the end, to validate on, between two paragraphs.

    A paragraph at the end that also stands before the cut is left out: to know it by heart proves nothing.

    Args:
        text: The text.
        share: Share of the characters to validate on, nearly, before paragraphs are left out.

    Raises:
        ValueError: ``share`` is not between 0 and 1, there is no end of a paragraph to cut at, or no paragraph
            is left to validate on.

    Example:
        >>> split("one\n\ntwo\n\nthree\n\none\n\nfour", 0.5)
        ('one\n\ntwo\n\n', 'three\n\nfour')
    """
    if not 0 < share < 1:
        raise ValueError(f"share={share} must lie between 0 and 1")
    end = text.rfind("\n\n", 0, round(len(text) * (1 - share)) + 1)
    if end < 0:
        raise ValueError(f"a text of {len(text)} characters has no empty line to cut at before its last {share:.0%}")
    train, rest = text[: end + 2], text[end + 2 :]
    known = {paragraph.strip() for paragraph in train.split("\n\n")}
    unseen = [paragraph for paragraph in rest.split("\n\n") if paragraph.strip() not in known | {""}]
    if not unseen:
        raise ValueError(f"the last {share:.0%} of {len(text)} characters hold no paragraph that stands there only")
    return train, "\n\n".join(unseen)


def _sources(folder: Path) -> Iterator[Path]:
    """Every Python file in the folder and the folders in it, in the order of their names."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py":
            yield path
        elif path.is_dir() and path.name not in _LEFT_OUT:
            yield from _sources(path)
