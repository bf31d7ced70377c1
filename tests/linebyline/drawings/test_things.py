"""The drawings of the chapter on learned alignment: each reading decides every thing, and the points name the thing."""

from linebyline.drawings import thing_row, three_readings
from linebyline.drawings.things import PARTS, READINGS, THINGS, VALUES, WEIGHTS, WRITTEN


def test_the_thing_with_the_most_points_is_written():
    found = WEIGHTS @ VALUES
    assert WRITTEN[int(found.argmax())] == "glass" and sorted(found)[-2] < found.max()
    assert "The weighted sum is (4, 2, 2, 0)" in thing_row().description


def test_no_word_decides_two_things_alone():
    for reading in READINGS.values():
        assert all(set(parts) <= {i, i + 1} for i, parts in enumerate(reading))
        assert len(set(reading)) == len(THINGS)  # what is read tells the things apart
    assert f"B reads isvatten: {PARTS[0]}, glass: {PARTS[2]}" in three_readings().description
