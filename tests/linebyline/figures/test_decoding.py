"""Laws of the specification of the decoding explorer."""

import json

import numpy as np

from linebyline.figures import decoding_explorer

LOGITS = np.random.default_rng(0).normal(size=(2, 23))
COUNTS = np.zeros((2, 23), dtype=int)
TOKENS = [f"t{i}" for i in range(23)]


def explorer(logits=LOGITS, tokens=TOKENS, **changes):
    arguments = {"contexts": ["one", "two"], "counts": COUNTS, "description": "Bars."}
    return decoding_explorer(logits, tokens, **{**arguments, **changes})


def test_logits_and_counts_are_carried_to_the_last_bit():
    counts = np.arange(46).reshape(2, 23)
    rows = json.loads(json.dumps(explorer(counts=counts).spec))["data"]["values"]
    np.testing.assert_array_equal([row["logits"] for row in rows], LOGITS.T)
    np.testing.assert_array_equal([row["counts"] for row in rows], counts.T)
    assert [row["token"] for row in rows] == TOKENS


def test_there_is_a_slider_for_every_step_and_it_starts_neutral():
    params = {p["name"]: p for p in explorer(context=1, tau=0.5).spec["params"]}
    sliders = [name for name, param in params.items() if "bind" in param]
    assert sliders == ["context", "frequency", "presence", "repetition", "tau", "k_stop", "p", "min_p"]
    assert [params[name]["value"] for name in sliders] == [1, 0, 0, 1, 0.5, 10, 1, 0]
    assert params["k"]["expr"] == "[1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 23][k_stop]"


def test_no_more_rows_than_tokens():
    spec = decoding_explorer(
        np.eye(1, 3), ["a", "b", "c"], contexts=["x"], counts=COUNTS[:1, :3], description="B."
    ).spec
    assert spec["usermeta"]["table"]["rows"] == ["1", "2", "3"]
