"""The numbers of the block follow from its parts and from real norms."""

import re

import numpy as np

from linebyline.drawings import block_numbers


def test_each_layer_reads_a_normalized_stream_and_adds_its_answer():
    svg = block_numbers().svg().replace("−", "-")
    cells = re.findall(r'class="cell ?\w*"[^>]*></rect><text[^>]*>([-\d.]+)<', svg)
    start, read, added, between, read_next, added_next, end = np.array(cells, dtype=float).reshape(-1, 4)
    assert np.array_equal([start, between, end], [[1, 1, 3, 3], [5, -1, 5, -1], [7, -1, 7, -1]])
    for stream, normed in ((start, read), (between, read_next)):
        np.testing.assert_allclose(normed, (stream - stream.mean()) / stream.std())
    assert np.array_equal(added_next, read_next + 1)
    assert np.array_equal([between, end], [start + added, between + added_next])
