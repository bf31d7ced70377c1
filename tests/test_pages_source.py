"""Laws of the last edits on finished pages: they mend, they lose nothing, and doing them twice changes nothing."""

import struct

import pytest
from polish import polish
from styles import bundle

PAGE = """<html><head>
<link href="_static/a/one.css?digest=1" rel="stylesheet" />
<link rel="stylesheet" type="text/css" href="_static/two.css" />
<script data-cfasync="false">theme()</script>
<script src="_static/tools.js"></script>
<script>let name = 1;</script>
<script defer src="_static/fontawesome.js?digest=1"></script>
</head><body><div class="math notranslate" id="e"></div>
<img alt="A plot" src="plot.png" /><i class="fa-solid fa-list"></i></body></html>"""


@pytest.fixture
def site(tmp_path):
    (tmp_path / "plot.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + struct.pack(">II", 640, 360))
    (tmp_path / "_static" / "a").mkdir(parents=True)
    (tmp_path / "_static" / "a" / "one.css").write_text('@import "../zero.css";\nb{background:url(x.woff2)}')
    (tmp_path / "_static" / "zero.css").write_text("/* first */ a{color:red}")
    two = 'c{background:url("data:image/svg+xml,<svg/>")}.fa-bomb:before,.fa-boom:before{content:"2"}'
    two += '.fa-list:before,.fa-lines:before{content:"1"}'
    (tmp_path / "_static" / "two.css").write_text(two)
    (tmp_path / "index.html").write_text(PAGE)
    return tmp_path


def test_polish_defers_scripts_sizes_images_and_drops_the_second_set_of_icons(site):
    page = polish(PAGE, site)
    assert '<script defer src="_static/tools.js">' in page
    assert '<script data-cfasync="false">theme()</script>' in page
    assert '<img width="640" height="360" loading="lazy" alt="A plot" src="plot.png" />' in page
    assert '<div class="math notranslate" tabindex="0" id="e">' in page
    assert "fontawesome" not in page


def test_polish_twice_is_polish_once(site):
    assert polish(polish(PAGE, site), site) == polish(PAGE, site)


def test_bundle_keeps_the_order_of_styles_and_their_addresses(site):
    bundle(site, [site / "index.html"])
    joined = (site / "_static" / "book.css").read_text()
    assert joined.index("a{color:red}") < joined.index("b{") < joined.index("c{")
    assert 'url("a/x.woff2")' in joined
    assert "data:image/svg+xml,<svg/>" in joined


def test_bundle_keeps_only_icons_in_use(site):
    bundle(site, [site / "index.html"])
    joined = (site / "_static" / "book.css").read_text()
    assert joined.endswith('}.fa-list:before,.fa-lines:before{content:"1"}')
    assert "fa-boom" not in joined
    assert "fa-bomb" not in joined


def test_page_loads_the_bundle_and_nothing_else_also_after_a_second_build(site):
    for _ in range(2):
        bundle(site, [site / "index.html"])
        page = (site / "index.html").read_text()
        assert page.count("stylesheet") == 1
        assert 'href="_static/book.css"' in page
    assert "a{color:red}" in (site / "_static" / "book.css").read_text()
