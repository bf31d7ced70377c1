"""What a judge and a worker say to each other: values as JSON with tags, framed by their length; never pickle.

Either side may be a stranger, so nothing that arrives is believed: kinds, shapes and sizes are checked, and what does
not fit is a ``Broken`` message. Functions and iterators stay where they are; the other side gets a number to ask for.
"""

import base64
import binascii
import math
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from linebyline.grading.messages import LARGEST, Broken, pack_error, shown, unpack_error

KINDS = "biufc"
DEEPEST = 50  # containers in containers


@dataclass(frozen=True)
class Numbered:
    """A function or an iterator of the other side."""

    number: int
    what: str


@dataclass(frozen=True, eq=False)
class Opaque:
    """A value that does not travel: only its text does."""

    text: str

    def __repr__(self) -> str:
        return self.text


# A function: what arrives as a number becomes a proxy, and what leaves as a proxy was given a number.
Export = Callable[[Any, str], int]
Import = Callable[[Numbered], Any]


def pack(value: Any, export: Export, depth: int = 0) -> Any:
    """Write a value as JSON with tags; what cannot travel is written as its text.

    Args:
        value: Numbers, text, bytes, arrays, tensors, exceptions, functions, iterators, and containers of these.
        export: Keeps a function (``"call"``) or an iterator (``"next"``) and gives it a number.
        depth: Containers around the value.

    Returns:
        What ``json.dumps`` takes: plain values as they are, all others as a list with a tag first.

    Raises:
        Broken: containers lie too deep, or in themselves.

    Example:
        >>> pack((1, 2.5, b"a"), export=lambda function, what: 0)
        ['tuple', [1, 2.5, ['bytes', 'YQ==']]]
    """
    if depth > DEEPEST:
        raise Broken(f"expected at most {DEEPEST} containers in each other, got more")
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return value
    if isinstance(value, str):  # NumPy's kind of text
        return str.__str__(value)

    def inner(items: Any) -> list[Any]:
        return [pack(item, export, depth + 1) for item in items]

    if kind in _CONTAINERS.values():
        return [kind.__name__, inner(value)]
    if isinstance(value, dict):
        return ["dict", inner(value), inner(value.values())]
    if isinstance(value, tuple | list):  # a named tuple is a tuple there
        return ["tuple" if isinstance(value, tuple) else "list", inner(value)]
    return _pack_other(value, export)


def _pack_other(value: Any, export: Export) -> Any:
    if isinstance(value, complex) and not isinstance(value, np.generic):
        return ["complex", value.real, value.imag]
    if isinstance(value, bytes | bytearray):
        return [type(value).__name__, _text(value)]
    if value is ...:
        return ["dots"]
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind in KINDS and value.dtype.itemsize <= 16:
        tag = "scalar" if isinstance(value, np.generic) else "array"
        return [tag, value.dtype.str, list(value.shape), _text(np.ascontiguousarray(value).tobytes())]
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        return _pack_tensor(value, torch)
    if isinstance(value, BaseException):
        return pack_error(value)
    if isinstance(value, Iterator):
        return ["next", export(value, "next")]
    if callable(value):
        return ["call", export(value, "call")]
    return ["opaque", shown(value)]


def _pack_tensor(value: Any, torch: Any) -> Any:
    try:
        plain = value.detach().cpu()
        name = str(plain.dtype).removeprefix("torch.")
        if name == "bfloat16":
            plain = plain.float()  # exact, and NumPy has no such kind
        array = plain.numpy()
    except (RuntimeError, TypeError, ValueError):
        return ["opaque", shown(value)]
    return ["tensor", name, array.dtype.str, list(array.shape), _text(np.ascontiguousarray(array).tobytes())]


def _text(data: bytes | bytearray) -> str:
    return base64.b64encode(data).decode()


