"""Laws of the specifications of the figures on normalization."""

import numpy as np

from linebyline.figures import gradients_by_depth, normalization_map

FOUR = np.arange(1, 17).reshape(4, 4) / 10
WORDS = ["Dan", "loves", "ice", "cream"]
TWO = {"post": [np.ones(2), np.ones(3)], "pre": [np.ones(2), 2 * np.ones(3)]}


def test_the_row_and_the_start_are_the_callers():
    spec = normalization_map(FOUR, WORDS, row=2, norm="RMS", description="A table.").spec
    assert [param["value"] for param in spec["params"]] == [1, 0, 3]
    assert "row of ice" in spec["params"][0]["bind"]["name"]
    assert [row["value"] for row in spec["data"]["values"]] == FOUR.ravel().tolist()


def test_layers_are_counted_from_one_and_the_last_is_marked():
    rows = gradients_by_depth(TWO, description="Lines.").spec["data"]["values"]
    assert [(row["layer"], row["last"]) for row in rows[:5]] == [
        (1, False),
        (2, True),
        (1, False),
        (2, False),
        (3, True),
    ]
    assert rows[-1] == {"variant": "pre", "depth": 1, "layer": 3, "value": 2.0, "last": True}
