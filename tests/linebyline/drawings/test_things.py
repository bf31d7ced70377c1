"""The drawings of the chapter on learned alignment: the points name the thing, and each model has its weights."""

import numpy as np

from linebyline.drawings import (
    doctor_row,
    line_and_plane,
    narrow_keys,
    same_picture,
    several_models,
    thing_row,
    ways_to_read,
    word_chain,
)
from linebyline.drawings.doctor import WEIGHTS as INVENTED
from linebyline.drawings.things import PAIRS, THINGS, VALUES, WEIGHTS
from linebyline.drawings.word_chain import BOTH, CHAIN, SCORES, WAYS


def test_the_thing_with_the_most_points_is_written():
    found = WEIGHTS @ VALUES
    assert THINGS[int(found.argmax())] == "glass" and sorted(found)[-2] < found.max()
    assert "The weighted sum is (2, 4, 2, 0)" in thing_row().description


def test_every_model_has_two_weights_for_each_thing():
    drawn = several_models(np.full((10, 4, 2), [0.2, 0.8]))
    assert drawn.svg().count(">0.2<") == drawn.svg().count(">0.8<") == 40
    assert "model 9: isvatten, water ≈ 0.2 and ice ≈ 0.8; glass, ice ≈ 0.2 and cream ≈ 0.8" in drawn.description
    assert "model 0: isvatten, water ≈ 1.0 and ice ≈ 0.0" in several_models().description


def test_no_query_of_one_number_prefers_a_key_in_the_middle():
    said = narrow_keys().description
    assert "milk −5.4, sour −4.5, water −2.3" in said
    assert "Anna, query 0.5: 0.01 for cream, 0.02 for ice, 0.03 for <eos>, 0.4 for loves, 0.54 for Ann" in said
    assert "älskar, query −4: 0.91 for cream, 0.08 for ice" in said


def test_a_plane_has_a_direction_for_each_of_three_kinds():
    drawn = line_and_plane()
    assert drawn.svg().count('class="line query"') == 2 + 3
    assert "the verbs are between the things and the people" in drawn.description


def test_neighbors_in_the_chain_are_the_two_words_of_a_thing():
    assert [{CHAIN[i], CHAIN[j]} for i, j in BOTH] == [set(pair) for pair in PAIRS]
    assert "glass with ice and cream" in word_chain().description
    drawn = ways_to_read()
    assert drawn.svg().count('class="off"') == 2  # A and B leave one word unread, C none
    assert "A reads water for isvatten, ice for glass, sour for gräddfil, milk for filmjölk" in drawn.description


def test_a_model_reads_the_word_with_the_larger_score():
    for name, reads in WAYS.items():
        for pair, read in zip(BOTH, reads, strict=True):
            most = max(SCORES[name][word] for word in pair)
            assert {word for word in pair if SCORES[name][word] == most} == set(read)


def test_two_models_share_a_row_and_differ_without_a_word():
    said = same_picture().description
    for model in ("model 4", "model 6"):
        assert f"{model}, all words: 0 on Ann, 0 on loves, 1 on ice, 0 on cream, 0 on <eos>, and glass" in said
    assert "model 4, without ice: 0 on Ann, 0 on loves, ice hidden, 1 on cream" in said


def test_the_weights_of_the_doctor_add_up_to_one():
    np.testing.assert_allclose(sum(INVENTED), 1)
    assert "0.92 on doctor" in doctor_row().description
