"""The drawings of the chapter on learned alignment: each reading decides every thing, and the points name the thing."""

from linebyline.drawings import model_readings, narrow_keys, thing_row, three_readings
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


def test_a_model_that_reads_one_word_is_drawn_as_its_reading():
    said = model_readings().description
    assert "A: ≈ 1.0, ≈ 1.0, ≈ 0.0, ≈ 0.0" in said and "0: ≈ 1.0, ≈ 1.0, ≈ 0.0, ≈ 0.0" in said
    assert "C: ≈ 0.5, ≈ 0.5, ≈ 0.5, ≈ 0.5" in said


def test_no_query_of_one_number_prefers_a_key_in_the_middle():
    said = narrow_keys().description
    assert "Anna, query 0.5: 0.01 for cream, 0.02 for ice, 0.03 for <eos>, 0.4 for loves, 0.54 for Ann" in said
    assert "älskar, query −4: 0.91 for cream, 0.08 for ice" in said
