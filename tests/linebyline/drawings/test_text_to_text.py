"""Hidden spans are those of the package, the three grids those of the wirings, and the answers those of the tasks."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import hidden_spans, named_tasks, who_sees
from linebyline.drawings.hidden_spans import HIDDEN, sides
from linebyline.drawings.uses import NAMED, SENTENCE
from linebyline.drawings.who_sees import N, masks
from linebyline.text_to_text import TASKS, text_to_text


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


def test_the_kept_model_answers_as_it_is_drawn():
    kept = text_to_text()
    prefixes = [" ".join(prefix) for prefix, _ in NAMED]
    assert set(prefixes) <= set(TASKS)
    assert [kept.write(prefix, SENTENCE) for prefix in prefixes] == [answer for _, answer in NAMED]
    assert named_tasks().svg().count(SENTENCE) == len(NAMED) + 1  # and in what it says to those who cannot see it
