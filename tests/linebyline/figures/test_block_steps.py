"""Laws of the figure of blocks before it is drawn: one row for each pair, and what is refused."""

import numpy as np

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
