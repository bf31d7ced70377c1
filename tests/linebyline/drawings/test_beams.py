"""The drawing of beams shows what the search does, on a tree in which two beams are not enough."""

import re

import pytest

from linebyline.drawings import beams
from linebyline.drawings.beams import NEXT_WORDS, probabilities, search

ENDS = {path: p for path, p in probabilities(NEXT_WORDS).items() if path[-1:] == (".",)}


def test_the_tree_has_nine_sentences_that_are_all_there_is():
    assert len(ENDS) == 9 and sum(ENDS.values()) == pytest.approx(1)
    assert all(sum(after.values()) == pytest.approx(1) for after in NEXT_WORDS.values())


@pytest.mark.parametrize(("n_beams", "place"), [(1, 3), (2, 2), (3, 1)])
def test_more_beams_find_a_better_sentence(n_beams, place):
    steps, found = search(NEXT_WORDS, n_beams)
    assert max(map(len, steps)) == n_beams
    assert found[0] == sorted(ENDS, key=ENDS.__getitem__, reverse=True)[place - 1]


def test_two_beams_never_look_behind_the_word_that_they_drop():
    svg = beams(2).svg()
    assert svg.count('class="token off"') == 2 + 1 + 2 + 6 + 1  # behind in, there, see, visits; the legend
    numbers = re.findall(r"<text[^>]*>(0\.\d+)<", svg)
    assert numbers[:3] == ["0.4", "0.136", "0.136"] and "0.2205" not in numbers
    assert "Found: Jane will visit Africa, 0.14." in beams(2).description


def test_without_beams_the_best_sentence_is_outlined():
    svg = beams(0).svg()
    assert svg.count('class="token lit"') == 4 and "token off" not in svg
    assert {"0.25", "0.98", "0.9"} <= set(re.findall(r"<text[^>]*bold[^>]*>([\d.]+)<", svg))
