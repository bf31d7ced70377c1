"""The ``config.json`` of a published model: each setting is checked where it is read."""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from clearformer.nn._base import ActivationName

Value = TypeVar("Value")

# No published model has a larger size; a damaged file could ask for one that fills the memory.
LARGEST = 1 << 24
# The activations by their names in a config.json; of several names for one, the first is written.
PUBLISHED_ACTIVATIONS: Mapping[str, ActivationName] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def published_activation(activation: ActivationName) -> str:
    """Return the name of an activation in a ``config.json``.

    Example:
        >>> published_activation("gelu_tanh")
        'gelu_new'
    """
    return next(name for name, ours in PUBLISHED_ACTIVATIONS.items() if ours == activation)


class Settings:
    """The settings of a model; one that is missing or not supported is refused by its name.

    Args:
        values: The settings by the names of the file.
        source: The file, for messages.

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
        """Return a setting as it is; null counts as missing."""
        value = self.values.get(name)
        return default if value is None else value

    def size(self, *names: str, default: int | None = None, most: int = LARGEST) -> int:
        """Return a positive integer, under the first of some names that is there."""
        name = next((name for name in names if self.get(name) is not None), names[0])
        value = self.get(name, default)
        if type(value) is not int or not 0 < value <= most:
            raise self.error(f"{name} must be an integer from 1 to {most:,}, got {repr(value)[:60]}")
        return value

    def number(self, name: str, default: float) -> float:
        """Return a finite positive number."""
        value = self.get(name, default)
        if type(value) not in (int, float) or not 0 < value < 1e30:
            raise self.error(f"{name} must be a positive number, got {repr(value)[:60]}")
        return float(value)

    def choice(self, name: str, choices: Mapping[Any, Value], default: Any = None) -> Value:
        """Return what a setting with some possible values stands for."""
        value = self.get(name, default)
        if not isinstance(value, str | bool | int) or value not in choices:
            raise self.error(f"{name}={repr(value)[:60]} is not supported, only {', '.join(map(str, choices))}")
        return choices[value]

    def require(self, name: str, only: Any) -> None:
        """Refuse all but one value of a setting, which is also its default."""
        self.choice(name, {only: only}, only)

    def inner(self, name: str) -> "Settings":
        """Return the settings inside a setting; none when it is missing."""
        values = self.get(name, {})
        if not isinstance(values, dict):
            raise self.error(f"{name} must be an object, got {repr(values)[:60]}")
        return Settings(values, f"{self.source}, {name}")

    def error(self, what: str) -> ValueError:
        """Return an error that names the file."""
        return ValueError(f"{self.source}: {what}")


def read_object(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a JSON object; a file that is not JSON in UTF-8, or not an object, is a ValueError."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not JSON: {str(error)[:80]}") from None
    if not isinstance(values, dict):
        raise ValueError(f"{path} must hold an object, got {repr(values)[:60]}")
    return values
