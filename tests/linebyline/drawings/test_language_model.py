"""The drawings of the language model: a tree of texts, one text cut twice, our model, and how it writes."""

import math
import re
from fractions import Fraction

import pytest

from linebyline.drawings import our_model, prefill, same_text, text_tree
from linebyline.drawings.our_model import D_MODEL, N_HEADS, N_LAYERS, VOCAB
from linebyline.drawings.text_tree import PLACES, TEXTS, conditional
from linebyline.our_model import gpt


def test_the_steps_along_a_path_multiply_to_its_text():
    steps = conditional()
    assert set(steps) == set(PLACES)
    for text, p in TEXTS.items():
        assert math.prod((steps[text[:length]] for length in range(1, len(text) + 1)), start=Fraction(1)) == p


def test_the_steps_after_a_beginning_sum_to_one():
    steps = conditional()
    for beginning in {path[:-1] for path in steps}:
        assert sum(p for path, p in steps.items() if path[:-1] == beginning) == 1


def test_the_tree_shows_each_step_and_each_text():
    words = re.findall(r">([^<>]+)</text>", text_tree().svg())
    assert all(f"text: {p}" in words for p in TEXTS.values())
    assert all(str(p) in words for p in conditional().values())


def test_the_parameters_shown_are_all_that_the_model_has():
    words = re.findall(r">([\d,]+)</text>", our_model().svg())
    table, *block, norm, lm_head = (int(word.replace(",", "")) for word in words)
    total = sum(p.numel() for p in gpt(VOCAB, D_MODEL, N_HEADS, N_LAYERS).parameters())
    assert table + N_LAYERS * sum(block) + norm + lm_head == total
    assert f"together {total:,}" in our_model().svg()


def test_one_text_is_cut_twice_and_each_row_is_as_long_as_its_price():
    svg = same_text().svg()
    cells = [(float(x), float(width)) for x, width in re.findall(r'<rect x="([\d.]+)"[^>]*? width="([\d.]+)"', svg)]
    first, second = cells[:4], cells[4:]
    assert len(second) == 17 and sum(w for _, w in first) / 12 == pytest.approx(sum(w for _, w in second) / 15.3)
    assert "12 nats: 1.02 bits per byte" in svg and "15.3 nats: 1.30 bits per byte" in svg


def test_the_cache_grows_by_one_pair_in_each_step():
    rows = prefill().svg().split("weights loaded once</text>")[1:]
    assert [row.count(">k<") for row in rows] == [row.count(">v<") for row in rows] == [2, 3, 4]
