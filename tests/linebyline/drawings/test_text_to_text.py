"""Hidden spans are those of the package, and the three grids those of the wirings."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import hidden_spans, who_sees
from linebyline.drawings.hidden_spans import HIDDEN, sides
from linebyline.drawings.who_sees import N, masks


def test_what_is_read_and_written_is_the_text():
    read, write = sides()
    assert " ".join(read) == "Dan loves ⟨0⟩ and ⟨1⟩ ."
    assert " ".join(write) == "⟨0⟩ ice cream ⟨1⟩ tea ⟨2⟩"
    assert hidden_spans().svg().count("<path") == 2 * (len(read) + len(HIDDEN))  # a line and its head, each


def test_an_encoder_sees_all_and_a_decoder_its_past():
    encoder, decoder, both = masks().values()
    assert encoder.all() and np.array_equal(decoder, F.causal_mask(2 * N))
    assert both[:, :N].all() and not both[:N, N:].any()
    assert np.array_equal(both[N:, N:], F.causal_mask(N))
    assert who_sees().svg().count("✓") == sum(int(mask.sum()) for mask in masks().values())
