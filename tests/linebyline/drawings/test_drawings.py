"""Laws of all drawings: described, legible on a phone, inside their frame, and leading to real chapters."""

import inspect
import re
from xml.etree import ElementTree

import pytest
from page_directives import source

from linebyline import drawings
from linebyline.chapters import CHAPTERS
from linebyline.drawings.kit import STYLE, WIDTH, Canvas, number

SVG = "{http://www.w3.org/2000/svg}"
ALL = {name: make for name, make in vars(drawings).items() if inspect.isfunction(make)}
PHONE, LEAST = 288, 9.9  # pixels: the width of a column on a phone of 320, and the least height of letters there


@pytest.fixture(params=ALL, scope="module")
def drawn(request):
    drawing = ALL[request.param]()
    return drawing, ElementTree.fromstring(drawing.svg())


def size(text, *, above=15.0):
    """The size of the letters of an SVG text."""
    style = re.search(r"font-size:([\d.]+)px", text.get("style", ""))
    return float(style[1]) if style else above


def test_a_drawing_is_described_and_displays_itself(drawn):
    drawing, root = drawn
    assert root.get("aria-label") == f"{drawing.title}. {drawing.description}"
    assert len(drawing.description.split()) > 12
    bundle = drawing._repr_mimebundle_()
    assert "<style>" in bundle["image/svg+xml"] and ElementTree.fromstring(bundle["image/svg+xml"]) is not None


def test_letters_are_legible_on_a_phone(drawn):
    drawing, root = drawn
    scale = min(1, PHONE / drawing.width)
    assert min(size(text) * scale for text in root.iter(f"{SVG}text")) >= LEAST


def test_words_and_boxes_stay_inside(drawn):
    """Letters are taken to be half as wide as they are high."""
    drawing, root = drawn
    for text in root.iter(f"{SVG}text"):
        words, x = "".join(text.itertext()), float(text.get("x"))
        wide = 0.52 * size(text) * len(words.replace("\u200b", ""))
        left = {"start": x, "middle": x - wide / 2, "end": x - wide}[text.get("text-anchor")]
        assert left >= -4 and left + wide <= drawing.width + 4, words
        assert 8 <= float(text.get("y")) <= drawing.height - 2, words
    for box in root.iter(f"{SVG}rect"):
        x, y, width, height = (float(box.get(key)) for key in ("x", "y", "width", "height"))
        assert min(x, y) >= 0 and x + width <= drawing.width and y + height <= drawing.height


def test_every_class_has_a_style(drawn):
    styled = set(re.findall(r"\.([a-z]+)", STYLE.read_text()))
    used = {name for part in drawn[1].iter() for name in part.get("class", "").split()}
    assert used - styled - {"neutral"} == set()


def test_links_lead_to_chapters_and_to_their_sections(drawn):
    for link in drawn[1].iter(f"{SVG}a"):
        page, _, label = link.get("href").partition("#")
        assert page.removesuffix(".html") in CHAPTERS and page.endswith(".html")
        assert not label or f"\n({label})=\n" in source(page.removesuffix(".html"))


def test_each_chapter_lights_its_part():
    assert drawings.machine("mask").svg().count(' lit" href') == 1
    assert drawings.machine(["norm"]).svg().count(' lit" href') == 3
    with pytest.raises(ValueError, match="no part \\['engine'\\]"):
        drawings.machine("engine")


def test_a_subscript_is_lowered_and_the_line_comes_back():
    canvas = Canvas(20)
    canvas.text(0, 10, "(T, d_model ) and W_Q")
    lowered = re.findall(r"<tspan[^>]*>([^<]*)</tspan>", canvas.parts[0])
    assert lowered == ["model", " ) and W", "Q", "&#8203;"]


@pytest.mark.parametrize(("value", "text"), [(-1.5, "−1.5"), (0.0, "0"), (10.0, "10"), (-0.004, "0"), (0.129, "0.13")])
def test_numbers_are_short(value, text):
    assert number(value) == text


def test_an_arrow_ends_where_it_points():
    canvas = Canvas(100, WIDTH)
    canvas.line((10, 10), (60, 10))
    tip = re.search(r'd="M([\d.]+) ([\d.]+)L', canvas.parts[1])
    assert (float(tip[1]), float(tip[2])) == (61.5, 10)
