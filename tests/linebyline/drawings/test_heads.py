"""Drawings of several heads: what they return, add up and share."""

import re

import numpy as np
import pytest

from linebyline.drawings import (
    circuit_vectors,
    head_sum,
    heads_on_line,
    shared_heads,
    step_times,
    two_questions,
    whole_word,
)
from linebyline.drawings.split_heads import Q


def test_one_head_returns_the_same_mean_for_both_sentences():
    svg = two_questions().svg()
    answers = re.findall(r'class="cell value"[^>]*></rect><text[^>]*>([\d.]+)<', svg)
    assert answers[:6] == ["5", "8", "0", "5.0", "8.0", "6.5"]  # the values, and the answers
    assert answers[6:] == ["8", "5", "0", "8.0", "5.0", "6.5"]
    assert len(re.findall(r'class="empty weight"', svg)) == 2 * 3 * 3


def test_each_head_has_a_column_of_weights():
    drawn = heads_on_line("of the array", [[0.9, 0.1, 0], [0, 0.004, 1]], [0.5, 0.5, 0])
    numbers = re.findall(r">([\d.]+)</text>", drawn.svg())
    assert numbers == ["0.90", "0.10", "0", "0", "0", "1.00", "0.50", "0.50", "0"]
    assert "head 1: 0.00 for of, 0.00 for the, 1.00 for array. single head: 0.50 for of" in drawn.description


def test_the_parts_of_two_heads_add_up():
    cells = re.findall(r'class="cell \w+"[^>]*></rect><text[^>]*>([\d.]+)<', head_sum().svg())
    numbers = np.array([float(number) for number in cells])
    heads, total = numbers[:-4].reshape(2, 2 + 8 + 4), numbers[-4:]
    for head in heads:
        np.testing.assert_array_equal(head[:2] @ head[2:10].reshape(2, 4), head[10:])
    np.testing.assert_array_equal(heads[:, 10:].sum(axis=0), total)


@pytest.mark.parametrize(("role", "number"), [("query", 3 * 4), ("key", 4 + 2 + 1), ("value", 4 + 2 + 1)])
def test_fewer_heads_of_keys_serve_as_many_heads_of_queries(role, number):
    assert len(re.findall(rf'class="part {role}"', shared_heads().svg())) == number


def test_each_head_reads_the_whole_word():
    cells = re.findall(r'class="cell *(\w*)"[^>]*></rect><text[^>]*>([\d.−]+)<', whole_word().svg())
    by_role = {role: [float(n.replace("−", "-")) for r, n in cells if r == role] for role in ("", "query")}
    word, pieces = np.array(by_role[""]).reshape(2, 4)
    np.testing.assert_array_equal(pieces, word)  # crossed out, below
    for i, head in enumerate(np.array(by_role["query"]).reshape(2, 10)):
        np.testing.assert_array_equal(word @ head[:8].reshape(4, 2), head[8:])
        np.testing.assert_array_equal(head[8:], Q[1, 2 * i : 2 * i + 2])  # as in the drawing of the whole layer


def test_the_circuit_has_fourteen_features_and_guesses_what_followed():
    cells = re.findall(r'class="cell *\w*"[^>]*></rect><text[^>]*>(\d)<', circuit_vectors().svg())
    vectors = np.array(list(map(int, cells))).reshape(6, 14)
    position, word, mark, guess = np.split(vectors, [5, 8, 11], axis=1)
    np.testing.assert_array_equal(position[:5], np.eye(5))
    np.testing.assert_array_equal(mark[1:5], word[:4])
    found = mark[:5] @ word[4]  # where the mark is the last word
    np.testing.assert_array_equal(found @ word[:5], guess[5])
    assert guess[:5].sum() == 0 and (vectors[5, :11] == vectors[4, :11]).all()


def test_shared_heads_name_what_they_keep_of_a_token():
    assert re.findall(r"and layer: (\d+)<", shared_heads().svg()) == ["128", "64", "32"]


def test_a_step_takes_a_third_of_the_time_or_serves_four_times_as_many():
    svg = step_times().svg()
    assert re.findall(r">([\d.]+) ms, ([\d,]+) tokens", svg) == [("41.4", "800"), ("14.5", "2,300"), ("41.9", "3,300")]
    widths = re.findall(r'width="([\d.]+)"[^>]*class="cell (?:key|weight)"', svg)
    caches, weights = np.array(widths, dtype=float).reshape(3, 2).T
    np.testing.assert_allclose(caches / caches[0], [1, 1 / 4, 137 / 4 / 33], atol=0.002)
    np.testing.assert_allclose(weights / caches[0], np.array([12.55, 11.05, 11.05]) / 66, atol=0.002)
