"""Hidden spans are those of the package, the three grids those of the wirings, and the answers those of the tasks."""

import numpy as np

from clearformer import functional as F
from linebyline.drawings import hidden_spans, named_tasks, who_sees
from linebyline.drawings.hidden_spans import HIDDEN, sides
from linebyline.drawings.uses import NAMED, SENTENCE
from linebyline.drawings.who_sees import N, S, masks
from linebyline.text_to_text import TASKS, text_to_text


def test_what_is_read_and_written_is_the_text():
    read, write = sides()
    assert " ".join(read) == "the ⟨0⟩ the ⟨1⟩ ."
    assert " ".join(write) == "⟨0⟩ boy washes ⟨1⟩ bicycle ⟨2⟩"
    heads = sum(not word.startswith("⟨") for word in read) + len(HIDDEN)  # a dashed line to a sentinel has none
    assert hidden_spans().svg().count("<path") == len(read) + len(HIDDEN) + heads + 2  # dashed, below the two spans


def test_an_encoder_sees_all_and_a_decoder_its_past():
    encoder, decoder, both = masks().values()
    assert encoder.all() and np.array_equal(decoder, F.causal_mask(N))
    assert both[:, :S].all() and not both[:S, S:].any()
    assert np.array_equal(both[S:, S:], F.causal_mask(N - S))
    seen = sum(int(mask.sum()) for mask in masks().values())
    assert who_sees().svg().count("<rect") == seen + 3 * 3  # three frames for each grid


def test_the_kept_model_answers_as_it_is_drawn():
    kept = text_to_text()
    sentence, prefixes = " ".join(SENTENCE), [prefix for prefix, _ in NAMED]
    assert set(prefixes) <= set(TASKS)
    assert [kept.write(prefix, sentence) for prefix in prefixes] == [" ".join(answer) for _, answer in NAMED]
    assert named_tasks().svg().count(SENTENCE[0]) == len(NAMED) + 1  # and in what it says to those who cannot see it
