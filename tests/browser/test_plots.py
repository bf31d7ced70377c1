"""Laws of the plots in built pages: no picture of words, said and shown to everybody, in any font."""

import re
from pathlib import Path

import pytest
from visit import violations

HTML = Path(__file__).parents[2] / "_build" / "html"
PAGES = {page.stem: page.read_text(encoding="utf-8") for page in (HTML / "book").glob("*.html")}
WITH_PLOTS = [name for name, page in PAGES.items() if 'class="plot"' in page]
