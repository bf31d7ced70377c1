"""How finished pages load: one style sheet in place of fourteen, and scripts that wait until the page can be read."""

import re
import subprocess
from pathlib import Path

import execution
from fontTools import subset

TOOLS = Path(__file__).parents[2] / "node_modules" / ".bin"
SHEET = re.compile(r'[ \t]*<link (?=[^>]*rel="stylesheet")[^>]*href="([^"?]*)[^"]*"[^>]*>\n?')
LATE = {
    r'<link rel="preload" as="script"[^>]*>\n?': "",
    # Only the page of results, which is in no folder, searches.
    r'[ \t]*<script src="\.\./(?:_static/)?(?:searchtools|language_data|searchindex)\.js"></script>\n?': "",
    # Scripts inside the page need the options at once.
    r"<script(?![^>]*\b(?:defer|async)\b)(?=[^>]*\ssrc=)(?![^>]*documentation_options)": "<script defer",
    # Names, brackets and spaces of code have the color of the text: a third of all elements of a page.
    r'<span class="[npw]">([^<]*)</span>': r"\1",
}


def bundle(pages: list[Path], static: Path) -> str:
    """Join the style sheets of the page that has most of them, without unused rules; return the address beside them."""
    every = static / "every.css"
    linked = [[page.parent / name for name in SHEET.findall(page.read_text(encoding="utf-8"))] for page in pages]
    imports = [f'@import "{sheet.resolve()}";' for sheet in max(linked, key=len)]
    # A build that writes few pages may write none that has all.
    before = every.read_text().splitlines() if every.exists() else []
    if len(imports) > 1 and not set(imports) < set(before):
        every.write_text("\n".join(imports))
    options = ["--bundle", "--minify", "--log-level=error", "--asset-names=fonts/[name]", "--loader:.ttf=empty"]
    options += ["--loader:.woff=empty", "--loader:.woff2=file", "--loader:.svg=dataurl", "--loader:.png=file"]
    sheet = static / "book.css"
    subprocess.run([TOOLS / "esbuild", every, f"--outfile={sheet}", *options], check=True)
    keep_what_is_used(sheet, [*pages, *static.rglob("*.js"), *static.parent.glob("live*/*.js")])
    return f"book.css?v={execution.digest([sheet])[:8]}"


def keep_what_is_used(sheet: Path, users: list[Path]) -> None:
    """Drop the rules and the icons that no page or script names: most of those that come with the theme."""
    options = ["--css", sheet, "--output", sheet, "--font-face", "--content", *users]
    subprocess.run([TOOLS / "purgecss", *options], check=True)
    icons = ",".join(sorted(set(re.findall(r"\\(f[0-9a-f]{3})", sheet.read_text(encoding="utf-8")))))
    for font in (sheet.parent / "fonts").glob("fa-*.woff2"):
        subset.main([str(font), f"--unicodes={icons}", "--flavor=woff2", f"--output-file={font}"])


def lighten(text: str, sheet: str) -> str:
    """Make a page load the joined style sheet, and its scripts late."""
    links = iter([f'    <link rel="stylesheet" href="{sheet}" />\n'])
    text = SHEET.sub(lambda _: next(links, ""), text)
    for pattern, replacement in LATE.items():
        text = re.sub(pattern, replacement, text)
    return text
