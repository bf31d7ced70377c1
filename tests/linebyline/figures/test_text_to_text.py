"""Laws of the specifications of the figures on text to text."""

import json

import numpy as np
import pytest

from linebyline.figures import distance_bias, prefixes

WRITTEN = {
    "a b": {"copy:": [("a", 0.994), ("b", 0.9)], "reverse:": [("b", 0.8), ("a", 1.0)]},
    "c": {"copy:": [("c", 0.5)], "reverse:": [("c", 0.25)]},
}
BIASES = np.random.default_rng(0).normal(size=(3, 7))


def test_same_arguments_give_the_same_output():
    for draw in (
        lambda: prefixes(WRITTEN, description="Words."),
        lambda: distance_bias(BIASES, 3, description="Curves."),
    ):
        assert json.dumps(draw()._repr_mimebundle_()) == json.dumps(draw()._repr_mimebundle_())


def test_each_word_has_a_row_with_its_place_and_its_probability():
    spec = prefixes(WRITTEN, sentence=1, prefix=1, description="Words.").spec
    rows = [tuple(row.values()) for row in spec["data"]["values"]]
    assert rows[:2] == [(0, 0, 1, "a", 0.99), (0, 0, 2, "b", 0.9)] and len(rows) == 6
    assert spec["usermeta"]["table"]["cells"] == ["a b", "b a", "c", "c"]
    assert [param["value"] for param in spec["params"]] == [1, 1]


def test_each_distance_of_each_head_has_its_bias():
    rows = distance_bias(BIASES, 3, description="Curves.").spec["data"]["values"]
    assert len(rows) == 21
    for row in rows:
        assert row["bias"] == pytest.approx(BIASES[row["head"], row["ahead"] + 3], abs=5e-3)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: prefixes({}, description="Words."), "at least two, got"),
        (lambda: prefixes({"a": {"copy:": []}}, description="Words."), r"at least two, got \[\['copy:'\]\]"),
        (lambda: prefixes({**WRITTEN, "d": {"copy:": [], "sort:": []}}, description="Words."), "the same prefixes"),
        (lambda: prefixes(WRITTEN, sentence=2, description="Words."), "sentence=2 of 2"),
        (lambda: prefixes({"a": {"b": [("c", 1.5)], "d": []}}, description="Words."), "between 0 and 1, got 1.5"),
        (lambda: prefixes(WRITTEN), "needs a description"),
        (lambda: distance_bias(BIASES, 4, description="Curves."), r"\(2 or more heads, 9\), got \(3, 7\)"),
        (lambda: distance_bias(BIASES, 3, head=3, description="Curves."), "head=3 must be one of 3"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
