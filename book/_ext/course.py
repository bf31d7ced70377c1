"""Sphinx extension of the book: its directives, links and scripts, and what the theme leaves out for screen readers."""

import html
import re
from pathlib import Path
from typing import Any

import chapters
import loading
import maths
from docutils import nodes
from links import link_claims, link_terms, mark_rows
from page_directives import ChapterMap, FurtherReading, InPage, PlanOfWeeks, ReadingPath, add_time
from sheets import FillSheets, Sheet
from sphinx.application import Sphinx

from clearformer.files import write_whole

# Before the page is drawn, so that neither code that is not wanted nor the other theme flashes up.
AS_CHOSEN = (
    "<script>try{document.documentElement.setAttribute"
    "('data-code',localStorage.getItem('clearformer-code')??'shown');"
    "if((localStorage.getItem('mode')??'auto')==='auto')localStorage.setItem"
    "('theme',matchMedia('(prefers-color-scheme: dark)').matches?'dark':'light')}catch{}</script>"
)
DIRECTIVES = {"predict": InPage, "diagnose": InPage, "chapter-map": ChapterMap, "path": ReadingPath}
DIRECTIVES |= {"plan-of-weeks": PlanOfWeeks, "further-reading": FurtherReading, "sheet": Sheet}
# The scripts of the book, by what on a page calls for them.
SCRIPTS = {
    "live-figure": "figures.js",
    'class="in-page"': "answers.js",
    'id="claims-filter"': "claims.js",
    'class="chapter-map"': "map.js",
    "admonition-in-this-chapter": "progress.js",
    'class="code-switch"': "code_switch.js",
    'class="term ': "terms.js",
    "tour-panel": "tour.js",
}
# What the theme writes, and what a page needs in its place; where a theme writes something else, nothing is changed.
EDITS = {
    # This script draws icons that the icon font has already drawn, and weighs more than the rest of the page.
    r"<(?:script|link)[^>]*fontawesome[^>]*(?:></script>|/>)": "",
    # A label that replaces the words in a button hides them from voice control.
    r'(<button class="btn search-button-field[^>]*?) aria-label="Search"': r"\1",
    '<summary aria-label="Toggle hidden content">': "<summary>",
    # A download is named by what it is; the name holds the word that is seen.
    'title="Download notebook file"': 'title="Notebook, to run (.ipynb)" aria-label="Notebook, to run (.ipynb)"',
    'title="Download source file"': 'title="Source in MyST Markdown (.md)" aria-label="Source in MyST Markdown (.md)"',
    'title="Print to PDF"': 'title="Print, or save as PDF (.pdf)" aria-label="Print, or save as PDF (.pdf)"',
    # This role is deprecated, and its list then has no items.
    'role="doc-biblioentry"': 'role="listitem"',
}


def prepare_page(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Load the scripts of what is on the page, and write the files beside it that it leads to."""
    for mark, script in SCRIPTS.items():
        if mark in context.get("body", ""):
            app.add_js_file(script, loading_method="defer")
    # The theme's live-code launcher is not used, and its scripts declare a constant twice.
    scripts = context.get("script_files", [])
    context["script_files"] = [script for script in scripts if "thebe" not in str(script).lower()]
    words = html.escape(f"{context.get('title', '')}: a page of {app.config.html_title}, a course that runs.")
    context["metatags"] = f'{context.get("metatags", "")}<meta name="description" content="{words}">{AS_CHOSEN}'
    if app.builder.name == "html" and app.env.nb_metadata.get(page, {}).get("exec_data"):
        context["ipynb_source"] = f"{page}.ipynb"
        notebook = chapters.offered(Path(app.srcdir, page).with_suffix(".md"))
        chapters.write(notebook, Path(app.outdir, "_sources", page).with_suffix(".ipynb"))


def write_files(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Write beside the page the files that its figures brought: too large for the page, and loaded when asked for."""
    for node in doctree.findall(nodes.raw) if doctree else ():
        for name, text in node.get("files", {}).items():
            write_whole(Path(app.outdir, page).with_name(name), text)


def edit_pages(app: Sphinx, error: Exception | None) -> None:
    """Make the edits in every finished page; making them twice changes nothing."""
    if error or app.builder.name != "html":
        return
    pages = [*Path(app.outdir, "book").glob("*.html"), *Path(app.outdir).glob("*.html")]
    sheet = loading.bundle(pages, Path(app.outdir, "_static"))
    for file in pages:
        before = file.read_text(encoding="utf-8")
        after = loading.lighten(before, f"{'../' * (file.parent.name == 'book')}_static/{sheet}")
        for pattern, replacement in EDITS.items():
            after = re.sub(pattern, replacement, after)
        if after != before:
            file.write_text(after, encoding="utf-8")


def repository_link(name: str, source: str, words: str, *_: Any) -> tuple[list[nodes.Node], list[nodes.Node]]:
    """The words, as a link to where this book is built from if others can reach it."""
    address = chapters.repository().removesuffix(".git")
    return [nodes.reference(source, words, refuri=address) if address else nodes.Text(words)], []


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the functions above to the build."""
    # It numbers parts when all pages are read, and does not say that pages may be read side by side.
    if "sphinx_multitoc_numbering" in app.extensions:
        app.extensions["sphinx_multitoc_numbering"].parallel_read_safe = True
    app.add_html_math_renderer("katex", inline_renderers=(maths.visit, None), block_renderers=(maths.visit, None))
    app.add_css_file("../libs/katex/katex.min.css")
    app.add_css_file("drawings.css", priority=890)
    app.add_css_file("course.css", priority=900)
    for kind, directive in DIRECTIVES.items():
        app.add_directive(kind, directive)
    app.add_role("repository", repository_link)
    app.add_post_transform(FillSheets)
    app.connect("doctree-read", add_time)
    for change in (mark_rows, link_terms, link_claims, maths.render_page):
        app.connect("doctree-resolved", change)
    app.connect("html-page-context", prepare_page, priority=450)
    app.connect("html-page-context", write_files)
    app.connect("build-finished", edit_pages, priority=900)  # after the theme has written the colors of code
    return {"parallel_read_safe": True, "parallel_write_safe": True}
