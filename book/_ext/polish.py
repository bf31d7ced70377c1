"""Last edits on the finished pages: what the theme gets wrong for weight and for screen readers."""

import re

EDITS = (
    # This script draws the icons that the icon font has already drawn, and weighs more than the rest of the page.
    (re.compile(r"<script[^>]*fontawesome[^>]*></script>"), ""),
    # A label that replaces the words in the button hides them from voice control.
    (re.compile(r'(<button class="btn search-button-field[^>]*?) aria-label="Search"'), r"\1"),
    (re.compile(r'<summary aria-label="Toggle hidden content">'), "<summary>"),
    # This role is deprecated, and its list then has no items.
    (re.compile(r'role="doc-biblioentry"'), 'role="listitem"'),
)


def polish(page: str) -> str:
    """Return the finished page with its labels mended and without the second set of icons."""
    for pattern, replacement in EDITS:
        page = pattern.sub(replacement, page)
    return page
