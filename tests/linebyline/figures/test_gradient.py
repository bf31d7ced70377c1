"""Laws of the specification of the gradient map."""

import json

import numpy as np
import pytest

from linebyline.figures import gradient_map

ARRAYS = tuple(np.random.default_rng(0).normal(size=(4, 3, 2)))  # d_output, q, k, v
WORDS = ["a", "b", "a"]


def draw(*arrays, **options):
    return gradient_map(*(arrays or ARRAYS), WORDS, **{"description": "A map.", **options})


def test_same_arguments_give_the_same_output():
    assert json.dumps(draw()._repr_mimebundle_()) == json.dumps(draw()._repr_mimebundle_())


def test_each_cell_carries_its_query_and_its_key_to_the_last_bit():
    d_output, q, k, v = ARRAYS
    cells = json.loads(json.dumps(draw().spec))["data"]["values"]
    assert [(cell["query"], cell["key"]) for cell in cells] == list(np.ndindex(3, 3))
    for cell in cells:
        for name, row in (("g", d_output), ("q", q)):
            assert [cell[f"{name}0"], cell[f"{name}1"]] == list(row[cell["query"]])
        for name, row in (("k", k), ("v", v)):
            assert [cell[f"{name}0"], cell[f"{name}1"]] == list(row[cell["key"]])


def test_widths_of_keys_and_values_may_differ():
    q, wide = ARRAYS[1], np.ones((3, 5))
    assert "v4" in draw(wide, q, q, wide).spec["data"]["values"][0]


def test_a_mask_says_what_is_seen():
    cells = draw(mask=np.tri(3, dtype=bool)).spec["data"]["values"]
    assert [cell["seen"] for cell in cells] == [cell["key"] <= cell["query"] for cell in cells]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw(*(array[:2] for array in ARRAYS)), r"3 tokens need arrays of 3 rows, .* q \(2, 2\)"),
        (lambda: draw(*ARRAYS[:3], ARRAYS[3][:, :1]), r"v \(3, 1\), d_output \(3, 2\)"),
        (lambda: draw(mask=np.ones((2, 3), dtype=bool)), r"mask \(2, 3\) must be \(3, 3\)"),
        (lambda: draw(mask=np.eye(3, k=1, dtype=bool)), "leave every query a key"),
        (lambda: draw(row=4), "row=4 must be one of the 3 rows, or 3 for all"),
        (lambda: draw(ARRAYS[0] * np.nan, *ARRAYS[1:]), "cannot draw nan"),
        (lambda: draw(description=" "), "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
