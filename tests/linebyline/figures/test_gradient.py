"""Laws of the specification of the gradient map."""

import json

import numpy as np

from linebyline.figures import gradient_map

ARRAYS = tuple(np.random.default_rng(0).normal(size=(4, 3, 2)))  # d_output, q, k, v
WORDS = ["a", "b", "a"]


def draw(*arrays, **options):
    return gradient_map(*(arrays or ARRAYS), WORDS, **{"description": "A map.", **options})


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
