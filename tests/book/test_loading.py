"""Finished pages load one style sheet, and scripts that wait."""

import re
from pathlib import Path

import loading
import pytest

HEAD = """<html><head>
<link href="{up}_static/theme.css?digest=1" rel="stylesheet" />
{own}<link rel="stylesheet" type="text/css" href="{up}_static/course.css?v=2" />
<link rel="preload" as="script" href="{up}_static/theme.js" />
<script src="{up}_static/documentation_options.js"></script>
<script src="{up}_static/theme.js"></script>
<script defer src="{up}_static/late.js"></script>
<script src="{up}searchindex.js"></script>
</head><body class="a"></body></html>"""
OWN = '<link rel="stylesheet" href="{up}_static/notebook.css" />\n'


@pytest.fixture
def pages(tmp_path: Path) -> list[Path]:
    static = tmp_path / "_static"
    static.mkdir()
    (static / "theme.js").write_text('document.body.classList.add("scrolled")')
    (tmp_path / "live_model").mkdir()
    (tmp_path / "live_model" / "widget.js").write_text('make("li", { className: "pressed" })')
    for name in ("theme", "notebook", "course"):
        (static / f"{name}.css").write_text(
            f'.a {{ content: "{name}" }} .unseen {{ top: 1px }} .scrolled {{ top: 0 }} .pressed {{ left: 0 }}'
        )
    (tmp_path / "book").mkdir()
    written = {"search.html": ("", ""), "book/chapter.html": ("../", OWN), "book/teaching.html": ("../", "")}
    for name, (up, own) in written.items():
        (tmp_path / name).write_text(HEAD.replace("{own}", own).replace("{up}", up))
    return [tmp_path / name for name in written]


def finish(pages: list[Path]) -> list[str]:
    sheet = loading.bundle(pages, pages[0].parent / "_static")
    for page in pages:
        page.write_text(loading.lighten(page.read_text(), sheet))
    return [page.read_text() for page in pages]


def test_style_sheets_are_joined_in_the_order_of_the_page_that_has_all(pages):
    texts = finish(pages)
    joined = (pages[0].parent / "_static" / "book.css").read_text()
    assert re.findall(r'content:"(\w+)"', joined) == ["theme", "notebook", "course"]
    assert all(text.count("stylesheet") == 1 and 'href="book.css?v=' in text for text in texts)


def test_a_build_that_writes_few_pages_keeps_all_style_sheets(pages):
    finish(pages)
    pages[2].write_text(HEAD.replace("{own}", "").replace("{up}", "../"))
    before = (pages[0].parent / "_static" / "book.css").read_text()
    assert finish(pages) == finish(pages)
    assert (pages[0].parent / "_static" / "book.css").read_text() == before


def test_rules_stay_that_a_page_or_a_script_uses_and_no_others(pages):
    finish(pages)
    joined = (pages[0].parent / "_static" / "book.css").read_text()
    assert ".a{" in joined and ".scrolled{" in joined and ".pressed{" in joined and ".unseen{" not in joined


def test_scripts_wait_but_the_options(pages):
    search, chapter, _ = finish(pages)
    assert re.findall(r"<script(?! defer) src=\"([^\"]*)", chapter) == ["../_static/documentation_options.js"]
    assert "preload" not in chapter
    assert "searchindex" in search and "searchindex" not in chapter


def test_code_keeps_its_words_and_only_the_colors_it_has():
    code = '<pre><span class="k">def</span><span class="w"> </span><span class="nf">f</span><span class="p">(</span>'
    assert loading.lighten(code, "book.css") == '<pre><span class="k">def</span> <span class="nf">f</span>('
