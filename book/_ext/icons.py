"""Keeps of the icon fonts what the book draws: with all their icons they weigh more than a page."""

import re
from pathlib import Path

from fontTools import subset

CODE = re.compile(r"\\([ef][0-9a-f]{3})\b")
LETTER = re.compile("[\ue000-\uf8ff]")  # where Unicode leaves room for icons
FONT = re.compile(r'url\("([^"]*/fa-[\w-]+)\.woff2"\) ?format\("woff2"\)(?:, ?url\("[^"]*"\) ?format\("truetype"\))?')


def with_small_fonts(css: str, base: Path) -> str:
    """Write each icon font that a stylesheet in `base` loads anew, with the icons it names, and let it load that."""
    codes = {int(code, 16) for code in CODE.findall(css)} | set(map(ord, LETTER.findall(css)))
    return FONT.sub(lambda match: f'url("{_small(match[1], codes, base)}") format("woff")', css)


def _small(name: str, codes: set[int], base: Path) -> str:
    """Write the font `name` with some characters; give the address of the file."""
    options = subset.Options(flavor="woff", notdef_outline=True)
    with subset.load_font(str(base / f"{name}.ttf"), options) as font:
        keeper = subset.Subsetter(options)
        keeper.populate(unicodes=codes)
        keeper.subset(font)
        subset.save_font(font, str(base / f"{name}.woff"), options)
    return f"{name}.woff"
