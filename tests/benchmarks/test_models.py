"""The benchmarks of models, on tiny ones: the same weights on both sides, and nothing wrong is timed."""

import pytest
import torch

from benchmarks import generation, training
from clearformer.models import BertConfig, GPT2Config, T5Config

SIZES = {"vocab_size": 23, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 48}
TINY = GPT2Config(**SIZES, context=130)


def test_generation_is_timed_prepared_and_plain():
    lines = list(generation.decoder_only("tiny", TINY, 7, rounds=1))
    ways = ["greedy, prepared", "greedy, plain", "beam-4, prepared", "beam-4, plain"]
    assert [line.work for line in lines] == [f"7 tokens, tiny, {way}" for way in ways]
    lines = list(generation.encoder_decoder("tiny", T5Config(**SIZES, d_k=5), 7, rounds=1))
    assert [line.work.split()[-1] for line in lines] == ["prepared", "plain"]


def test_reading_and_training_agree_before_they_are_timed():
    assert len(list(training.forward(BertConfig(**SIZES, context=130), rounds=1))) == 2
    (line,) = training.training(TINY, rounds=1)
    assert line.work == "training step, 16 x 128"


def test_a_model_with_another_weight_is_not_timed(monkeypatch):
    other = generation.gpt2_pair(TINY)
    with torch.no_grad():
        other.ours.blocks[0].attention.w_o.zero_()
    monkeypatch.setattr(generation, "gpt2_pair", lambda config: other)
    with pytest.raises(AssertionError, match="other tokens than theirs"):
        next(generation.decoder_only("tiny", TINY, 7, rounds=1))
