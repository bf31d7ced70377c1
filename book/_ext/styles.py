"""Joins the dozen stylesheets of a page into one: a phone waits for each of them before it draws a line."""

import os
import re
from pathlib import Path

BUNDLE = "_static/book.css"
LINK = re.compile(r'[ \t]*<link [^>]*?href="(?!https?:)([^"?]+\.css)[^"]*"[^>]*?/>\n?')
IMPORT = re.compile(r'@import "([^"]+)";')
ADDRESS = re.compile(r"url\((?!data:|[\"']data:)[\"']?([^)\"']+)[\"']?\)")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
ICON = re.compile(r"((?:\.fa-[\w-]+:before,?)+)\{content:[^}]*\}")
ICON_NAME = re.compile(r"fa-[\w-]+")


def bundle(folder: Path, files: list[Path]) -> None:
    """Join the stylesheets of the pages `files` in `folder`, and let every page load the joined one."""
    pages = {file: file.read_text(encoding="utf-8") for file in files}
    styles: dict[Path, None] = {}  # in the order in which pages name them
    for file, page in pages.items():
        styles |= {(file.parent / name).resolve(): None for name in LINK.findall(page) if not name.endswith(BUNDLE)}
    if not styles:
        return
    icons = set(ICON_NAME.findall("".join(pages.values())))
    target = folder / BUNDLE
    joined = "".join(_read(file, target.parent) for file in styles)
    joined = ICON.sub(lambda match: match[0] if icons & set(ICON_NAME.findall(match[1])) else "", joined)
    target.write_text(joined, encoding="utf-8")
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