def unpack(packed: Any, proxy: Import, depth: int = 0) -> Any:
    """Read what ``pack`` wrote, and believe none of it.

    Args:
        packed: What ``json.loads`` gave.
        proxy: Makes the local stand-in of a remote function or iterator.
        depth: Containers around the value.

    Raises:
        Broken: it is nothing that ``pack`` writes.

    Example:
        >>> unpack(["tuple", [1, ["scalar", "<f8", [], "AAAAAAAA+D8="]]], proxy=lambda numbered: None)
        (1, np.float64(1.5))
        >>> unpack(["array", "|O", [1], "AAAAAAAAAAA="], proxy=lambda numbered: None)
        Traceback (most recent call last):
        ...
        linebyline.grading.messages.Broken: expected numbers of one of the kinds biufc, got '|O'
    """
    if packed is None or isinstance(packed, bool | int | float | str):
        return packed
    if depth > DEEPEST:
        raise Broken(f"expected at most {DEEPEST} containers in each other, got more")
    match packed:
        case ["list" | "tuple" | "set" | "frozenset" as tag, list(items)]:
            return _made(_CONTAINERS[tag], [unpack(item, proxy, depth + 1) for item in items])
        case ["dict", list(keys), list(items)] if len(keys) == len(items):
            pairs = [
                (unpack(k, proxy, depth + 1), unpack(v, proxy, depth + 1)) for k, v in zip(keys, items, strict=True)
            ]
            return _made(dict, pairs)
        case ["complex", float() as real, float() as imag]:
            return complex(real, imag)
        case ["bytes" | "bytearray" as tag, str(text)]:
            return bytes(_data(text)) if tag == "bytes" else bytearray(_data(text))
        case ["dots"]:
            return ...
        case ["scalar", str(dtype), [], str(text)]:
            return _array(dtype, [], text)[()]
        case ["array", str(dtype), list(shape), str(text)]:
            return _array(dtype, shape, text)
        case ["tensor", str(name), str(dtype), list(shape), str(text)]:
            return _tensor(name, _array(dtype, shape, text))
        case ["error", str(), list(), str()]:
            return unpack_error(packed)
        case ["call" | "next" as what, int(number)]:
            return proxy(Numbered(number, what))
        case ["opaque", str(text)]:
            return Opaque(text[:200])
    raise Broken(f"expected a value with a tag, got {shown(packed)[:60]}")


_CONTAINERS: dict[str, Any] = {kind.__name__: kind for kind in (list, tuple, set, frozenset)}


def _made(kind: Callable[[Any], Any], items: list[Any]) -> Any:
    try:
        return kind(items)
    except TypeError as error:
        raise Broken(f"expected items that can be hashed, got {error}") from None


def _data(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise Broken("expected base64") from None


def _array(dtype: str, shape: list[Any], text: str) -> np.ndarray:
    try:
        if not re.fullmatch(rf"[<>|=]?[{KINDS}]\d{{1,2}}", dtype):
            raise TypeError
        kind = np.dtype(dtype)
    except TypeError:
        raise Broken(f"expected numbers of one of the kinds {KINDS}, got {dtype[:20]!r}") from None
    if len(shape) > 32 or not all(type(n) is int and n >= 0 for n in shape):
        raise Broken(f"expected a shape, got {str(shape)[:60]}")
    if math.prod(max(n, 1) for n in shape) > LARGEST:  # an axis of 0 makes an array small, but not what is made of it
        raise Broken(f"expected a shape, got {str(shape)[:60]}")
    data = _data(text)
    if math.prod(shape) * kind.itemsize != len(data):
        raise Broken(f"expected {math.prod(shape)} numbers of {kind.itemsize} bytes, got {len(data)} bytes")
    try:
        return np.ndarray(shape, kind, data).copy()
    except ValueError:
        raise Broken(f"expected a shape, got {str(shape)[:60]}") from None


def _tensor(name: str, array: np.ndarray) -> Any:
    import torch  # the worker's process may do without it until a tensor comes

    kind = getattr(torch, name, None) if name.isidentifier() else None
    if not isinstance(kind, torch.dtype):
        raise Broken(f"expected a kind of tensor, got {name[:20]!r}")
    try:
        return torch.from_numpy(array).to(kind)
    except (TypeError, RuntimeError):
        raise Broken(f"expected numbers for a tensor of {name}, got {array.dtype}") from None
