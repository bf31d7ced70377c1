"""One end of the connection between judge and worker: while it waits for an answer, it serves the other end's calls.

A message is eight bytes of its length, then JSON.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from linebyline.grading.protocol import LARGEST, ProtocolError, pack, pack_error, unpack, unpack_error


class ConnectionClosed(ProtocolError):
    """The other end has closed the pipe: its process has ended."""

    def __init__(self) -> None:
        super().__init__("expected an answer, got the end of the process")


def to_bytes(message: Any) -> bytes:
    """Encode a message, with its length before it."""
    try:
        data = json.dumps(message, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError, UnicodeEncodeError) as error:
        raise ProtocolError(f"expected a value that can be written, got {type(error).__name__}") from None
    header = len(data).to_bytes(8, "big")
    length(header)  # refuses what the other end would
    return header + data


def from_bytes(data: bytes) -> Any:
    """Decode the JSON of a message."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise ProtocolError("expected JSON") from None


def length(header: bytes) -> int:
    """Return the length that the first eight bytes of a message announce, unless it is too large."""
    size = int.from_bytes(header, "big")
    if size > LARGEST:
        raise ProtocolError(f"expected at most {LARGEST // 2**20} MiB, got {size / 2**20:.0f}")
    return size


class Peer:
    """One end of the connection: two file descriptors, and what the other end may call by name.

    The functions that the other end was sent it may call as well.
    """

    def __init__(self, reads: int, writes: int, operations: Mapping[str, Callable[..., Any]]) -> None:
        self._reader = os.fdopen(reads, "rb", closefd=False)
        self._writes, self._operations = writes, operations
        self._calls = 0
        self._exported: list[Any] = []
        self._last: dict[int, Any] = {}

    def ask(self, target: str | int, /, *args: Any, **named: Any) -> Any:
        """Call an operation of the other end, or one of its functions by number, and raise what it raises there.

        A ProtocolError says that the answer is not one; after that the connection cannot be used.
        """
        return self._ask(target, args, named)[0]

    def forget(self) -> None:
        """Drop the functions that the other end was sent; their numbers are not used again."""
        self._exported = [None] * len(self._exported)
        self._last.clear()

    def serve(self) -> None:
        """Answer calls until the other end closes the connection."""
        while True:
            try:
                message = self._receive()
            except ConnectionClosed:
                return
            self._answer(message)

    def _ask(self, target: str | int, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, bool]:
        number = self._calls = self._calls + 1
        self._send(["ask", number, target, self._pack(args), self._pack(named)])
        while True:
            match self._receive():
                case ["value", int(n), value, bool(again)] if n == number:
                    return unpack(value, self._proxy), again
                case ["stop", int(n)] if n == number:
                    raise StopIteration
                case ["raise", int(n), error] if n == number:
                    raise unpack_error(error)
                case ["ask", *_] as message:
                    self._answer(message)
                case _:
                    raise ProtocolError("expected an answer, got another message")

    def _answer(self, message: Any) -> None:
        match message:
            case ["ask", int(number), str() | int() as target, args, named]:
                pass
            case _:
                raise ProtocolError("expected a question, got another message")
        try:
            value, again = self._call(target, unpack(args, self._proxy), unpack(named, self._proxy))
            reply = ["value", number, self._pack(value), again]
        except StopIteration:
            reply = ["stop", number]
        except ConnectionClosed:
            raise
        except BaseException as error:
            if not self._operations and not isinstance(error, Exception):
                raise  # the judge's own, such as an exceeded deadline
            reply = ["raise", number, pack_error(error)]
        self._send(reply)

    def _call(self, target: str | int, args: Any, named: Any) -> tuple[Any, bool]:
        """Call what the other end names; return also whether it is the array that came last, perhaps overwritten."""
        if isinstance(target, str):
            if target not in self._operations:
                known = ", ".join(self._operations) or "no operations"
                raise ProtocolError(f"expected one of {known}, got {target[:40]!r}")
            return self._operations[target](*args, **named), False
        exported = self._exported[target] if 0 <= target < len(self._exported) else None
        if exported is None:
            raise ProtocolError(f"expected the number of a function, got {target}")
        if not isinstance(exported, Iterator):
            return exported(*args, **named), False
        last, item = self._last.get(target), next(exported)
        self._last[target] = item
        return item, item is last and isinstance(item, np.ndarray)

    def _pack(self, value: Any) -> Any:
        return pack(value, self._export)

    def _export(self, value: Any) -> int:
        self._exported.append(value)
        return len(self._exported) - 1

    def _proxy(self, kind: str, number: int) -> Any:
        return self._items(number) if kind == "next" else partial(self.ask, number)

    def _items(self, number: int) -> Iterator[Any]:
        last = None
        while True:
            try:
                item, again = self._ask(number, (), {})
            except StopIteration:
                return
            if again and isinstance(last, np.ndarray) and isinstance(item, np.ndarray) and last.shape == item.shape:
                last[...] = item  # an array that is overwritten there is overwritten here
            else:
                last = item
            yield last

    def _send(self, message: Any) -> None:
        data = memoryview(to_bytes(message))
        try:
            while data:
                data = data[os.write(self._writes, data) :]
        except OSError:
            raise ConnectionClosed from None

    def _receive(self) -> Any:
        return from_bytes(self._read(length(self._read(8))))

    def _read(self, count: int) -> bytes:
        try:
            data = self._reader.read(count)
        except OSError:
            raise ConnectionClosed from None
        if len(data) < count:
            raise ConnectionClosed
        return data
