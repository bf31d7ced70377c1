"""Laws of the specification of the decoding explorer."""

import json

import numpy as np
import pytest

from linebyline.figures import decoding_explorer

LOGITS = np.random.default_rng(0).normal(size=(2, 23))
COUNTS = np.zeros((2, 23), dtype=int)
TOKENS = [f"t{i}" for i in range(23)]


def explorer(logits=LOGITS, tokens=TOKENS, **changes):
    arguments = {"contexts": ["one", "two"], "counts": COUNTS, "description": "Bars."}
    return decoding_explorer(logits, tokens, **{**arguments, **changes})


def test_same_arguments_give_the_same_output():
    assert json.dumps(explorer()._repr_mimebundle_()) == json.dumps(explorer()._repr_mimebundle_())


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


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tokens": TOKENS[:5]}, r"vocab_size=5\), got \(2, 23\) and \(2, 23\)"),
        ({"contexts": ["one"]}, r"n_contexts=1, vocab_size=23\), got \(2, 23\)"),
        ({"counts": COUNTS[:1]}, r"got \(2, 23\) and \(1, 23\)"),
        ({"logits": np.full((2, 23), -np.inf)}, "not finite"),
        ({"counts": COUNTS - 3}, "counts must be at least 0, the smallest is -3"),
        ({"context": 2}, "context=2 must lie between 0 and 1"),
        ({"tau": -3.0}, r"tau=-3\.0 must lie between 0\.05 and 4"),
        ({"description": ""}, "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        explorer(**changes)
