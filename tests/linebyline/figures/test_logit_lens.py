"""Laws of the specification of the logit lens."""

import json

import pytest

from linebyline.figures import logit_lens

CHOICES = [
    [[("a", 0.5), ("b", 0.25)], [("b", 0.3), ("c", 0.1)], [("c", 0.9), ("a", 0.05)]],
    [[("b", 0.9996), ("a", 0.0)], [("a", 0.8), ("c", 0.2)], [("c", 1.0), ("b", 0.0)]],
]
PLACES = ["0: after x", '1: after "', "2: after ⏎"]


def test_same_arguments_give_the_same_output():
    drawn = [json.dumps(logit_lens(PLACES, CHOICES, description="W.")._repr_mimebundle_()) for _ in range(2)]
    assert drawn[0] == drawn[1]


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: logit_lens(PLACES, CHOICES[:1], description="W."), "1 depths and 3 places need as many lists"),
        (lambda: logit_lens(PLACES[:2], CHOICES, description="W."), "2 depths and 2 places need as many lists"),
        (lambda: logit_lens(PLACES[:1], [[c[0]] for c in CHOICES], description="W."), "2 depths and 1 places"),
        (lambda: logit_lens(PLACES, [CHOICES[0], [[("a", 1.0)]] * 3], description="W."), "need as many lists"),
        (lambda: logit_lens(PLACES, CHOICES, place=3, description="W."), "place=3 of 3"),
        (lambda: logit_lens(PLACES, CHOICES, depth=2, description="W."), "depth=2 of 2"),
        (lambda: logit_lens(PLACES, [[[("a", 1.5)]] * 3] * 2, description="W."), "between 0 and 1, got 1.5"),
        (lambda: logit_lens(PLACES, CHOICES), "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
