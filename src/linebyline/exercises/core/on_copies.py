"""An answer that is called on copies of its arguments, so that what it does to them can be seen."""

# An answer may replace functions of NumPy and of Python itself. What decides here is looked up before it is loaded.
from builtins import all, bool, bytearray, callable, dict, enumerate, hasattr, len, list, map, set, tuple, type, zip  # noqa: UP029
from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from types import FunctionType, MethodType
from typing import Any

from numpy import ndarray

from .memory import peak_memory


class OnCopies:
    """Calls an answer on copies of its arguments, as deep as containers go.

    ``changed`` holds the numbers of the arguments that it changed, counted from 1; ``refusals`` the AssertionErrors of
    functions that were among its arguments, which an answer may have caught.
    """

    def __init__(self, answer: Callable[..., Any]) -> None:
        self._answer = answer
        self.changed: set[int] = set()
        self.refusals: list[AssertionError] = []

    def __call__(self, *args: Any) -> Any:
        """Call the answer."""
        return self._on_copies(self._answer, args)

    def peak_memory(self, *args: Any) -> int:
        """Measure the memory of a call to the answer, in bytes."""
        return int(self._on_copies(partial(peak_memory, self._answer), args))

    def _on_copies(self, call: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        # The law keeps the originals: what the answer does to its copies cannot spoil the comparison.
        copies = [self._copy(arg) for arg in args]
        try:
            return call(*copies)
        finally:
            pairs = enumerate(zip(args, copies, strict=True), start=1)
            self.changed |= {number for number, (arg, twin) in pairs if not _same(arg, twin)}

    def _copy(self, value: Any) -> Any:
        """Copy arrays and containers; what else there is stays itself, such as an iterator or a model."""
        match value:
            case FunctionType() | MethodType():
                return self._noting(value)
            case ndarray() | set() | bytearray():
                return value.copy()
            case dict():
                twin = copy(value)  # a Counter stays a Counter
                for key, item in value.items():
                    twin[key] = self._copy(item)
                return twin
            case list():
                items = copy(value)
                items[:] = map(self._copy, value)
                return items
            case tuple():
                parts = map(self._copy, value)
                return value._make(parts) if hasattr(value, "_make") else tuple(parts)
            case _:
                return value

    def _noting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function that does the same and notes what it refuses."""

        @wraps(function)
        def noting(*args: Any, **kwargs: Any) -> Any:
            try:
                return function(*args, **kwargs)
            except AssertionError as refusal:
                self.refusals.append(refusal)
                raise

        return noting


def _same(before: Any, after: Any) -> bool:
    """Whether a copy is still what it was copied from, bit for bit, so that two NaN are the same."""
    if callable(before):
        return True
    if type(before) is not type(after):
        return False
    match before:
        case ndarray():
            same_kind: bool = before.dtype == after.dtype and before.shape == after.shape
            return same_kind and before.tobytes() == after.tobytes()
        case dict():
            return before.keys() == after.keys() and all(_same(item, after[key]) for key, item in before.items())
        case list() | tuple():
            return len(before) == len(after) and all(map(_same, before, after))
        case _:
            return before is after or bool(before == after) or bool(before != before and after != after)
