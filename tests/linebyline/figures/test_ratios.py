"""Ratios: points, ranges and targets stand where they belong, and the table says the same."""

import re
from pathlib import Path

from linebyline.figures import Ratio, ratios
from linebyline.figures.rendering import compile_figure

ROOT = Path(__file__).parents[3]

FAST = Ratio("sort", "peer", "a laptop", 4.0, 3.0, 5.0, 2.0)
SLOW = Ratio("sort", "peer", "a server", 0.3, None, None, None)


def test_works_share_a_row_and_machines_have_shapes_of_their_own():
    spec = ratios([FAST, SLOW, Ratio("merge", "peer", "a laptop", 1.0, 1.0, 1.0, 1.0)], description="Three.").spec
    rows = spec["data"]["values"]
    assert [row["row"] for row in rows] == [0, 0, 1]
    assert [row["shape"] for row in rows] == ["circle", "diamond", "circle"]
    assert [(row["low"], row["ratio"], row["high"]) for row in rows] == [(3, 4, 5), (0.3, 0.3, 0.3), (1, 1, 1)]
    assert spec["height"] == 2 * 80
    assert rows[0]["words"] == ["sort", "against peer"]


def test_a_point_that_misses_its_target_is_hollow_and_one_that_reaches_it_or_has_none_is_not():
    missed = Ratio("search", "peer", "a laptop", 1.9, None, None, 2.0)
    reached = Ratio("merge", "peer", "a laptop", 2.0, None, None, 2.0)
    drawn = compile_figure(ratios([missed, reached, SLOW], description="Three.").spec)["svg"]
    assert re.findall(r' fill-opacity="([^"]*)"', drawn) == ["0", "1", "1"]


def test_the_axis_holds_all_there_is_and_the_line_of_one():
    points = next(layer for layer in ratios([FAST, SLOW], description="Two.").spec["layer"] if "name" in layer)
    assert points["encoding"]["x"]["scale"]["domain"] == [0.25, 8]
    slow = ratios([SLOW], description="One.").spec["layer"][1]["encoding"]["x"]["scale"]["domain"]
    assert slow == [0.25, 2]


def test_no_line_crosses_the_words_of_a_row():
    points = [FAST, Ratio("merge", "peer", "a laptop", 2.0, 1.0, 3.0, 1.0)]
    drawn = compile_figure(ratios(points, description="Two.").spec)["svg"]
    words = [float(top) for top in re.findall(r"<text[^>]*translate\(0,([\d.]+)\)[^>]*><tspan", drawn)]
    lines = re.findall(r'<line[^>]*translate\([\d.]+,([\d.]+)\)" x2="0" y2="([\d.]+)"[^>]*dasharray', drawn)
    assert len(words) == len(lines) == 2
    for first, (top, length) in zip(words, lines, strict=True):
        assert first + 2 * 14 < float(top) < float(top) + float(length) < first + 80 - 14


def test_the_table_has_what_was_not_measured_as_a_dash():
    table = ratios([FAST, SLOW], description="Two.").spec["usermeta"]["table"]
    assert table["rows"] == ["sort, against peer"] * 2
    assert table["cells"] == ["a laptop", "4", "3", "5", "2", "a server", "0.3", "–", "–", "–"]
