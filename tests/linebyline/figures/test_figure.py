"""Laws of the figures' specifications: deterministic, complete, and refused when they cannot be drawn."""

import json

import numpy as np
import pytest

from linebyline.figures import attention_map
from linebyline.figures.figure import MIME_TYPE, draw
from linebyline.figures.rendering import figure_html

WORDS = ["the", "cat", "the"]
SCALE = {"one": 1.0, "half": 0.5, "zero": 0.0}
SCORES = np.arange(9.0).reshape(3, 3)


def scaled(**changes):
    arguments = {"scores": SCORES, "queries": WORDS, "keys": WORDS, "scale": SCALE, "description": "A map."}
    return attention_map(**{**arguments, **changes})


def test_short_forms_are_written_out():
    spec = draw(
        """
        params:
          - {slider: step, label: Step, from: 0, to: $last, at: 1, shows: name, stops: $names}
          - {radio: kind, label: Kind, options: $names, at: 0}
          - {name: name, expr: "$names[step]"}
          - $more
        transform:
          - {if: $all, filter: datum.step === step}
          - {if: $none, filter: "false"}
          - {calculate: {a: datum.step + $last, b: datum.a}}
        mark: {type: bar, fill: $accent}
        encoding: {x: {field: step:Q, scale: {domain: [0, $last]}}, y: {field: a}}
        table: {rows: $names}
        """,
        "Bars.",
        last=2,
        names=["ä", "b"],
        more=[{"name": "c"}, {"name": "d"}],
        all=True,
        none=[],
    ).spec
    step = {"input": "range", "min": 0, "max": 2, "step": 1, "name": "Step "}
    kind = {"input": "radio", "options": [0, 1], "labels": ["ä", "b"], "name": "Kind "}
    assert spec["params"] == [
        {"name": "step", "value": 1, "bind": step},
        {"name": "kind", "value": 0, "bind": kind},
        {"name": "name", "expr": '["ä", "b"][step]'},
        {"name": "c"},
        {"name": "d"},
    ]
    assert spec["transform"] == [
        {"filter": "datum.step === step"},
        {"calculate": "datum.step + 2", "as": "a"},
        {"calculate": "datum.a", "as": "b"},
    ]
    assert spec["encoding"]["x"] == {"field": "step", "type": "quantitative", "scale": {"domain": [0, 2]}}
    assert spec["mark"]["fill"] == "#2563a8"
    names = ["ä", "b"]
    assert spec["usermeta"] == {"table": {"rows": names}, "outputs": {"step": "name"}, "stops": {"step": names}}


def test_a_figure_without_alternative_text_is_refused():
    with pytest.raises(ValueError, match="needs a description"):
        draw("{table: {}}", " ")


def test_output_is_strict_json_even_with_masked_scores():
    masked = np.where(np.tri(3, dtype=bool), SCORES, -np.inf)
    bundle, _ = scaled(scores=masked)._repr_mimebundle_()
    assert "Infinity" not in json.dumps(bundle[MIME_TYPE])
    assert [row["value"] for row in bundle[MIME_TYPE]["data"]["values"]].count(None) == 3


def test_a_masked_weight_is_a_dash():
    weights = np.where(np.tri(3, dtype=bool), np.tri(3) / np.arange(1, 4)[:, None], np.nan)
    spec = attention_map(weights, WORDS, WORDS, description="A map.").spec
    assert spec["vconcat"][0]["layer"][1]["encoding"]["text"]["condition"]["value"] == "–"
    free = attention_map(np.tri(3), WORDS, WORDS, description="A map.").spec
    assert free["vconcat"][0]["layer"][1]["encoding"]["text"] == {
        "field": "weight",
        "format": ".2f",
        "type": "quantitative",
    }


@pytest.mark.parametrize(("shape", "sliders"), [((3, 3), 0), ((2, 3, 3), 1), ((5, 2, 3, 3), 2)])
def test_layers_and_heads_get_a_slider_where_there_is_a_choice(shape, sliders):
    spec = attention_map(np.full(shape, 1 / 3), WORDS, WORDS, description="A map.").spec
    assert len(spec["params"]) == sliders
    assert len(spec["data"]["values"]) == np.prod(shape)


def test_the_slider_of_heads_says_their_names():
    spec = scaled(scores=np.zeros((3, 3, 3)), head_names=["early", "middle", "late"]).spec
    named = {param["name"]: param.get("expr") for param in spec["params"]}
    assert named["head_name"] == '["early", "middle", "late"][head]'
    assert spec["usermeta"]["outputs"] == {"head": "head_name", "position": "factor"}


def test_two_heads_are_two_buttons():
    spec = scaled(scores=np.zeros((2, 3, 3)), head_names=["early", "late"]).spec
    (head,) = [param for param in spec["params"] if param["name"] == "head"]
    assert head["bind"]["input"] == "radio" and head["bind"]["labels"] == ["early", "late"]
    assert spec["usermeta"]["outputs"] == {"position": "factor"}


COMPILED = {"spec": {}, "controls": [], "table": {}, "cells": [], "svg": '<svg viewBox="0 0 7 11"></svg>'}


def test_page_cannot_be_broken_by_the_words_in_a_figure():
    spec = draw("{table: {}}", '"</script><b>').spec
    page = figure_html(spec, {**COMPILED, "spec": {"words": "</script><script>alert(1)</script>"}}, "figure-0-0")
    assert page.count("</script>") == 1
    assert "<b>" not in page
