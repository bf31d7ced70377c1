"""The drawings of the chapter on length: a lead that is enough for few keys, and a cap that invents no distance."""

import pytest

from linebyline.drawings.capped import SHOWN, scored_as
from linebyline.drawings.outvoted import KINDS, LEAD, RIGHT, parts
from linebyline.drawings.two_hands import DISTANCES, HANDS, added


@pytest.mark.parametrize("keys", [24, 384])
def test_each_key_has_one_part_and_the_right_one_nine(keys):
    counts = parts(keys)
    assert len(counts) == KINDS and sum(counts) == keys - 1 + LEAD


def test_the_right_token_wins_among_few_keys_and_loses_among_many():
    assert parts(24).index(max(parts(24))) == RIGHT
    assert parts(384).index(max(parts(384))) != RIGHT
    assert sorted(parts(384))[-1] - parts(384)[RIGHT] == 3


def test_a_cap_scores_no_key_at_a_distance_that_training_lacks():
    shown = [distance for distance in SHOWN if distance is not None]
    assert max(map(scored_as, shown)) == 23
    assert all(scored_as(distance) == distance for distance in shown if distance <= 23)


def test_head_b_prefers_distance_3_to_9_by_more_but_distance_53_most():
    sums = [[added(*HANDS[0][1:], n) + added(*slow[1:], n) for n in DISTANCES] for slow in HANDS[1:]]
    (a3, a9, a53), (b3, b9, b53) = sums
    assert b3 - b9 > a3 - a9 > 0
    assert b53 > b3 and a53 < a3
