"""Laws of the specifications of the figures on normalization."""

import json

import numpy as np
import pytest

from linebyline.figures import gradients_by_depth, normalization_map

FOUR = np.arange(1, 17).reshape(4, 4) / 10
WORDS = ["Dan", "loves", "ice", "cream"]
TWO = {"post": [np.ones(2), np.ones(3)], "pre": [np.ones(2), 2 * np.ones(3)]}


def test_same_arguments_give_the_same_output():
    for draw in (
        lambda: normalization_map(FOUR, WORDS, description="A table."),
        lambda: gradients_by_depth(TWO, description="Lines."),
    ):
        assert json.dumps(draw()._repr_mimebundle_()) == json.dumps(draw()._repr_mimebundle_())


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


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: normalization_map(FOUR, WORDS[:3], description="A."), r"3 tokens are named, .* \(4, 4\)"),
        (lambda: normalization_map(FOUR[0], WORDS, description="A."), r"4 tokens are named, .* \(4,\)"),
        (lambda: normalization_map(FOUR, WORDS, row=4, description="A."), "row=4 must be one of the 4 rows"),
        (lambda: normalization_map(FOUR, WORDS, norm="group", description="A."), "norm='group' is none of none, layer"),
        (lambda: normalization_map(FOUR * np.nan, WORDS, description="A."), "not finite"),
        (lambda: normalization_map(FOUR, WORDS), "needs a description"),
        (lambda: gradients_by_depth({"a": [np.ones(2)]}, description="A."), r"two variants .* \{'a': \[2\]\}"),
        (lambda: gradients_by_depth({**TWO, "pre": [np.ones(2)]}, description="A."), "two variants with the same"),
        (lambda: gradients_by_depth(TWO, start=2, description="A."), r"start=2 must be one of the 2 depths \[2, 3\]"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
