r"""GPT-2's alphabet: a printable character for each of the 256 bytes.

Merges work on bytes, so no text is out of vocabulary. A file of tokens needs text, though, and many bytes are
no text on their own. GPT-2 gives every byte a character: printable Latin-1 bytes keep their own, the
other 68 (white space and controls) get the characters from U+0100 on. A space becomes ``Ġ`` and a line feed ``Ċ``.

Source: Radford et al. (2019), GPT-2; the table is the one in its published code.
"""

_PRINTABLE = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
_OTHER = [byte for byte in range(256) if byte not in _PRINTABLE]

BYTES_IN_ORDER = bytes(_PRINTABLE + _OTHER)
"""All 256 bytes in the order of their characters, which is the order of their ids."""

_CODE_POINTS = [*_PRINTABLE, *range(256, 256 + len(_OTHER))]
_CHARACTER_OF = dict(zip(BYTES_IN_ORDER, map(chr, _CODE_POINTS), strict=True))
_BYTE_OF = {character: byte for byte, character in _CHARACTER_OF.items()}


def spell(token: bytes) -> str:
    r"""Write a token of bytes with one printable character a byte.

    Example:
        >>> spell(b" caf\xc3\xa9")
        'ĠcafÃ©'
    """
    return "".join(map(_CHARACTER_OF.__getitem__, token))


def unspell(spelling: str) -> bytes:
    """Undo `spell`; a character that does not represent a byte is a ValueError.

    Example:
        >>> unspell("Ġthe")
        b' the'
    """
    try:
        return bytes(map(_BYTE_OF.__getitem__, spelling))
    except KeyError as error:
        raise ValueError(f"{error.args[0]!r} in token {spelling!r} represents no byte") from None
