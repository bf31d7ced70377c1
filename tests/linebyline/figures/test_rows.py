"""The numbers that figures give to the page, and where their controls begin; what the page computes is tested there."""

import json

import numpy as np
import pytest

from linebyline import figures
from linebyline.decoder_sizes import PUBLISHED, DecoderSizes

RNG = np.random.default_rng(0)


def rows_of(figure):
    return json.loads(json.dumps(figure.spec, allow_nan=False))["data"]["values"]


def params_of(figure):
    return {param["name"]: param for param in figure.spec["params"]}


def test_block_steps_has_score_value_and_block_of_every_pair():
    scores, values = np.arange(16.0).reshape(4, 4), np.array([1.0, -2.0, 3.0, 0.5])
    figure = figures.block_steps(scores, values, 2, query=2, taken=2, description="Four blocks.")
    rows = rows_of(figure)
    assert len(rows) == 16
    for row in rows:
        assert row["score"] == scores[row["query"], row["key"]]
        assert (row["value"], row["block"]) == (values[row["key"]], row["key"] // 2)
    params = params_of(figure)
    assert (params["query"]["bind"]["max"], params["query"]["value"]) == (3, 2)
    assert (params["taken"]["bind"]["max"], params["taken"]["value"]) == (2, 2)


@pytest.mark.parametrize("d_v", [2, 5])
def test_gradient_map_has_query_and_key_of_every_cell(d_v):
    q, k, v, d_output = (RNG.normal(size=(3, width)) for width in (2, 2, d_v, d_v))
    cells = rows_of(figures.gradient_map(d_output, q, k, v, "aba", mask=np.tri(3, dtype=bool), description="A map."))
    assert [(cell["query"], cell["key"]) for cell in cells] == list(np.ndindex(3, 3))
    for cell in cells:
        assert cell["seen"] == (cell["key"] <= cell["query"])
        for name, array, of in (("g", d_output, "query"), ("q", q, "query"), ("k", k, "key"), ("v", v, "key")):
            assert [cell[f"{name}{i}"] for i in range(array.shape[1])] == list(array[cell[of]])


def test_attention_stages_has_the_weight_of_a_cell_in_every_map():
    weights = RNG.random((3, 2, 5, 4, 4))
    targets = {"before": np.arange(4) - 1, "after": np.array([-1, -1, 1, 2])}
    rows = rows_of(figures.attention_stages(weights, ["early", "mid", "late"], "abab", targets, description="Maps."))
    assert len(rows) == 16
    for row in rows:
        np.testing.assert_allclose(row["maps"], weights[..., row["query"], row["key"]].ravel(), atol=5.001e-5)
    assert [(row["query"], row["key"]) for row in rows if row["marked"]] == [(2, 1), (3, 2)]


@pytest.mark.parametrize(("tokens", "angle"), [(list("ab"), 0), (["the", "b"], -90)])
def test_attention_stages_writes_words_upwards(tokens, angle):
    weights, target = np.ones((1, 1, 1, 2, 2)), {"itself": np.arange(2)}
    view = figures.attention_stages(weights, ["only"], tokens, target, description="A map.").spec["vconcat"][0]
    axes = view["encoding"]
    assert (axes["x"]["axis"]["labelAngle"], axes["y"]["axis"]["labelAngle"]) == (angle, 0)


def test_leak_map_has_the_scores_of_every_replacement():
    before, after = (tuple(RNG.normal(size=(4, d)) for d in (2, 2, 3)) for _ in range(2))
    masks = {"none": np.ones((4, 4), dtype=bool), "past only": np.tri(4, k=-1, dtype=bool)}
    rows = rows_of(figures.leak_map(before, after, "abcd", masks, description="A map."))
    assert len(rows) == 16
    row = rows[4 * 2 + 3]  # query 2, key 3
    (q, k, v), (q2, k2, v2) = before, after
    expected = np.array([q[2] @ k[3], q[2] @ k2[3], q2[2] @ k[3], q2[2] @ k2[3]]) / np.sqrt(2)
    np.testing.assert_allclose(row["scores"], expected, rtol=1e-12)
    assert (row["values"], row["values_after"], row["may"]) == (list(v[3]), list(v2[3]), [True, False])


def test_leak_map_sums_scores_exactly():
    qkv = np.array([[1e16, 1.0, -1e16]]), np.ones((1, 3)), np.ones((1, 1))
    (row,) = rows_of(figures.leak_map(qkv, qkv, "a", {"none": np.ones((1, 1), dtype=bool)}, description="A map."))
    assert row["scores"] == [1 / np.sqrt(3)] * 4  # a plain sum would lose the 1


def test_cache_size_counts_the_numbers_of_a_token():
    models = {"small": (2, 4, 4, 8), "shared": (2, 4, 1, 8)}
    small, shared = rows_of(figures.cache_size(models, description="Bytes."))
    assert (small["numbers"], small["group"]) == (2 * 2 * 4 * 8, 1)
    assert (shared["numbers"], shared["group"]) == (2 * 2 * 1 * 8, 4)


def test_hidden_units_has_the_weights_of_each_unit():
    one = np.ones((1, 1)), np.zeros(1), np.ones((1, 1)), np.array([5.0])
    two = np.array([[1.0, 2.0]]), np.array([3.0, 4.0]), np.array([[5.0], [6.0]]), np.array([7.0])
    x = np.linspace(-1, 1, 9)
    params = params_of(figures.hidden_units(x, x**2, [one, two], start=1, description="A layer."))
    units = [{"unit": 0, "w": 1.0, "b": 3.0, "v": 5.0}, {"unit": 1, "w": 2.0, "b": 4.0, "v": 6.0}]
    assert params["layers"]["value"][1] == units
    assert params["bias"]["value"] == [5.0, 7.0]
    assert (params["stop"]["value"], params["stop"]["bind"]["max"], params["activation"]["value"]) == (1, 1, 1)


def test_verdicts_draws_and_lists_the_counts():
    counts = {"000": {"holds": 2, "corrected": 1}, "001": {"holds": 0, "corrected": 5}}
    figure = figures.verdicts(counts, description="Two documents.")
    drawn = {(row["document"], row["verdict"]): row["claims"] for row in rows_of(figure)}
    assert drawn == {(document, name): count for document, row in counts.items() for name, count in row.items()}
    table = figure.spec["usermeta"]["table"]
    assert (table["rows"], table["columns"]) == (["000", "001"], ["holds", "corrected"])
    assert table["cells"] == ["2", "1", "0", "5"]


def test_model_sizes_offers_each_published_size_for_another_model():
    models = {name: DecoderSizes.of(config) for name, config in PUBLISHED.items()}
    params = params_of(figures.model_sizes(models, description="Sums."))
    for name in ("d_model", "n_layers", "n_heads", "n_kv_heads", "d_ff", "vocab_size"):
        choices = json.loads(params[name]["expr"].split(" ? ")[1].split("[" + name)[0])
        assert {getattr(sizes, name) for sizes in models.values()} <= set(choices)
        assert choices == sorted(set(choices))
        assert params[f"{name}_choice"]["bind"]["max"] == len(choices)


def test_logit_lens_has_depth_place_and_rank_of_each_word():
    choices = [
        [[("a", 0.5), ("b", 0.25)], [("b", 0.3), ("c", 0.1)], [("c", 0.9), ("a", 0.05)]],
        [[("b", 0.9996), ("a", 0.0)], [("a", 0.8), ("c", 0.2)], [("c", 1.0), ("b", 0.0)]],
    ]
    places = ["0: after x", '1: after "', "2: after ⏎"]
    figure = figures.logit_lens(places, choices, place=2, depth=1, description="Words.")
    rows = [tuple(row.values()) for row in rows_of(figure)]
    assert rows[:3] == [(0, 0, 1, "a", 0.5), (0, 0, 2, "b", 0.25), (0, 1, 1, "b", 0.3)]
    assert (len(rows), rows[6]) == (12, (1, 0, 1, "b", 1.0))
    params, table = params_of(figure), figure.spec["usermeta"]["table"]
    assert (params["depth"]["value"], params["place"]["value"]) == (1, 2)
    assert params["where"]["expr"] == '["0: after x", "1: after \\"", "2: after ⏎"][place]'
    assert (table["cells"], table["rows"], table["columns"]) == (list("abcbac"), ["0", "1"], places)


def test_prefixes_has_place_and_probability_of_each_word():
    written = {
        "a b": {"copy:": [("a", 0.994), ("b", 0.9)], "reverse:": [("b", 0.8), ("a", 1.0)]},
        "c": {"copy:": [("c", 0.5)], "reverse:": [("c", 0.25)]},
    }
    figure = figures.prefixes(written, description="Words.")
    rows = [tuple(row.values()) for row in rows_of(figure)]
    assert rows[:2] == [(0, 0, 1, "a", 0.99), (0, 0, 2, "b", 0.9)]
    assert len(rows) == 6
    assert figure.spec["usermeta"]["table"]["cells"] == ["a b", "b a", "c", "c"]


def test_distance_bias_has_the_bias_of_each_distance_and_head():
    biases = RNG.normal(size=(3, 7))
    rows = rows_of(figures.distance_bias(biases, 3, description="Curves."))
    assert len(rows) == 21
    for row in rows:
        assert row["bias"] == pytest.approx(biases[row["head"], row["ahead"] + 3], abs=5e-3)


def test_normalization_map_begins_with_the_row_and_the_norm_that_are_named():
    four = np.arange(1, 17).reshape(4, 4) / 10
    words = ["Dan", "loves", "ice", "cream"]
    figure = figures.normalization_map(four, words, row=2, norm="RMS", description="A table.")
    assert [param["value"] for param in figure.spec["params"]] == [1, 0, 3]
    assert "row of ice" in figure.spec["params"][0]["bind"]["name"]
    assert [row["value"] for row in rows_of(figure)] == four.ravel().tolist()


def test_gradients_by_depth_counts_blocks_from_one_and_marks_the_last():
    norms = {"post": [np.ones(2), np.ones(3)], "pre": [np.ones(2), 2 * np.ones(3)]}
    rows = rows_of(figures.gradients_by_depth(norms, description="Lines."))
    blocks = [(1, False), (2, True), (1, False), (2, False), (3, True)]
    assert [(row["layer"], row["last"]) for row in rows] == 2 * blocks
    assert rows[-1] == {"variant": "pre", "depth": 1, "layer": 3, "value": 2.0, "last": True}


def test_the_axis_of_encoding_matrix_reaches_the_lowest_product():
    """A single pair of features has no slow wave, and rows can point away from each other."""
    spec = figures.encoding_matrix(48, 2, description="A map.").spec
    assert spec["vconcat"][2]["encoding"]["y"]["scale"]["domain"] == [-1, 1]


def test_rotation_has_angles_and_lengths_of_the_pairs():
    q, k = np.array([1.0, 2.0, 0.5, -1.0]), np.array([0.3, 1.0, -1.0, 0.2])
    rows = rows_of(figures.rotation(q, k, description="Hands."))
    assert [(row["pair"], row["line"]) for row in rows[2:5]] == [(0, "difference"), (1, "query"), (1, "key")]
    score = sum(row["size"] * np.cos(row["start_q"] - row["start_k"]) for row in rows[::3])
    assert score == pytest.approx(q @ k, rel=1e-14)


def test_decoding_explorer_has_logits_and_counts_and_begins_neutral():
    logits, counts, tokens = RNG.normal(size=(2, 23)), np.arange(46).reshape(2, 23), [f"t{i}" for i in range(23)]
    options = {"contexts": ["one", "two"], "counts": counts, "context": 1}
    figure = figures.decoding_explorer(logits, tokens, **options, description="Bars.")
    rows, params = rows_of(figure), params_of(figure)
    np.testing.assert_array_equal([row["logits"] for row in rows], logits.T)
    np.testing.assert_array_equal([row["counts"] for row in rows], counts.T)
    assert [row["token"] for row in rows] == tokens
    sliders = ["context", "frequency", "presence", "repetition", "tau", "k_stop", "p", "min_p"]
    assert [name for name, param in params.items() if "bind" in param] == sliders
    assert [params[name]["value"] for name in sliders] == [1, 0, 0, 1, 1, 10, 1, 0]
    assert params["k"]["expr"] == "[1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 23][k_stop]"
