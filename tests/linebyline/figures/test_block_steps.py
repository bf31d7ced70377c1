"""Laws of the figure of blocks before it is drawn: one row for each pair, and what is refused."""

import json

import numpy as np
import pytest

from linebyline.figures import block_steps

SCORES, VALUES = np.arange(16.0).reshape(4, 4), np.array([1.0, -2.0, 3.0, 0.5])


def draw(**changes):
    return block_steps(**{"scores": SCORES, "values": VALUES, "chunk": 2, "description": "Four blocks.", **changes})


def test_every_pair_has_its_score_its_value_and_its_block():
    rows = draw().spec["data"]["values"]
    assert len(rows) == 16
    for row in rows:
        assert row["score"] == SCORES[row["query"], row["key"]]
        assert row["value"] == VALUES[row["key"]]
        assert row["block"] == row["key"] // 2


def test_the_sliders_reach_every_query_and_every_block():
    params = {param["name"]: param for param in draw(query=2, taken=2).spec["params"]}
    assert (params["query"]["bind"]["min"], params["query"]["bind"]["max"], params["query"]["value"]) == (0, 3, 2)
    assert (params["taken"]["bind"]["min"], params["taken"]["bind"]["max"], params["taken"]["value"]) == (1, 2, 2)


def test_same_arguments_give_the_same_output():
    assert json.dumps(draw().spec) == json.dumps(draw().spec)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"values": VALUES[:3]}, r"scores \(4, 4\) must be \(T, T\) for values \(3,\)"),
        ({"chunk": 3}, "chunk=3 must divide T=4"),
        ({"chunk": 0}, "chunk=0 must divide T=4"),
        ({"scores": np.where(np.eye(4, dtype=bool), -np.inf, SCORES)}, "not finite"),
        ({"query": 4}, "query=4 of 4 and taken=1 of 2 must exist"),
        ({"taken": 3}, "query=0 of 4 and taken=3 of 2 must exist"),
        ({"taken": 0}, "taken=0 of 2"),
        ({"description": " "}, "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(wrong, message):
    with pytest.raises(ValueError, match=message):
        draw(**wrong)
