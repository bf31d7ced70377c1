"""Text from tokens as they come: nothing is shown that a later token could still change."""

from collections.abc import Callable, Collection, Iterable, Sequence

from clearformer.tokenizers.special import REPLACEMENT


class TextStream:
    """The text of a stream of tokens, piece by piece.

    An incomplete character is held back, and so is what could be the beginning of a stop text, which ends the stream.

    Args:
        decode: Turns ids into text.
        before: Ids that come first and are not shown, such as the prompt: how a token is written can depend on
            the one before it.
        hidden: Ids that are never shown, such as special tokens.
        stops: Texts that end the stream, and are not part of it.

    Example:
        >>> stream = TextStream(lambda ids: bytes(ids).decode("utf-8", "replace"), stops=["END"])
        >>> [stream.add(byte) for byte in "aé EN".encode()]
        ['a', '', 'é', ' ', '', '']
        >>> stream.add(ord("D")), stream.ended, stream.rest()
        ('', True, '')
    """

    def __init__(
        self,
        decode: Callable[[Sequence[int]], str],
        before: Iterable[int] = (),
        *,
        hidden: Collection[int] = (),
        stops: Collection[str] = (),
    ) -> None:
        if "" in stops:
            raise ValueError("a stop text must not be empty")
        self._decode, self._hidden, self._stops = decode, frozenset(hidden), tuple(stops)
        self._ids = [i for i in before if i not in self._hidden]
        # Only ids from ``_first`` on are decoded again and again: those up to ``_read`` have been shown.
        self._first, self._read = max(len(self._ids) - 8, 0), len(self._ids)
        self._held, self.ended = "", False

    def add(self, token: int) -> str:
        """Return the text that is certain after another token."""
        if self.ended or token in self._hidden:
            return ""
        self._ids.append(token)
        text = self._new()
        return "" if text.endswith(REPLACEMENT) else self._show(text)

    def rest(self) -> str:
        """Return what was held back, when no more tokens come."""
        if self.ended:
            return ""
        text = self._show(self._new())
        text, self._held = text + self._held, ""
        return text

    def _new(self) -> str:
        """The text of the tokens that have not been shown."""
        return self._decode(self._ids[self._first :])[len(self._decode(self._ids[self._first : self._read])) :]

    def _show(self, new: str) -> str:
        """Add new text, and return what cannot belong to a stop text."""
        if new:
            self._first, self._read = self._read, len(self._ids)
        text = self._held + new
        found = [at for at in map(text.find, self._stops) if at >= 0]
        if found:
            self._held, self.ended = "", True
            return text[: min(found)]
        keep = max((_overlap(text, stop) for stop in self._stops), default=0)
        shown = len(text) - keep
        self._held = text[shown:]
        return text[:shown]


def _overlap(text: str, stop: str) -> int:
    """The length of the longest end of a text that a stop text begins with."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)
