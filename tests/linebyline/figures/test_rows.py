"""What figures give to the page and no test of a page sees; their numbers are compared there."""

import json

import numpy as np
import pytest

from linebyline import figures


def rows_of(figure):
    return json.loads(json.dumps(figure.spec, allow_nan=False))["data"]["values"]


@pytest.mark.parametrize(("tokens", "angle"), [(list("ab"), 0), (["the", "b"], -90)])
def test_attention_stages_writes_words_upwards(tokens, angle):
    weights, target = np.ones((1, 1, 1, 2, 2)), {"itself": np.arange(2)}
    view = figures.attention_stages(weights, ["only"], tokens, target, description="A map.").spec["vconcat"][0]
    axes = view["encoding"]
    assert (axes["x"]["axis"]["labelAngle"], axes["y"]["axis"]["labelAngle"]) == (angle, 0)


def test_leak_map_sums_scores_exactly():
    qkv = np.array([[1e16, 1.0, -1e16]]), np.ones((1, 3)), np.ones((1, 1))
    (row,) = rows_of(figures.leak_map(qkv, qkv, "a", {"none": np.ones((1, 1), dtype=bool)}, description="A map."))
    assert row["scores"] == [1 / np.sqrt(3)] * 4  # a plain sum would lose the 1


def test_verdicts_draws_and_lists_the_counts():
    counts = {"000": {"holds": 2, "corrected": 1}, "001": {"holds": 0, "corrected": 5}}
    figure = figures.verdicts(counts, description="Two documents.")
    drawn = {(row["document"], row["verdict"]): row["claims"] for row in rows_of(figure)}
    assert drawn == {(document, name): count for document, row in counts.items() for name, count in row.items()}
    table = figure.spec["usermeta"]["table"]
    assert (table["rows"], table["columns"]) == (["000", "001"], ["holds", "corrected"])
    assert table["cells"] == ["2", "1", "0", "5"]


def test_the_axis_of_encoding_matrix_reaches_the_lowest_product():
    """A single pair of features has no slow wave, and rows can point away from each other."""
    spec = figures.encoding_matrix(48, 2, description="A map.").spec
    assert spec["vconcat"][1]["encoding"]["y"]["scale"]["domain"] == [-1, 1]
