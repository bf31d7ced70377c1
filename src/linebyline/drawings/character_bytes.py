"""UTF-8 as a drawing: the bytes of a few characters, and which of them continue a character."""

from collections.abc import Sequence

from .kit import SMALL, Canvas, Drawing

LEFT, BYTE, ROW = 67, 73, 58
BIT = 0.6 * SMALL  # the width of a letter of a monospaced font


def character_bytes(characters: Sequence[str] = ("e", "é", "€", "🍦")) -> Drawing:
    """Return each character with its code point, and its bytes as cells, the first darker, with the bits below."""
    canvas = Canvas(ROW * len(characters))
    said = []
    for row, character in enumerate(characters):
        data, y = character.encode(), ROW * row + 4
        canvas.text(LEFT / 2, y + 20, character, size=20)
        canvas.note(LEFT / 2, y + 44, f"U+{ord(character):04X}", anchor="middle")
        for i, byte in enumerate(data):
            x, bits = LEFT + BYTE * i, f"{byte:08b}"
            ones = len(bits) - len(bits.lstrip("1")) + 1  # the marker ends with the first 0
            canvas.add("rect", x=x, y=y, width=BYTE, height=28, class_="cell", fill_opacity=0.08 if i else 0.45)
            canvas.text(x + BYTE / 2, y + 19, f"{byte:02X}", "" if i else "bold")
            left = x + BYTE / 2 - 4 * BIT
            canvas.text(left, y + 44, bits[:ones], "code bold", "start", SMALL)
            canvas.text(left + ones * BIT, y + 44, bits[ones:], "code", "start", SMALL)
        said.append(f"{character}, U+{ord(character):04X}: {data.hex(' ').upper()}")
    return canvas.finish(
        "Characters and their bytes in UTF-8",
        f"One row of bytes for each character: {'; '.join(said)}. First bytes are darker and begin with the bits 0, "
        "110, 1110 or 11110; each continuation byte begins with the bits 10.",
    )
