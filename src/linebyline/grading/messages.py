"""The frames that messages travel in, and exceptions as messages."""

import builtins
import json
from collections.abc import Callable
from typing import Any

LARGEST = 64 * 2**20  # bytes of a message


class Broken(Exception):
    """A message that does not follow the protocol; of no kind that a law may expect."""


def shown(value: Any) -> str:
    """Show a value in a few characters, whatever its ``repr`` does."""
    return _text(repr, value)[:200]


def _text(write: Callable[[Any], str], value: Any) -> str:
    """Return the text of a stranger's object; where its own function fails, the text says so."""
    try:
        return write(value)
    except Exception as error:
        return f"a {type(value).__name__} that cannot be shown: {type(error).__name__}"


def pack_error(error: BaseException) -> Any:
    """Write an exception: its name, the built-in ones it is a kind of, the nearest first, and its text."""
    builtin = [kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins"]
    return ["error", type(error).__name__, builtin, _text(str, error)[:2000]]


def unpack_error(packed: Any) -> Exception:
    """Make an exception with the same name and text, of the same built-in kinds.

    What is no ``Exception``, as KeyboardInterrupt, becomes one: a stranger must not end the process that asked.
    """
    match packed:
        case ["error", str(name), list(kinds), str(text)]:
            found = [getattr(builtins, kind, None) for kind in kinds if isinstance(kind, str)]
            known = [kind for kind in found if isinstance(kind, type) and issubclass(kind, Exception)]
            # The mro of an exception of several kinds has them all: those that no other of them is a kind of stay.
            bases = [k for k in known if not any(other is not k and issubclass(other, k) for other in known)] or [
                Exception
            ]
            told = {"__str__": lambda self: text}
            for chosen in (tuple(bases), tuple(bases[:1]), (Exception,)):
                try:
                    kind: Any = type(name if name.isidentifier() else "Exception", chosen, told)
                    error: Exception = kind.__new__(kind)
                except TypeError:
                    continue
                return error
    raise Broken(f"expected an exception, got {shown(packed)[:60]}")


def to_bytes(message: Any) -> bytes:
    """Frame a message: eight bytes of its length, then JSON.

    Raises:
        Broken: it is too large.
    """
    try:
        data = json.dumps(message, separators=(",", ":")).encode()
    except (ValueError, TypeError, RecursionError, UnicodeEncodeError) as error:
        raise Broken(f"expected a value that can be written, got {type(error).__name__}") from None
    if len(data) > LARGEST:
        raise Broken(f"expected at most {LARGEST // 2**20} MiB, got {len(data) / 2**20:.0f}")
    return len(data).to_bytes(8, "big") + data


def from_bytes(data: bytes) -> Any:
    """Read the JSON of a message.

    Raises:
        Broken: it is no JSON.
    """
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise Broken("expected JSON") from None


def length(header: bytes) -> int:
    """Read the length of a message.

    Raises:
        Broken: it is more than a message may have.
    """
    size = int.from_bytes(header, "big")
    if size > LARGEST:
        raise Broken(f"expected at most {LARGEST // 2**20} MiB, got {size / 2**20:.0f}")
    return size
