"""Last edits on the finished pages: what the theme gets wrong for weight, speed and screen readers."""

import re

SYSTEM_THEME = '(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")'


def _named(words: str) -> str:
    """A name for those who see it and for those who hear it."""
    return f'title="{words}" aria-label="{words}"'


EDITS = (
    # This script draws the icons that the icon font has already drawn, and weighs more than the rest of the page.
    (re.compile(r"<script[^>]*fontawesome[^>]*></script>"), ""),
    (re.compile(r"<link[^>]*fontawesome[^>]*/>"), ""),
    # A browser in dark mode would draw the page twice, light and then dark, and others would style it twice.
    (re.compile(r'(localStorage\.getItem\("theme"\) \|\| )"auto"'), rf"\1{SYSTEM_THEME}"),
    # Scripts that wait need not come before the style.
    (re.compile(r'<link rel="preload" as="script"[^>]*>\n?'), ""),
    # A script that waits does not hold up the drawing of the page; the short ones between them only set names.
    (re.compile(r"<script (?![^>]*\bdefer\b)(?=[^>]*\bsrc=)"), "<script defer "),
    # A label that replaces the words in the button hides them from voice control.
    (re.compile(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"'), r"\1"),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # An equation wider than a phone scrolls, so the keyboard must be able to reach it.
    (re.compile(r'<div class="math([^"]*)"(?! tabindex)'), r'<div class="math\1" tabindex="0"'),
    # A download says what it is; the label holds the word that is seen, for voice control.
    (re.compile(r'title="Download notebook file"'), _named("Notebook, to run (.ipynb)")),
    (re.compile(r'title="Download source file"'), _named("Source in MyST Markdown (.md)")),
    (re.compile(r'title="Print to PDF"'), _named("Print, or save as PDF (.pdf)")),
    # No style asks for these marks of words and blanks, and a page of signatures has a quarter fewer elements without.
    (re.compile(r'<span class="(?:pre|w)">([^<]*)</span>'), r"\1"),
    # Names and punctuation have the colour of their code: a fifth of a chapter's elements are nothing but these marks.
    (re.compile(r'<span class="(?:n|p|nn)">([^<]*)</span>'), r"\1"),
    # This role is deprecated, and its list then has no items.
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
)
# The box for searching leads to the search page, the only one that needs the index of all words.
SEARCH = re.compile(r"[ \t]*<script [^>]*(?:searchtools|language_data|searchindex)\.js[^>]*></script>\n?")
MEASURING = re.compile(r',"complete"===document\.readyState\?(\w+)\(\):window\.addEventListener\("load",\1\)')
EDITED = "\n// What scrolls is measured by scrolling.js.\n"


def polish(page: str) -> str:
    """Return the finished page edited; editing it twice changes nothing."""
    for pattern, replacement in EDITS:
        page = pattern.sub(replacement, page)
    if 'id="search-results"' not in page:
        page = SEARCH.sub("", page)
    return page


def without_measuring(script: str) -> str:
    """Return the theme's script without the measuring of all that may scroll, which `scrolling.js` does.

    A second build finds the script as the first one left it, and changes nothing.

    Raises:
        ValueError: it is not where it was in the version of the theme that the lock names.
    """
    if script.endswith(EDITED):
        return script
    rest, found = MEASURING.subn("", script)
    if found != 1:
        raise ValueError(f"the theme's script measures what scrolls in {found} places, not in one")
    return rest + EDITED
