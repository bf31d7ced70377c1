"""Laws of the last edits on finished pages: they mend, they lose nothing, and doing them twice changes nothing."""

import pytest
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from icons import with_small_fonts
from polish import polish, without_measuring
from styles import bundle

PAGE = """<html><head>
<link href="_static/a/one.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="_static/two.css" />
<link rel="preload" as="script" href="_static/tools.js" />
<script data-cfasync="false">theme(localStorage.getItem("theme") || "auto")</script>
<script src="_static/tools.js"></script>
<script src="_static/searchtools.js"></script>
<script>let name = 1;</script>
<script defer src="_static/fontawesome.js?digest=1"></script>
</head><body><div class="math notranslate" id="e"></div>
<b></b><c></c><i class="fa-solid fa-list"></i></body></html>"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "_static" / "a").mkdir(parents=True)
    (tmp_path / "_static" / "a" / "one.css").write_text('@import "../zero.css";\nb{background:url(x.woff2)}')
    (tmp_path / "_static" / "zero.css").write_text("/* first */ .bs-end{color:red} .nobody{color:blue}")
    (tmp_path / "_static" / "tools.js").write_text('add("moved")')
    two = 'c{background:url("data:image/svg+xml,<svg/>")}.fa-bomb:before,.fa-boom:before{content:"2"}'
    two += '.fa-list:before,.fa-lines:before{content:"1"}'
    (tmp_path / "_static" / "two.css").write_text(two)
    (tmp_path / "index.html").write_text(PAGE)
    return tmp_path


def test_polish_defers_scripts_and_drops_the_second_set_of_icons():
    page = polish(PAGE)
    assert '<script defer src="_static/tools.js">' in page
    assert '<script data-cfasync="false">theme(localStorage.getItem("theme") || (matchMedia(' in page
    assert "preload" not in page
    assert '<div class="math notranslate" tabindex="0" id="e">' in page
    assert "fontawesome" not in page


def test_only_the_page_of_the_search_loads_its_scripts():
    assert "searchtools.js" not in polish(PAGE)
    assert "searchtools.js" in polish(PAGE.replace("<c>", '<c id="search-results">'))


def test_the_theme_measures_nothing_when_it_has_loaded():
    before, measuring = "(()=>{go()", ',"complete"===document.readyState?I():window.addEventListener("load",I)'
    after = without_measuring(f"{before}{measuring}}})();")
    assert after.startswith(f"{before}}})();\n//")
    assert without_measuring(after) == after  # as a second build finds it
    with pytest.raises(ValueError, match="in 0 places"):
        without_measuring(before)


def test_marks_that_no_style_asks_for_are_gone_and_their_words_stay():
    signature = '<em><span class="n"><span class="pre">x</span></span><span class="p"><span class="pre">:</span></span>'
    signature += '<span class="w"> </span><span class="o"><span class="pre">*</span></span></em>'
    assert polish(signature) == '<em>x: <span class="o">*</span></em>'


def test_polish_twice_is_polish_once():
    assert polish(polish(PAGE)) == polish(PAGE)


def test_bundle_keeps_the_order_of_styles_and_their_addresses(site):
    bundle(site, [site / "index.html"])
    joined = (site / "_static" / "book.css").read_text()
    assert joined.index(".bs-end{color:red}") < joined.index("b{") < joined.index("c{")
    assert 'url("a/x.woff2")' in joined
    assert "data:image/svg+xml,<svg/>" in joined


def test_bundle_keeps_only_what_a_page_or_a_script_names(site):
    (site / "_static" / "two.css").write_text(".moved{top:0} .fa-bomb:before,.fa-list:before{content:'1'} .gone{top:0}")
    bundle(site, [site / "index.html"])
    joined = (site / "_static" / "book.css").read_text()
    assert ".moved{top:0}" in joined
    assert ".bs-end" in joined  # Bootstrap joins such names as it goes
    assert ".fa-list:before{content:'1'}" in joined
    assert not any(unused in joined for unused in ("fa-bomb", "gone", "nobody"))


def test_an_icon_font_keeps_the_icons_that_the_style_names(tmp_path):
    names = {0xF001: "note", 0xF002: "glass", 0xF003: "letter", 0xE004: "heart"}
    font = FontBuilder(1000)
    font.setupGlyphOrder([".notdef", *names.values()])
    font.setupCharacterMap(names)
    pen = TTGlyphPen(None)
    font.setupGlyf(dict.fromkeys([".notdef", *names.values()], pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys([".notdef", *names.values()], (500, 0)))
    font.setupHorizontalHeader()
    font.setupNameTable({})
    font.setupOS2()
    font.setupPost()
    font.save(tmp_path / "fa-solid.ttf")
    face = '@font-face{src:url("./fa-solid.woff2") format("woff2"),url("./fa-solid.ttf") format("truetype")}'
    icons = '.fa-note:before{content:"\\f001"}:root{--letter:"\\f003";--heart:"\ue004"}'
    css = with_small_fonts(face + icons, tmp_path)
    assert css == '@font-face{src:url("./fa-solid.woff") format("woff")}' + icons
    assert set(TTFont(tmp_path / "fa-solid.woff").getBestCmap()) == {0xF001, 0xF003, 0xE004}


def test_page_loads_the_bundle_and_nothing_else_also_after_a_second_build(site):
    for _ in range(2):
        bundle(site, [site / "index.html"])
        page = (site / "index.html").read_text()
        assert page.count("stylesheet") == 1
        assert 'href="_static/book.css"' in page
    assert ".bs-end{color:red}" in (site / "_static" / "book.css").read_text()
