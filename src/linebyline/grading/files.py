"""Files of an assignment: TOML tables that are read key by key, and JSON and CSV whose bytes depend on content only."""

import csv
import io
import json
import math
import tomllib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from clearformer.files import write_whole

_REQUIRED: Any = object()


class Table:
    """A table of a TOML file whose keys are each taken once; a ValueError names the file, the key and the value.

    Example:
        >>> table = Table(Path("a1.toml"), {"points": 2, "weight": 3})
        >>> table.take("points", int)
        2
        >>> table.finish()
        Traceback (most recent call last):
        ValueError: a1.toml: weight = 3: no such key is known here
    """

    def __init__(self, file: Path, content: dict[str, Any], prefix: str = "") -> None:
        self.file, self._content, self._prefix = file, content, prefix
        self._taken: set[str] = set()

    def take(self, key: str, kind: type, default: Any = _REQUIRED) -> Any:
        """Take the value of a key; without a default the key must be there."""
        if key not in self._content:
            if default is _REQUIRED:
                raise ValueError(f"{self.file}: {self._prefix}{key} is missing")
            return default
        self._taken.add(key)
        value = self._content[key]
        self.require(type(value) is kind, key, f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    def number(self, key: str, default: float = _REQUIRED, most: float = math.inf) -> float:
        """Take a number from 0 to a bound, whole or not."""
        value = float(self.take(key, int if type(self._content.get(key)) is int else float, default))
        expected = f"expected a number from 0 to {most:g}" if most < math.inf else "expected 0 or more"
        self.require(math.isfinite(value) and 0 <= value <= most, key, expected)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of texts; empty if it is missing."""
        values = self.take(key, list, [])
        self.require(all(type(value) is str and value.strip() for value in values), key, "expected a list of texts")
        return tuple(values)

    def tables(self, key: str) -> list["Table"]:
        """Take a list of tables, ``[[key]]`` in the file; empty if it is missing."""
        values = self.take(key, list, [])
        self.require(all(type(v) is dict for v in values), key, f"expected tables, each headed [[{key}]]")
        return [Table(self.file, value, f"{self._prefix}{key}[{number}].") for number, value in enumerate(values)]

    def finish(self) -> None:
        """Raise a ValueError if there is a key that was not taken."""
        for key in self._content:
            self.require(key in self._taken, key, "no such key is known here")

    def require(self, condition: object, key: str, reason: str) -> None:
        """Raise a ValueError about the value of a key unless a condition holds."""
        if not condition:
            value = self._content.get(key)
            text = str(value) if hasattr(value, "isoformat") else repr(value)
            text = text if len(text) <= 60 else f"{text[:57]}..."
            raise ValueError(f"{self.file}: {self._prefix}{key} = {text}: {reason}")


def read_table(file: Path) -> Table:
    """Read a TOML file; a ValueError names the line of what is not TOML."""
    try:
        return Table(file, tomllib.loads(file.read_text(encoding="utf-8-sig")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {error}") from error


def write_json(target: Path, content: Any) -> None:
    """Write what JSON can hold, with its keys in order, whole or not at all."""
    write_whole(target, json.dumps(content, indent=1, sort_keys=True, ensure_ascii=False) + "\n")


def as_csv(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as CSV, in which a spreadsheet takes no text for a formula.

    Example:
        >>> print(as_csv([["=1+1", -1.5, "a, b"]]).strip())
        '=1+1,-1.5,"a, b"
    """
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="\n").writerows([map(_escaped, row) for row in rows])
    return buffer.getvalue()


def _escaped(cell: Any) -> Any:
    with suppress(ValueError, TypeError):
        float(cell)  # a number is no formula, whatever its sign
        return cell
    return f"'{cell}" if str(cell).startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def unescaped(cell: str) -> str:
    """Remove the apostrophe that ``as_csv`` has put before a text."""
    return cell[1:] if cell[:1] == "'" and _escaped(cell[1:]) == cell else cell
