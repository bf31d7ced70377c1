"""Laws of the figure of merges before it is drawn: what lives when, and what is refused."""

from linebyline.figures import merge_steps
from linebyline.figures.merge_steps import show

PIECES = [b"ice", b" cream", "é".encode()]
MERGES = [(b"x", b"y"), (b"c", b"r"), (b"c", b"e"), (b"\xc3", b"\xa9"), (b"cr", b"e")]


def drawn(**changes):
    return merge_steps(**{"pieces": PIECES, "merges": MERGES, "description": "A sentence.", **changes})


def test_the_slider_stops_where_something_changes():
    spec = drawn(start=2).spec
    params = {param["name"]: param for param in spec["params"]}
    assert params["ranks"]["value"] == [0, 2, 3, 4, 5]
    assert params["counts"]["value"] == [11, 10, 9, 8, 7]
    assert params["step"]["value"] == 1
    cells = spec["usermeta"]["table"]["cells"]
    assert cells == ["–", "11", "c + r", "10", "c + e", "9", "C3 + A9", "8", "cr + e", "7"]


def test_a_pre_token_is_never_broken_over_lines():
    rows = drawn(columns=8).spec["data"]["values"]
    letters = sorted((row["start"], row["y"]) for row in rows if row["kind"] == "letter" and row["born"] == 0)
    lines = [y for _, y in letters]
    assert lines[:3] == lines[:1] * 3
    assert lines[3:9] == lines[3:4] * 6
    assert lines[3] > lines[0]


def test_bytes_that_are_no_text_are_shown_in_hexadecimal():
    assert [show(token) for token in (b"\n", b"\xff\x00", b" a ", "語".encode())] == ["0A", "FF 00", "·a·", "語"]
