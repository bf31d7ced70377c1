"""The benchmarks of models run, here on tiny ones: the same weights on both sides, and every way is timed."""

import ast

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import bandwidth, checkpoints, encoder, generation, grading, training, translation
from clearformer.models import BertConfig, GPT2Config, T5Config, TransformerConfig
from linebyline.exercises import registry

SIZES = {"vocab_size": 23, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 48}
TINY = GPT2Config(**SIZES, context=130)
TINY_PAIR = TransformerConfig(**SIZES, context=16)


def test_generation_is_compared_where_tokens_agree_and_all_ways_are_timed():
    targets = {"greedy, PyTorch": 1.5, "greedy, NumPy": None, "top-p, PyTorch": None, "beam-4, PyTorch": None}
    lines = list(generation.generation("a tiny model", TINY, 7, targets, rounds=1))
    assert [line.work for line in lines] == [f"7 tokens, a tiny model, {way}" for way in targets]
    assert [line.target for line in lines] == [1.5, None, None, None]


def test_generation_from_a_source_and_a_forward_pass_agree_before_they_are_timed():
    (written,) = generation.from_a_source("small", T5Config(**SIZES, d_k=5), 7, rounds=1)
    assert (written.target, written.peer) == (2.0, "transformers generate")
    (read,) = encoder.forward(BertConfig(**SIZES, context=16), rounds=1, B=2, T=7)
    assert (read.work, read.target) == ("forward pass, BERT-base, 2 x 7", 1.0)
    (filled,) = encoder.fill(BertConfig(**SIZES, context=16), rounds=1, B=2, T=7)
    assert (filled.work, filled.target) == ("hidden tokens filled, BERT-base, 2 x 7", 1.0)


def test_training_steps_are_timed_in_both_widths():
    lines = list(training.training(TINY, rounds=1))
    assert [(line.work[-8:].strip(), line.peer[-8:].strip()) for line in lines] == [
        ("float32", "float32"),
        ("bfloat16", "float32"),
        ("bfloat16", "bfloat16"),
    ]


def test_translation_agrees_in_losses_and_tokens_before_it_is_timed():
    (trained,) = translation.training(TINY_PAIR, rounds=1, B=5, T=8)
    assert (trained.work, trained.target) == ("training step, encoder-decoder, 5 x 8", 1.2)
    (written,) = translation.greedy(TINY_PAIR, 7, rounds=1, B=5, S=8)
    assert (written.work, written.target) == ("7 tokens for each of 5 sources, greedy", 3.0)


@pytest.mark.parametrize(
    ("pair", "measure", "says"),
    [
        ("transformer_pair", lambda: translation.training(TINY_PAIR, rounds=1, T=8), "Scalars are not close"),
        ("marian_pair", lambda: translation.greedy(TINY_PAIR, 7, rounds=1, S=8), "other tokens than theirs"),
    ],
    ids=["training", "greedy"],
)
def test_a_translator_with_another_weight_is_not_timed(pair, measure, says, monkeypatch):
    other = getattr(translation, pair)(TINY_PAIR)
    with torch.no_grad():
        other.ours.encoder.blocks[0].attention.w_o.zero_()
    monkeypatch.setattr(translation, pair, lambda config: other)
    with pytest.raises(AssertionError, match=says):
        next(measure())


@given(st.integers(2, 33), st.integers(4, 25), st.integers(0, 99))
def test_padding_stands_behind_tokens_in_sources_of_unequal_length(B, T, seed):
    ids, there = translation.padded(TINY_PAIR, B, T, seed)
    assert ids.shape == there.shape == (B, T)
    assert torch.equal(there, ids != translation.PAD)
    assert not (there[:, 1:] & ~there[:, :-1]).any()
    lengths = there.sum(dim=1)
    assert (lengths.min(), lengths.max()) == (T // 4, T)


def test_a_step_is_held_against_the_bandwidth_it_could_reach():
    read_in_full, share, unarranged = bandwidth.shares(TINY, n=1, rounds=1)
    assert read_in_full.unit == "GB a second"
    assert (share.unit, share.target, share.at) == ("%", 70, "least")
    assert (unarranged.unit, unarranged.target) == ("%", None)


def test_what_is_measured_of_a_large_model_is_summed_up():
    found = {"write": [2e9], "bandwidth": [30e9], "info": [1.5], "int8, ours": [0.1]}
    for part, seconds in {"first": 2.0, "prefill": 9.0, "float32": 0.2, "bfloat16": 0.3}.items():
        found[f"{part}, ours"], found[f"{part}, theirs"] = [seconds, 2.1e9], [3 * seconds, 4.2e9]
    assert found.keys() == checkpoints.parts().keys()
    comparisons, (memory, share, info, int8) = checkpoints.summary(found)
    assert [line.ratio for line in comparisons] == pytest.approx([3.0] * 4)
    # A step in float32 reads two bytes for each one of a file in bfloat16: 4 GB in 0.2 s are 20 GB a second.
    assert (share.ours, int8.ours, memory.ours, memory.theirs) == pytest.approx((200 / 3, 2.0, 1.05, 2.1))
    assert (memory.holds, share.holds, info.holds, int8.holds) == (True, False, False, True)


def test_most_answers_of_a_submission_are_right_and_some_submissions_are_broken():
    right = 0
    for number in (0, 1):
        names: dict[str, object] = {}
        exec(grading.submission(number), names)
        exercises = [registry()[id] for id in grading.EXERCISES]
        right += sum(exercise.examine(names[exercise.entry]).passed for exercise in exercises)
    assert 15 <= right < 20
    assert "while True" in grading.submission(23) and "10**8" in grading.submission(27)
    with pytest.raises(SyntaxError):
        ast.parse(grading.submission(31))
