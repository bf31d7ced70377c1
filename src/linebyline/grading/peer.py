"""One end of the pipe between judge and worker: it asks, and while it waits it answers what the other end asks."""

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from linebyline.grading.messages import Broken, from_bytes, length, pack_error, to_bytes, unpack_error
from linebyline.grading.protocol import Numbered, pack, unpack


class Gone(Broken):
    """The other end has closed the pipe: its process has ended."""


class Peer:
    """One end of the pipe.

    Args:
        reads: The file descriptor to read from.
        writes: The one to write to.
        operations: What the other end may ask for by name, beside the functions that it was given.
    """

    def __init__(self, reads: int, writes: int, operations: Mapping[str, Callable[..., Any]]) -> None:
        self._reads, self._writes, self._operations = reads, writes, operations
        self._asked = 0
        self._kept: list[Any] = []
        self._last: dict[int, Any] = defaultdict(lambda: None)

    def ask(self, target: str | int, *args: Any, **named: Any) -> Any:
        """Ask the other end to call an operation, or a function by its number.

        Raises:
            Broken: what came is no answer; after that this end is of no use.
            Exception: what the call raised there.
        """
        return self._ask(target, args, named)[0]

    def forget(self) -> None:
        """Let go of the functions that the other end was given; their numbers are not used again."""
        self._kept = [None] * len(self._kept)
        self._last.clear()

    def serve(self) -> None:
        """Answer until the other end is gone."""
        while True:
            try:
                message = self._receive()
            except Gone:
                return
            self._answer(message)

    def _ask(self, target: str | int, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, bool]:
        self._asked += 1
        number = self._asked
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
                    raise Broken("expected an answer, got another message")

    def _answer(self, message: Any) -> None:
        match message:
            case ["ask", int(number), str() | int() as target, args, named]:
                pass
            case _:
                raise Broken("expected a question, got another message")
        try:
            given, also = unpack(args, self._proxy), unpack(named, self._proxy)
            reply = self._reply(number, target, given, also)
        except StopIteration:
            reply = ["stop", number]
        except Gone:
            raise
        except BaseException as error:
            if not self._operations and not isinstance(error, Exception):
                raise  # the judge's own end, such as a deadline
            reply = ["raise", number, pack_error(error)]
        self._send(reply)

    def _reply(self, number: int, target: str | int, args: Any, named: Any) -> Any:
        if isinstance(target, str):
            if target not in self._operations:
                raise Broken(f"expected one of {', '.join(self._operations) or 'no operations'}, got {target[:40]!r}")
            return ["value", number, self._pack(self._operations[target](*args, **named)), False]
        kept = self._kept[target] if 0 <= target < len(self._kept) else None
        if kept is None:
            raise Broken(f"expected the number of a function, got {target}")
        if not isinstance(kept, Iterator):
            return ["value", number, self._pack(kept(*args, **named)), False]
        item = next(kept)
        again = item is self._last[target] and isinstance(item, np.ndarray)
        self._last[target] = item
        return ["value", number, self._pack(item), again]

    def _pack(self, value: Any) -> Any:
        return pack(value, self._keep)

    def _keep(self, thing: Any, what: str) -> int:
        self._kept.append(thing)
        return len(self._kept) - 1

    def _proxy(self, there: Numbered) -> Any:
        if there.what == "next":
            return self._items(there.number)

        def function(*args: Any, **named: Any) -> Any:
            return self._ask(there.number, args, named)[0]

        return function

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
            raise Gone("expected an answer, got the end of the process") from None

    def _receive(self) -> Any:
        return from_bytes(self._read(length(self._read(8))))

    def _read(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            try:
                part = os.read(self._reads, min(count - len(data), 2**20))
            except OSError:
                part = b""
            if not part:
                raise Gone("expected an answer, got the end of the process")
            data += part
        return bytes(data)
