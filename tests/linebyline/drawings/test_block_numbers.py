"""The numbers of the block follow from its parts."""

import re

from linebyline.drawings import block_numbers


def test_each_layer_reads_a_tenth_of_the_stream_and_adds_its_answer():
    svg = block_numbers().svg()
    cells = re.findall(r'class="cell ?"[^>]*></rect><text[^>]*>([\d.]+)<', svg)
    start, between, end = map(float, cells)
    reads = [float(words) for words in re.findall(r"reads ([\d.]+)<", svg)]
    adds = [float(words) for words in re.findall(r"adds ([\d.]+)<", svg)]
    assert (start, between, end) == (20, 26, 29.6)
    assert reads == [start / 10, between / 10]
    assert adds == [3 * reads[0], reads[1] + 1]
    assert [round(start + adds[0], 6), round(between + adds[1], 6)] == [between, end]
