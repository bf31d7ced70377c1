"""Of a step with a cache, one column is computed, and of the others keys and values are read."""

import re

from linebyline.drawings import two_layers


def test_one_query_in_each_layer_reads_all_keys_and_values():
    svg = two_layers().svg()
    for role, number in (("query", 1), ("key", 3), ("value", 3)):
        assert len(re.findall(rf'class="cell {role}"', svg)) == 2 * number
        assert len(re.findall(rf'class="head {role}"', svg)) == 2
    assert svg.count('class="filled layer"') == 2  # one cache in each layer


def test_no_query_and_no_output_of_an_earlier_word_is_computed():
    svg = two_layers().svg()
    assert svg.count("q, output</text>") == 2 * 2  # two words, two layers
    assert svg.count('class="part"') == 2  # an output in each layer
