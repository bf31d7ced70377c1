"""How finished pages load: one style sheet in place of fourteen, and scripts that wait until the page can be read."""

import re
import subprocess
from pathlib import Path

ESBUILD = Path(__file__).parents[2] / "node_modules" / ".bin" / "esbuild"
SHEET = re.compile(r'[ \t]*<link (?=[^>]*rel="stylesheet")[^>]*href="([^"?]*)[^"]*"[^>]*>\n?')
# Only the options are needed at once, by scripts inside the page.
LATE = {
    r'<link rel="preload" as="script"[^>]*>\n?': "",
    r"<script(?![^>]*\b(?:defer|async)\b)(?=[^>]*\ssrc=)(?![^>]*documentation_options)": "<script defer",
}


def bundle(pages: list[Path], static: Path) -> None:
    """Join the style sheets of all pages, in their order, by esbuild, into one that lies beside them."""
    linked = [(page, SHEET.findall(page.read_text(encoding="utf-8"))) for page in pages]
    paths = [(page.parent / name).resolve() for page, names in linked for name in names]
    sheets = [sheet for sheet in dict.fromkeys(paths) if sheet.name != "book.css"]
    if sheets:
        (static / "all.css").write_text("".join(f'@import "{sheet}";\n' for sheet in sheets))
        options = ["--bundle", "--minify", "--log-level=error", "--asset-names=fonts/[name]", "--loader:.ttf=empty"]
        options += ["--loader:.woff=empty", "--loader:.woff2=file", "--loader:.svg=dataurl", "--loader:.png=file"]
        subprocess.run([ESBUILD, static / "all.css", f"--outfile={static / 'book.css'}", *options], check=True)


def lighten(text: str, static: str) -> str:
    """Make a page load the joined style sheet, and its scripts late."""
    links = iter([f'    <link rel="stylesheet" href="{static}/book.css" />\n'])
    text = SHEET.sub(lambda _: next(links, ""), text)
    for pattern, replacement in LATE.items():
        text = re.sub(pattern, replacement, text)
    return text
