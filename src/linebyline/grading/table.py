"""A table of a TOML file, read key by key: what is wrong is refused with the file, the key and the value."""

import math
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TypeVar

Kind = TypeVar("Kind")


class Table:
    """The keys of a table, each of which is taken once.

    Example:
        >>> table = Table(Path("a1.toml"), {"points": 2, "weight": 3})
        >>> table.take("points", int)
        2
        >>> table.finish()
        Traceback (most recent call last):
        ValueError: a1.toml: weight = 3: no such key is known here
    """

    def __init__(self, file: Path, content: dict[str, Any], place: str = "") -> None:
        self.file, self._left, self._place = file, dict(content), place
        self._taken: dict[str, Any] = {}

    def __contains__(self, key: str) -> bool:
        """Whether a key is there and was not taken."""
        return key in self._left

    def take(self, key: str, kind: type[Kind], default: Kind | None = None) -> Kind:
        """Take the value of a key.

        Raises:
            ValueError: it is not there and has no default, or is of another kind.
        """
        if key not in self._left:
            if default is None:
                raise ValueError(f"{self.file}: {self._place}{key} is missing")
            return default
        value = self._taken[key] = self._left.pop(key)
        if type(value) is not kind:
            raise self.refusal(key, f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    def number(self, key: str, default: float | None = None, most: float = math.inf) -> float:
        """Take a number from 0 to a bound, whole or not.

        Raises:
            ValueError: it is missing, no number, or outside.
        """
        kind = int if type(self._left.get(key)) is int else float
        value = float(self.take(key, kind, None if default is None else kind(default)))
        if not (math.isfinite(value) and 0 <= value <= most):
            raise self.refusal(
                key, f"expected a number from 0 to {most:g}" if most < math.inf else "expected 0 or more"
            )
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Take a list of texts; none where it is missing.

        Raises:
            ValueError: it is something else.
        """
        values = self.take(key, list, [])
        if not all(type(value) is str and value.strip() for value in values):
            raise self.refusal(key, "expected a list of texts")
        return tuple(values)

    def tables(self, key: str) -> list["Table"]:
        """Take a list of tables, ``[[key]]`` in the file; none where it is missing.

        Raises:
            ValueError: it is something else.
        """
        values = self.take(key, list, [])
        if not all(type(value) is dict for value in values):
            raise self.refusal(key, f"expected tables, each headed [[{key}]]")
        return [Table(self.file, value, f"{self._place}{key}[{number}].") for number, value in enumerate(values)]

    def table(self, key: str) -> "Table | None":
        """Take a table, ``[key]`` in the file; nothing where it is missing."""
        if key not in self._left:
            return None
        return Table(self.file, self.take(key, dict), f"{self._place}{key}.")

    def choice(self, key: str, options: Sequence[str]) -> str:
        """Take one of some texts; the first where it is missing.

        Raises:
            ValueError: it is none of them.
        """
        value = self.take(key, str, options[0])
        if value not in options:
            raise self.refusal(key, f"expected one of {', '.join(options)}")
        return value

    def finish(self) -> None:
        """Refuse a key that nobody took.

        Raises:
            ValueError: there is one.
        """
        for key in self._left:
            self._taken[key] = self._left[key]
            raise self.refusal(key, "no such key is known here")

    def refusal(self, key: str, why: str) -> ValueError:
        """An error on the value of a key that was taken."""
        return ValueError(f"{self.file}: {self._place}{key} = {_short(self._taken.get(key))}: {why}")


def read_table(file: Path) -> Table:
    """Read a TOML file.

    Raises:
        ValueError: it is no TOML, with the line.
        OSError: it cannot be read.
    """
    try:
        return Table(file, tomllib.loads(file.read_text(encoding="utf-8-sig")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"{file}: {error}") from error


def _short(value: Any) -> str:
    text = str(value) if hasattr(value, "isoformat") else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
