"""Sphinx extension of the book: mends what the theme repeats on each page and adds what a course needs."""

import html
import re
from pathlib import Path
from typing import Any

import chapters
import figure_output
from answers import InPage
from docutils import nodes
from ledger import mark_rows
from myst_nb.core import render
from paths import ChapterMap, FurtherReading, PlanOfWeeks, ReadingPath, add_time
from polish import polish, without_measuring
from sphinx.application import Sphinx
from sphinx.util import logging
from styles import bundle
from terms import link_terms

log = logging.getLogger(__name__)

# The theme's live-code launcher is not used; its scripts redeclare a constant on every page.
UNUSED = re.compile(r"thebe", re.IGNORECASE)
THEME_SCRIPT = "_static/scripts/pydata-sphinx-theme.js"

# Before the page is drawn, so that code that is not wanted does not flash up.
AS_CHOSEN = (
    "<script>try{document.documentElement.setAttribute"
    "('data-code',localStorage.getItem('clearformer-code')??'shown')}catch{}</script>"
)
DIRECTIVES = {
    "predict": InPage,
    "diagnose": InPage,
    "chapter-map": ChapterMap,
    "path": ReadingPath,
    "plan-of-weeks": PlanOfWeeks,
    "further-reading": FurtherReading,
}
# The scripts of the book, by what on a page calls for them.
SCRIPTS = {
    "live-figure": "figures.js",
    'class="in-page"': "answers.js",
    'id="claims-filter"': "claims.js",
    'class="chapter-map"': "map.js",
    "admonition-in-this-chapter": "progress.js",
    'class="code-switch"': "code_switch.js",
    'class="term ': "terms.js",
}


def clean_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the book's own style and the scripts of what is on the page; drop what the book does not use."""
    app.add_css_file("course.css")
    app.add_js_file("scrolling.js", loading_method="defer")
    for mark, script in SCRIPTS.items():
        if mark in context.get("body", ""):
            app.add_js_file(script, loading_method="defer")
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context.get(kind, []) if not _unused(file)]
    words = html.escape(f"{context.get('title', '')}: a page of {app.config.html_title}, a course that runs.")
    context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{words}">{AS_CHOSEN}'
    if page in notebooks(app):
        context["ipynb_source"] = f"{page}.ipynb"


def write_files(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Write beside the page the files that its figures brought: too large for the page, and loaded when asked for."""
    for node in doctree.findall(nodes.raw) if doctree else ():
        for name, text in node.get("files", {}).items():
            target = Path(app.outdir, page).with_name(name)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")


def _unused(file: Any) -> bool:
    attributes = getattr(file, "attributes", {})
    return bool(UNUSED.search(f"{getattr(file, 'filename', file)} {attributes.get('body', '')}"))


def notebooks(app: Sphinx) -> list[str]:
    """Pages that execute code."""
    return [page for page, data in app.env.nb_metadata.items() if data.get("exec_data")]


def write_notebooks(app: Sphinx, error: Exception | None) -> None:
    """Write a notebook beside the source of each executed page, for the download button."""
    if error or app.builder.name != "html":
        return
    for page in notebooks(app):
        source = Path(app.srcdir, page).with_suffix(".md")
        chapters.write(chapters.offered(source), Path(app.outdir, "_sources", page).with_suffix(".ipynb"))


def polish_pages(app: Sphinx, error: Exception | None) -> None:
    """Mend every finished page; doing it twice changes nothing."""
    if error or app.builder.name != "html":
        return
    # The theme leaves templates of its own under _static, and decks of slides have a style of their own.
    pages = [file for file in Path(app.outdir).rglob("*.html") if not {"_static", "slides"} & {*file.parts}]
    for file in pages:
        before = file.read_text(encoding="utf-8")
        after = polish(before)
        if after != before:
            file.write_text(after, encoding="utf-8")
    theme = Path(app.outdir, THEME_SCRIPT)
    theme.write_text(without_measuring(theme.read_text(encoding="utf-8")), encoding="utf-8")
    bundle(Path(app.outdir), pages)


def report_times(app: Sphinx, error: Exception | None) -> None:
    """Print the slowest chapters, so that nobody has to ask why a build is slow."""
    if error or app.builder.name != "html":
        return
    times = {page: app.env.nb_metadata[page]["exec_data"]["runtime"] for page in notebooks(app)}
    for page, seconds in sorted(times.items(), key=lambda item: -(item[1] or 0))[:5]:
        log.info("%7.1f s  %s", seconds or 0, page)


def repository_link(name: str, source: str, words: str, *_: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """The words, as a link to where this book is built from if others can reach it."""
    address = chapters.repository().removesuffix(".git")
    return [nodes.reference(source, words, refuri=address) if address else nodes.Text(words)], []


def join_before_merging() -> None:
    """Hand MyST-NB each printed text in one piece: where pieces meet, its own merging adds or loses line ends."""
    merge = render.coalesce_streams
    render.coalesce_streams = lambda outputs: merge(chapters.join_streams(outputs))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the functions above to the build."""
    join_before_merging()
    figure_output.register()
    for kind, directive in DIRECTIVES.items():
        app.add_directive(kind, directive)
    app.add_role("repository", repository_link)
    app.connect("doctree-read", add_time)
    app.connect("doctree-resolved", mark_rows)
    app.connect("doctree-resolved", link_terms)
    app.connect("html-page-context", clean_page, priority=450)
    app.connect("html-page-context", write_files)
    # Late: the theme writes its colours for code when the build has finished, too.
    app.connect("build-finished", polish_pages, priority=900)
    app.connect("build-finished", write_notebooks)
    app.connect("build-finished", report_times)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
