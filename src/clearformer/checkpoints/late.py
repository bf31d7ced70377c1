"""PyTorch where numbers are read, and not before: headers alone do not wait seconds for its import."""

from importlib import import_module
from typing import Any


class Late:
    """A module that is imported when something of it is first used.

    Args:
        name: Of the module.

    Example:
        >>> Late("math").sqrt(9)
        3.0
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        """Import the module, which it remembers, and give what is asked for."""
        return getattr(import_module(self._name), attribute)
