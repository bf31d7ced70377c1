"""A table of replacements in SentencePiece's format, made here as T5's files carry one (`nmt_nfkc`)."""

import base64
import struct
import unicodedata

_REMOVED = [*range(0x1, 0x9), 0xB, *range(0xE, 0x20), 0x7F, 0x8F, 0x9F]
_BLANKS = [0x9, 0xA, 0xC, 0xD, 0x1680, *range(0x200B, 0x2010), 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD]
_END = 1 << 8


def nfkc_with_blanks(below: int = 0x3100) -> dict[str, str]:
    """NFKC for characters and their decompositions, control characters removed or made blanks."""
    rules: dict[str, str] = {}
    for character in map(chr, range(0x80, below)):
        normal = unicodedata.normalize("NFKC", character)
        for key in (character, unicodedata.normalize("NFD", character)):
            if key != normal:
                rules[key] = normal
    rules |= {chr(i): "" for i in _REMOVED} | {chr(i): " " for i in _BLANKS}
    return rules


def as_base64(rules: dict[str, str]) -> str:
    """The table as a file writes it."""
    texts, starts = bytearray(), {}
    for new in sorted(set(rules.values())):
        starts[new] = len(texts)
        texts += new.encode() + b"\0"
    units = _double_array({key.encode(): starts[new] for key, new in rules.items()})
    return base64.b64encode(struct.pack(f"<I{len(units)}I", 4 * len(units), *units) + texts).decode()


def _double_array(values: dict[bytes, int]) -> list[int]:
    """Put a tree of bytes into one list: a node's children lie where exclusive or with its offset leads."""
    tree: dict[int, dict] = {}
    for key, value in values.items():
        node = tree
        for byte in key:
            node = node.setdefault(byte, {})
        node[0] = value
    units, taken, waiting, low = {0: 0}, {0}, [(0, tree)], 1
    while waiting:
        place, children = waiting.pop()
        while low in taken:
            low += 1
        # An offset fits in 21 bits here, so the wide form is not needed.
        base = next(b for b in range(low, 1 << 21) if b ^ place and all(b ^ label not in taken for label in children))
        units[place] |= (base ^ place) << 10 | (_END if 0 in children else 0)
        for label, child in children.items():
            taken.add(base ^ label)
            units[base ^ label] = child | 1 << 31 if label == 0 else label
            if label:
                waiting.append((base ^ label, child))
    return [units.get(i, 0) for i in range((max(units) | 255) + 1)]
