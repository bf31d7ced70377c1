"""Laws of the figures' specifications: deterministic, complete, and refused when they cannot be drawn."""

import json

import numpy as np
import pytest

from linebyline.figures import Figure, attention_map
from linebyline.figures.figure import MIME_TYPE, figure, json_numbers, radio
from linebyline.figures.page import page_html

WORDS = ["the", "cat", "the"]
SCALE = {"one": 1.0, "half": 0.5, "zero": 0.0}
SCORES = np.arange(9.0).reshape(3, 3)


def scaled(**changes):
    arguments = {"scores": SCORES, "queries": WORDS, "keys": WORDS, "scale": SCALE, "description": "A map."}
    return attention_map(**{**arguments, **changes})


def test_same_arguments_give_the_same_output():
    assert json.dumps(scaled()._repr_mimebundle_()) == json.dumps(scaled()._repr_mimebundle_())


def test_output_is_strict_json_even_with_masked_scores():
    masked = np.where(np.tri(3, dtype=bool), SCORES, -np.inf)
    bundle, _ = scaled(scores=masked)._repr_mimebundle_()
    assert "Infinity" not in json.dumps(bundle[MIME_TYPE])
    assert [row["value"] for row in bundle[MIME_TYPE]["data"]["values"]].count(None) == 3


def test_scores_are_carried_to_the_last_bit():
    scores = np.random.default_rng(0).normal(size=(3, 3)) * 1e3
    rows = json.loads(json.dumps(scaled(scores=scores).spec))["data"]["values"]
    np.testing.assert_array_equal([row["value"] for row in rows], scores.ravel())


@pytest.mark.parametrize(("shape", "sliders"), [((3, 3), 0), ((2, 3, 3), 1), ((5, 2, 3, 3), 2)])
def test_layers_and_heads_get_a_slider_where_there_is_a_choice(shape, sliders):
    spec = attention_map(np.full(shape, 1 / 3), WORDS, WORDS, description="A map.").spec
    assert len(spec["params"]) == sliders
    assert len(spec["data"]["values"]) == np.prod(shape)


def test_the_slider_of_heads_says_their_names():
    spec = scaled(scores=np.zeros((2, 3, 3)), head_names=["early", "late"]).spec
    named = {param["name"]: param.get("expr") for param in spec["params"]}
    assert named["head_name"] == '["early", "late"][head]'
    assert spec["usermeta"]["outputs"] == {"head": "head_name", "position": "factor"}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"weights": SCORES}, "either weights or scores"),
        ({"scores": None}, "either weights or scores"),
        ({"scale": None}, "scores need a scale"),
        ({"scores": np.zeros(3)}, r"got \(3,\)"),
        ({"keys": WORDS[:2]}, r"\(T, S\)=\(3, 3\) but 3 queries and 2 keys"),
        ({"query": 3}, "query=3 must be one of the 3 rows"),
        ({"start": "two"}, "start='two' is none of the stops"),
        ({"scale": {"one": 1.0}}, "at least two stops"),
        ({"scores": np.full((3, 3), np.nan)}, "cannot draw nan"),
        ({"scores": np.zeros((2, 3, 3)), "head_names": ["one"]}, "n_heads=2 but 1 heads are named"),
        ({"head_names": ["one"]}, "n_heads=1 but 1 heads are named, and one head has no slider"),
        ({"description": " "}, "needs a description"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        scaled(**changes)


def test_negative_weights_are_refused():
    with pytest.raises(ValueError, match="at least 0, the smallest is -1"):
        attention_map(-np.ones((3, 3)), WORDS, WORDS, description="A map.")


def test_json_numbers_refuses_what_json_cannot_say():
    with pytest.raises(ValueError, match="cannot draw inf"):
        json_numbers(np.array([np.inf]))


COMPILED = {"spec": {}, "controls": [], "table": {}, "cells": [], "svg": '<svg viewBox="0 0 7 11"></svg>'}


def test_page_cannot_be_broken_by_the_words_in_a_figure():
    spec = figure('"</script><b>', {}, {}).spec
    page = page_html(spec, {**COMPILED, "spec": {"words": "</script><script>alert(1)</script>"}}, "figure-0-0")
    assert page.count("</script>") == 1
    assert "<b>" not in page


def test_page_refuses_a_control_it_cannot_draw():
    control = {"signal": "s", "input": "color", "value": 0, "name": "s"}
    with pytest.raises(RuntimeError, match="no page control for input 'color'"):
        page_html(figure("A map.", {}, {}).spec, {**COMPILED, "controls": [control]}, "figure-0-0")


def test_plain_text_of_a_figure_is_its_description():
    assert repr(Figure({"description": "Two bars."})) == "Two bars."


@pytest.mark.parametrize("start", [-1, 2])
def test_radio_buttons_start_with_one_of_them(start):
    assert radio("rate", "Rate", ["0.1", "1"], 1)["value"] == 1
    with pytest.raises(ValueError, match=f"rate={start} must be the number of one of 2 options"):
        radio("rate", "Rate", ["0.1", "1"], start)
