"""Tokens that become text as they come: nothing is shown that a later token could still change."""

from collections.abc import Callable, Collection, Iterable, Sequence

from clearformer.tokenizers.special import REPLACEMENT


class TextStream:
    """Text of the tokens so far, piece by piece.

    Half a character waits for the rest of it, and so does what could be the beginning of a text that ends the stream.

    Args:
        decode: Makes text of ids.
        before: Ids that stand before and are not shown, such as the prompt: how a token is written can depend on
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
            raise ValueError("an empty text cannot end what is written")
        self._decode, self._hidden, self._stops = decode, frozenset(hidden), tuple(stops)
        self._ids = [i for i in before if i not in self._hidden]
        # Only ids from ``_first`` on are decoded again and again: those up to ``_read`` have been shown.
        self._first, self._read = max(len(self._ids) - 8, 0), len(self._ids)
        self._held, self.ended = "", False

    def add(self, token: int) -> str:
        """Take a token, and give the text that is certain now."""
        if self.ended or token in self._hidden:
            return ""
        self._ids.append(token)
        text = self._new()
        return "" if text.endswith(REPLACEMENT) else self._show(text)

    def rest(self) -> str:
        """Give what was held back, when no token is to come."""
        if self.ended:
            return ""
        text = self._show(self._new())
        text, self._held = text + self._held, ""
        return text

    def _new(self) -> str:
        """Give the text that the tokens after the shown ones add."""
        return self._decode(self._ids[self._first :])[len(self._decode(self._ids[self._first : self._read])) :]

    def _show(self, new: str) -> str:
        """Take new text in, and give all of it but what a stop could begin in."""
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
    """Give the length of the longest end of a text that a stop begins with."""
    return next((n for n in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:n])), 0)
