"""What judge and worker send each other: values as JSON with tags, never pickle, since reading a pickle runs it.

Nothing that arrives is trusted: types, shapes and sizes are checked, and what does not fit raises ``ProtocolError``.
Functions and iterators stay where they are; the other side gets a number by which it can call them.
"""

import base64
import binascii
import builtins
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

LARGEST = 64 * 2**20  # bytes of a message, and numbers of an array
KINDS = "biufc"
DEEPEST = 50  # nested containers


class ProtocolError(Exception):
    """A message that does not follow the protocol; a direct subclass of Exception, which no law expects."""


@dataclass(frozen=True, eq=False)
class ReprOnly:
    """A value that cannot be sent: only its text can."""

    text: str

    def __repr__(self) -> str:
        return self.text


def safe_text(value: Any, write: Callable[[Any], str] = repr) -> str:
    """Return a value's ``repr`` or ``str``, or, if that raises, the name of the error."""
    try:
        return write(value)
    except Exception as error:
        return f"a {type(value).__name__} that cannot be shown: {type(error).__name__}"


def pack(value: Any, export: Callable[[Any], int], depth: int = 0) -> Any:
    """Convert a value to JSON, in which a list begins with a tag; of a value that cannot be sent only the text remains.

    ``export`` keeps a function or an iterator and returns its number. Containers in each other, of which ``depth`` are
    around the value, raise a ProtocolError if they are too many.

    Example:
        >>> pack((1, 2.5, b"a"), export=lambda function: 0)
        ['tuple', [1, 2.5, ['bytes', 'YQ==']]]
    """
    if depth > DEEPEST:
        raise ProtocolError(f"expected at most {DEEPEST} containers in each other, got more")
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, str):  # NumPy's type of text
        return str.__str__(value)

    def packed(items: Any) -> list[Any]:
        return [pack(item, export, depth + 1) for item in items]

    if isinstance(value, dict):
        return ["dict", packed(value), packed(value.values())]
    for tag, kind in _CONTAINERS.items():  # a named tuple arrives as a tuple
        if isinstance(value, kind):
            return [tag, packed(value)]
    return _pack_leaf(value, export)


def _pack_leaf(value: Any, export: Callable[[Any], int]) -> Any:
    if isinstance(value, np.ndarray | np.generic) and value.dtype.str in _DTYPES:
        return ["scalar" if isinstance(value, np.generic) else "array", *_array_fields(value)]
    if isinstance(value, complex):
        return ["complex", value.real, value.imag]
    if isinstance(value, bytes | bytearray):
        return [type(value).__name__, base64.b64encode(value).decode()]
    if value is ...:
        return ["dots"]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        try:
            plain = value.detach().cpu()
            dtype = str(plain.dtype).removeprefix("torch.")
            # NumPy has no bfloat16; float32 holds it exactly.
            return ["tensor", dtype, *_array_fields((plain.float() if dtype == "bfloat16" else plain).numpy())]
        except (RuntimeError, TypeError, ValueError):
            return ["opaque", safe_text(value)[:200]]
    if isinstance(value, BaseException):
        return pack_error(value)
    if isinstance(value, Iterator):
        return ["next", export(value)]
    return ["call", export(value)] if callable(value) else ["opaque", safe_text(value)[:200]]


def _array_fields(array: Any) -> list[Any]:
    return [array.dtype.str, list(array.shape), base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()]


