"""What a ``config.json`` says, each setting examined where it is read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

Value = TypeVar("Value")

MISSING = object()
# No published model has a larger size; a damaged file asks for none that does not fit into numbers.
LARGEST = 1 << 24


class Settings:
    """The settings of a model by the names of its file; what is asked for and is not there, or is odd, is refused.

    Args:
        values: The settings.
        source: Where they come from, for messages.

    Example:
        >>> settings = Settings({"n_embd": 768, "scale_attn_by_inverse_layer_idx": True}, "config.json")
        >>> settings.size("n_embd"), settings.size("n_inner", "n_embd")
        (768, 768)
        >>> settings.require("scale_attn_by_inverse_layer_idx", False)
        Traceback (most recent call last):
        ValueError: config.json: scale_attn_by_inverse_layer_idx=True is not supported, only False
    """

    def __init__(self, values: Mapping[str, Any], source: str) -> None:
        self.values, self.source = values, source

    def get(self, name: str, default: Any = None) -> Any:
        """Give a setting as it stands; null counts as left out."""
        value = self.values.get(name)
        return default if value is None else value

    def size(self, *names: str, default: int | None = None) -> int:
        """Give a whole number above 0, under the first of some names that is there."""
        name = next((name for name in names if self.get(name) is not None), names[0])
        value = self.get(name, default)
        if type(value) is not int or not 0 < value <= LARGEST:
            raise self.error(f"{name} must be a whole number from 1 to {LARGEST:,}, got {_short(value)}")
        return value

    def number(self, name: str, default: float) -> float:
        """Give a finite number above 0."""
        value = self.get(name, default)
        if type(value) not in (int, float) or not 0 < value < 1e30:
            raise self.error(f"{name} must be a positive number, got {_short(value)}")
        return float(value)

    def choice(self, name: str, choices: Mapping[Any, Value], default: Any = None) -> Value:
        """Give what stands for a setting that is one of some."""
        value = self.get(name, default)
        if not isinstance(value, str | bool | int) or value not in choices:
            raise self.error(f"{name}={_short(value)} is not supported, only {', '.join(map(str, choices))}")
        return choices[value]

    def require(self, name: str, only: Any) -> None:
        """Refuse a setting that the model has no part for; left out, it counts as the one it has."""
        self.choice(name, {only: only}, only)

    def inner(self, name: str) -> "Settings":
        """Give the settings within a setting; none when it is left out."""
        values = self.get(name, {})
        if not isinstance(values, dict):
            raise self.error(f"{name} must be an object, got {_short(values)}")
        return Settings(values, f"{self.source}, {name}")

    def error(self, what: str) -> ValueError:
        """Give an error that says where the settings are from."""
        return ValueError(f"{self.source}: {what}")


def read_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a JSON object.

    Raises:
        ValueError: the file is not JSON in UTF-8, or holds something else than an object.
    """
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {str(error)[:80]}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path} must hold an object, got {_short(values)}")
    return values


def _short(value: object) -> str:
    return repr(value)[:60]
