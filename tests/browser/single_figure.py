"""A page with a single live figure, written without building the book."""

import shutil
from pathlib import Path

from linebyline.figures import Figure
from linebyline.figures.rendering import compile_figure, figure_html
from tests.browser.live_page import THEME

ROOT = Path(__file__).parents[2]


def write_figure(folder: Path, figure: Figure) -> str:
    """Write the page, the style and the scripts into a folder, and return the HTML of the figure."""
    (folder / "_static").mkdir()
    (folder / "libs" / "vega").mkdir(parents=True)
    for name in ("figures.js", "course.css"):
        shutil.copy(ROOT / "book" / "_static" / name, folder / "_static")
    shutil.copy(ROOT / "node_modules" / "vega" / "build" / "vega.min.js", folder / "libs" / "vega")
    body = figure_html(figure.spec, compile_figure(figure.spec), "figure")
    (folder / "index.html").write_text(
        '<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8"><title>Live figure</title>'
        '<meta name="viewport" content="width=device-width"><link rel="icon" href="data:,">'
        f'<link rel="stylesheet" href="_static/course.css"><style>{THEME}</style>'
        '<script defer src="_static/figures.js"></script></head>'
        f"<body><main><h1>A live figure</h1>{body}</main></body></html>",
        encoding="utf-8",
    )
    return body