def unpack(packed: Any, proxy: Callable[[str, int], Any], depth: int = 0) -> Any:
    """Convert what ``pack`` returned back to a value; a ProtocolError says that ``pack`` returns no such thing.

    ``proxy`` returns the local stand-in of a remote function (``"call"``) or iterator (``"next"``) by its number.

    Example:
        >>> unpack(["tuple", [1, ["scalar", "<f8", [], "AAAAAAAA+D8="]]], proxy=lambda kind, number: None)
        (1, np.float64(1.5))
    """
    if packed is None or isinstance(packed, bool | int | float | str):
        return packed
    if depth > DEEPEST:
        raise ProtocolError(f"expected at most {DEEPEST} containers in each other, got more")

    def unpacked(items: list[Any]) -> list[Any]:
        return [unpack(item, proxy, depth + 1) for item in items]

    match packed:
        case ["list" | "tuple" | "set" | "frozenset" as tag, list(items)]:
            return _container(_CONTAINERS[tag], unpacked(items))
        case ["dict", list(keys), list(items)] if len(keys) == len(items):
            return _container(dict, list(zip(unpacked(keys), unpacked(items), strict=True)))
        case ["complex", float() as real, float() as imag]:
            return complex(real, imag)
        case ["bytes" | "bytearray" as tag, str(text)]:
            return _bytes(text) if tag == "bytes" else bytearray(_bytes(text))
        case ["dots"]:
            return ...
        case ["scalar" | "array" as tag, str(dtype), list(shape), str(text)]:
            return _array(dtype, shape, text)[() if tag == "scalar" else ...]
        case ["tensor", str(name), str(dtype), list(shape), str(text)]:
            return _tensor(name, _array(dtype, shape, text))
        case ["error", str(), list(), str()]:
            return unpack_error(packed)
        case ["call" | "next" as kind, int(number)]:
            return proxy(kind, number)
        case ["opaque", str(text)]:
            return ReprOnly(text[:200])
    raise ProtocolError(f"expected a value with a tag, got {safe_text(packed)[:60]}")


_DTYPES = {dtype.str: dtype for kind in "?bhilBHILefdgFD" for dtype in (np.dtype(f"<{kind}"), np.dtype(f">{kind}"))}
_CONTAINERS: dict[str, Any] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}


def _container(kind: Callable[[Any], Any], items: list[Any]) -> Any:
    try:
        return kind(items)
    except TypeError as error:
        raise ProtocolError(f"expected items that can be hashed, got {error}") from None


def _bytes(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise ProtocolError("expected base64") from None


def _array(dtype: str, shape: list[Any], text: str) -> np.ndarray:
    kind = _DTYPES.get(dtype)
    if kind is None:
        raise ProtocolError(f"expected numbers of one of the kinds {KINDS}, got {dtype[:20]!r}")
    sizes = len(shape) <= 32 and all(type(n) is int and n >= 0 for n in shape)
    # An axis of length 0 makes an array small, but not what is computed from it.
    if not sizes or math.prod(max(n, 1) for n in shape) > LARGEST:
        raise ProtocolError(f"expected a shape, got {str(shape)[:60]}")
    data = _bytes(text)
    if math.prod(shape) * kind.itemsize != len(data):
        raise ProtocolError(f"expected {math.prod(shape)} numbers of {kind.itemsize} bytes, got {len(data)} bytes")
    return np.ndarray(shape, kind, data).copy()


def _tensor(name: str, array: np.ndarray) -> Any:
    import torch  # a worker imports it only when a tensor arrives

    kind = getattr(torch, name, None) if name.isidentifier() else None
    if not isinstance(kind, torch.dtype):
        raise ProtocolError(f"expected a kind of tensor, got {name[:20]!r}")
    try:
        return torch.from_numpy(array).to(kind)
    except (TypeError, RuntimeError):
        raise ProtocolError(f"expected numbers for a tensor of {name}, got {array.dtype}") from None


def pack_error(error: BaseException) -> Any:
    """Convert an exception: its name, its built-in base classes, the nearest first, and its text."""
    builtin = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    return ["error", type(error).__name__, builtin, safe_text(error, str)[:2000]]


def unpack_error(packed: Any) -> Exception:
    """Return an Exception with the same name, text and built-in base classes; also for a KeyboardInterrupt."""
    match packed:
        case ["error", str(name), list(kinds), str(text)]:
            found = [getattr(builtins, kind, None) for kind in kinds if isinstance(kind, str)]
            known = [kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)]
            for bases in (known or [Exception], known[:1], [Exception]):
                with suppress(TypeError):  # these base classes cannot be combined
                    members = {"__str__": lambda _: text}
                    kind: Any = type(name if name.isidentifier() else "Exception", tuple(bases), members)
                    error: Exception = kind.__new__(kind)
                    return error
    raise ProtocolError(f"expected an exception, got {safe_text(packed)[:60]}")
