"""Joins the dozen stylesheets of a page into one, and keeps of it what the book uses.

A phone waits for each stylesheet before it draws a line, and the theme brings the whole of Bootstrap.
"""

import json
import os
import re
import subprocess
from pathlib import Path

import icons

BUNDLE = "_static/book.css"
LINK = re.compile(r'[ \t]*<link [^>]*?href="(?!https?:)([^"?]+\.css)[^"]*"[^>]*?/>\n?')
SCRIPT = re.compile(r'<script [^>]*?src="(?!https?:)([^"?]+\.js)[^"]*"')
IMPORT = re.compile(r'@import "([^"]+)";')
ADDRESS = re.compile(r"url\((?!data:|[\"']data:)[\"']?([^)\"']+)[\"']?\)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
INDEX = "searchindex.js"  # words of the book, which name no style


def bundle(folder: Path, files: list[Path]) -> None:
    """Join the stylesheets of the pages `files` in `folder`, and let every page load the joined one."""
    pages = {file: file.read_text(encoding="utf-8") for file in files}
    styles: dict[Path, None] = {}  # in the order in which pages name them
    scripts: set[Path] = set()
    for file, page in pages.items():
        styles |= {(file.parent / name).resolve(): None for name in LINK.findall(page) if not name.endswith(BUNDLE)}
        scripts |= {(file.parent / name).resolve() for name in SCRIPT.findall(page) if not name.endswith(INDEX)}
    if not styles:
        return
    target = folder / BUNDLE
    joined = "".join(_read(file, target.parent) for file in styles)
    used = _used(joined, [*files, *scripts])
    target.write_text(icons.with_small_fonts(used, target.parent), encoding="utf-8")
    for file, page in pages.items():
        link = f'<link rel="stylesheet" href="{os.path.relpath(target, file.parent)}" />\n'
        first = LINK.search(page)
        if first:
            page = page[: first.start()] + link + LINK.sub("", page[first.start() :])
            file.write_text(page, encoding="utf-8")


def _read(file: Path, base: Path) -> str:
    """A stylesheet with its imports put in place and its addresses made relative to `base`."""
    text = COMMENT.sub("", file.read_text(encoding="utf-8")).replace('@charset "UTF-8";', "")
    text = ADDRESS.sub(lambda match: f'url("{os.path.relpath(file.parent / match[1], base)}")', text)
    return IMPORT.sub(lambda match: _read((file.parent / match[1]).resolve(), base), text)


def _used(css: str, files: list[Path]) -> str:
    """A stylesheet without the rules for what none of the pages and scripts names."""
    order = json.dumps({"css": css, "files": sorted(map(str, files))})
    command = ["node", str(Path(__file__).with_name("used_styles.mjs"))]
    return subprocess.run(command, input=order, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
