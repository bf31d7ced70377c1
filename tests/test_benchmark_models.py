"""The benchmarks of models run, here on a tiny one: the same weights on both sides, and every way is timed."""

from benchmarks import bandwidth, encoder, generation, training
from clearformer.models import BertConfig, GPT2Config, T5Config

TINY = GPT2Config(vocab_size=23, context=130, d_model=12, n_heads=3, n_layers=2, d_ff=48)


def test_generation_is_compared_where_tokens_agree_and_all_ways_are_timed():
    targets = {"greedy, PyTorch": 1.5, "greedy, NumPy": None, "top-p, PyTorch": None, "beam-4, PyTorch": None}
    lines = list(generation.generation("a tiny model", TINY, 7, targets, rounds=1))
    assert [line.work for line in lines] == [f"7 tokens, a tiny model, {way}" for way in targets]
    assert [line.target for line in lines] == [1.5, None, None, None]


def test_generation_from_a_source_and_a_forward_pass_agree_before_they_are_timed():
    sizes = {"vocab_size": 23, "d_model": 12, "n_heads": 3, "n_layers": 2, "d_ff": 48}
    (written,) = generation.from_a_source(T5Config(**sizes, d_k=5), 7, rounds=1)
    assert (written.target, written.peer) == (2.0, "transformers generate")
    (read,) = encoder.forward(BertConfig(**sizes, context=16), rounds=1, B=2, T=7)
    assert (read.work, read.target) == ("forward pass, BERT-base, 2 x 7", 1.0)


def test_training_steps_are_timed_in_both_widths():
    lines = list(training.training(TINY, rounds=1))
    assert [(line.work[-8:].strip(), line.peer[-8:].strip()) for line in lines] == [
        ("float32", "float32"),
        ("bfloat16", "float32"),
        ("bfloat16", "bfloat16"),
    ]


def test_a_step_is_held_against_the_bandwidth_it_could_reach():
    read_in_full, share, unarranged = bandwidth.shares(TINY, n=1, rounds=1)
    assert read_in_full.unit == "GB a second"
    assert (share.unit, share.target, share.at) == ("%", 70, "least")
    assert (unarranged.unit, unarranged.target) == ("%", None)
