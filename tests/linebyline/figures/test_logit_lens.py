"""Laws of the specification of the logit lens."""

from linebyline.figures import logit_lens

CHOICES = [
    [[("a", 0.5), ("b", 0.25)], [("b", 0.3), ("c", 0.1)], [("c", 0.9), ("a", 0.05)]],
    [[("b", 0.9996), ("a", 0.0)], [("a", 0.8), ("c", 0.2)], [("c", 1.0), ("b", 0.0)]],
]
PLACES = ["0: after x", '1: after "', "2: after ⏎"]


def test_each_word_has_a_row_with_depth_place_and_rank():
    spec = logit_lens(PLACES, CHOICES, place=2, depth=1, description="Words.").spec
    rows = [tuple(row.values()) for row in spec["data"]["values"]]
    assert rows[:3] == [(0, 0, 1, "a", 0.5), (0, 0, 2, "b", 0.25), (0, 1, 1, "b", 0.3)] and len(rows) == 12
    assert rows[6] == (1, 0, 1, "b", 1.0)
    depth, place, where = spec["params"]
    assert (depth["value"], depth["bind"]["max"], place["value"], place["bind"]["max"]) == (1, 1, 2, 2)
    assert where["expr"] == '["0: after x", "1: after \\"", "2: after ⏎"][place]'


def test_the_table_has_the_first_choices():
    table = logit_lens(PLACES, CHOICES, description="Words.").spec["usermeta"]["table"]
    assert table["cells"] == ["a", "b", "c", "b", "a", "c"]
    assert (table["rows"], table["columns"]) == (["0", "1"], PLACES)
