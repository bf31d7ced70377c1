"""The drawings of the chapter on learned alignment: the points name the thing, and each model has its weights."""

import numpy as np

from linebyline.drawings import narrow_keys, several_models, thing_row
from linebyline.drawings.things import THINGS, VALUES, WEIGHTS


def test_the_thing_with_the_most_points_is_written():
    found = WEIGHTS @ VALUES
    assert THINGS[int(found.argmax())] == "glass" and sorted(found)[-2] < found.max()
    assert "The weighted sum is (2, 4, 2, 0)" in thing_row().description


def test_every_model_has_two_weights_for_each_thing():
    drawn = several_models(np.full((10, 4, 2), [0.2, 0.8]))
    assert drawn.svg().count(">0.2<") == drawn.svg().count(">0.8<") == 40
    assert "model 9: isvatten, ice ≈ 0.2 and water ≈ 0.8; glass, ice ≈ 0.2 and cream ≈ 0.8" in drawn.description
    assert "model 0: isvatten, ice ≈ 0.0 and water ≈ 1.0" in several_models().description


def test_no_query_of_one_number_prefers_a_key_in_the_middle():
    said = narrow_keys().description
    assert "Anna, query 0.5: 0.01 for cream, 0.02 for ice, 0.03 for <eos>, 0.4 for loves, 0.54 for Ann" in said
    assert "älskar, query −4: 0.91 for cream, 0.08 for ice" in said
