"""SentencePiece's table of replacements, as T5's files carry it: ``precompiled_charsmap``.

The table is a *double array*, a tree of bytes that lies in one list of 32-bit units. A unit holds the byte
that leads to it, how far its children are, and whether a word ends there. The unit after the end says where
the replacement begins in a list of texts, each closed by a zero byte.

Source: Aoe (1989) for the double array; the units are those of Yata's darts-clone, which Kudo and Richardson
(2018) use in SentencePiece.
"""

import base64
import struct
from collections.abc import Sequence

import regex

_GRAPHEME = regex.compile(r"\X")
_LONGEST_GRAPHEME = 6
_MOST_KNOWN = 1 << 16
_END_OF_WORD = 1 << 8
_WIDE = 1 << 9
_LABEL = 1 << 31 | 0xFF
_VALUE = (1 << 31) - 1


def _step(unit: int) -> int:
    """How far a unit's children are from it (to be combined by exclusive or)."""
    return (unit >> 10) << (8 if unit & _WIDE else 0)


class Charsmap:
    """Replacements of characters, applied as Hugging Face applies them.

    A cluster of fewer than six bytes, which a reader sees as one character, is looked up first, and replaced
    whole if any beginning of it stands in the table. Otherwise each of its characters is looked up.

    Args:
        units: the double array.
        texts: the replacements, each closed by a zero byte.
    """

    def __init__(self, units: Sequence[int], texts: bytes) -> None:
        """Keep the table; what was looked up is remembered."""
        self._units = units
        self._texts = texts
        self._known: dict[str, str] = {}

    @classmethod
    def from_base64(cls, charsmap: str) -> "Charsmap":
        """Read the table as the file writes it: base64 of a length, the units, the texts.

        Raises:
            ValueError: no such table.

        Example:
            >>> Charsmap.from_base64("AAAA")
            Traceback (most recent call last):
            ValueError: precompiled_charsmap of 3 bytes is too short for its length
        """
        try:
            data = base64.b64decode(charsmap, validate=True)
        except ValueError as error:
            raise ValueError(f"precompiled_charsmap is not base64: {error}") from error
        if len(data) < 4:
            raise ValueError(f"precompiled_charsmap of {len(data)} bytes is too short for its length")
        size = int.from_bytes(data[:4], "little")
        if size % 4 or not 0 < size <= len(data) - 4:
            raise ValueError(f"precompiled_charsmap of {len(data)} bytes cannot hold a table of {size}")
        return cls(struct.unpack(f"<{size // 4}I", data[4 : 4 + size]), data[4 + size :])

    def apply(self, text: str) -> str:
        """The text with everything in the table replaced."""
        known = self._known
        if len(known) > _MOST_KNOWN:
            known.clear()
        clusters = _GRAPHEME.findall(text)
        for cluster in set(clusters) - known.keys():
            known[cluster] = self._replace_cluster(cluster)
        return "".join(map(known.__getitem__, clusters))

    def find(self, key: str) -> str | None:
        """The replacement of the shortest beginning of the key that is in the table, or None."""
        units, position = self._units, 0
        position ^= _step(units[position])
        for byte in key.encode():
            position ^= byte
            if not byte or position >= len(units) or units[position] & _LABEL != byte:
                return None
            unit = units[position]
            position ^= _step(unit)
            if unit & _END_OF_WORD:
                start = units[position] & _VALUE
                return self._texts[start : self._texts.index(b"\0", start)].decode()
        return None

    def _replace_cluster(self, cluster: str) -> str:
        if len(cluster.encode()) < _LONGEST_GRAPHEME:
            whole = self.find(cluster)
            if whole is not None:
                return whole
        replacements = ((character, self.find(character)) for character in cluster)
        return "".join(character if new is None else new for character, new in replacements)
