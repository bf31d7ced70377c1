"""From GPT-2 to Llama: the ends are the published forms, each swap is what it is called, all are equally large."""

import itertools
import json
import math
from dataclasses import asdict, replace

import pytest
import torch

from clearformer import models
from linebyline import corpora, gpt2_to_llama
from linebyline.kept_models import WEIGHTS
from linebyline.pretrained import Recipe

SMALL = Recipe(vocab_size=37, context=11, d_model=16, n_heads=4, n_layers=2, batch=3, steps=5, warmup=2)
IDS = torch.randint(37, (200,), generator=torch.Generator().manual_seed(5))
NAMES = list(gpt2_to_llama.LADDER)


def made(parts: gpt2_to_llama.Parts, d_ff: int = 24) -> models.Decoder:
    return gpt2_to_llama.decoder(parts, SMALL, d_ff, torch.Generator().manual_seed(0))


def named(parts: gpt2_to_llama.Parts) -> set[str]:
    """The names of the parameters of the first block and around it."""
    names = {name for name, _ in made(parts).named_parameters() if "blocks.1" not in name}
    return {name.removeprefix("blocks.0.") for name in names}


def gpt2() -> models.Decoder:
    return models.gpt2(models.GPT2Config(37, 11, 16, 4, 2, 24, "gelu"))


def llama() -> models.Decoder:
    return models.llama(models.LlamaConfig(37, 11, 16, 4, gpt2_to_llama.N_KV_HEADS, 2, 24, tied=True))


@pytest.mark.parametrize(("name", "published"), [("GPT-2", gpt2), ("shared keys", llama)])
def test_the_ends_are_the_published_forms(name, published):
    ours, theirs = made(gpt2_to_llama.LADDER[name]), published()
    theirs.load_state_dict(ours.state_dict())
    ids = IDS[:22].view(2, 11)
    torch.testing.assert_close(ours(ids), theirs(ids), rtol=1e-5, atol=1e-5)


def test_a_swap_is_what_its_name_says():
    """By the names of the parameters that go and come."""
    betas = {"norm_attention.beta", "norm_feed_forward.beta", "norm.beta"}
    biases = {"attention.b_qkv", "attention.b_o", "feed_forward.b_in", "feed_forward.b_out"}
    two, three = {"w_in", "w_out"}, {"w_gate", "w_up", "w_down"}
    within = "feed_forward.{}".format
    expected = [
        (betas, set()),
        (biases, set()),
        (set(map(within, two)), set(map(within, three))),
        ({"embedding.position.table"}, set()),
        (set(), set()),
    ]
    parts = [named(gpt2_to_llama.LADDER[name]) for name in NAMES]
    assert [(a - b, b - a) for a, b in itertools.pairwise(parts)] == expected


def test_the_last_swap_narrows_keys_and_values_alone():
    before, after = (made(gpt2_to_llama.LADDER[name]).blocks[0].attention for name in NAMES[-2:])
    assert (before.w_qkv.shape, after.w_qkv.shape) == ((16, 3 * 16), (16, 16 + 2 * 8))


@pytest.mark.parametrize("recipe", [gpt2_to_llama.RECIPE, replace(gpt2_to_llama.RECIPE, d_model=96)])
def test_all_have_as_many_parameters(recipe):
    ladder, width = gpt2_to_llama.LADDER.values(), gpt2_to_llama.equal_width
    counts = [gpt2_to_llama.parameters(parts, recipe, width(parts, recipe)) for parts in ladder]
    assert max(counts) < 1.01 * min(counts)


def test_with_one_seed_all_read_the_same_windows():
    drawn = []
    for name in NAMES:
        trainer = gpt2_to_llama.trainer(gpt2_to_llama.LADDER[name], SMALL, IDS)
        drawn.append(trainer.batches(trainer.generator)[0])
    assert all(torch.equal(windows, drawn[0]) for windows in drawn)
    other = gpt2_to_llama.trainer(gpt2_to_llama.GPT2, replace(SMALL, seed=1), IDS)
    assert not torch.equal(other.batches(other.generator)[0], drawn[0])


@pytest.mark.parametrize("name", NAMES)
def test_each_begins_with_a_blind_guess_and_learns(name):
    trainer = gpt2_to_llama.trainer(gpt2_to_llama.LADDER[name], replace(SMALL, steps=60, peak=1e-2), IDS)
    losses = trainer.run(60)
    assert losses[0] == pytest.approx(math.log(37), abs=0.1)
    assert sum(losses[-5:]) / 5 < 0.9 * losses[0]


def test_a_change_is_taken_seed_by_seed():
    found = {"a": {"bits_per_byte": [2.0, 3.0, 4.0]}, "b": {"bits_per_byte": [1.9, 2.8, 3.7]}}
    change = gpt2_to_llama.changes(found)["b"]
    assert change == pytest.approx((-0.2, 0.1 / math.sqrt(3)))


def test_what_is_shown_is_what_the_command_makes():
    content = json.loads((WEIGHTS / "swaps.json").read_text(encoding="utf-8"))
    assert content["recipe"] == asdict(gpt2_to_llama.RECIPE)
    assert content["text"] == corpora.text_hash(corpora.docstrings_split()[0])
    assert list(content["models"]) == NAMES
    for name, of_one in content["models"].items():
        parts = gpt2_to_llama.LADDER[name]
        assert of_one["d_ff"] == gpt2_to_llama.equal_width(parts, gpt2_to_llama.RECIPE)
        assert of_one["parameters"] == gpt2_to_llama.parameters(parts, gpt2_to_llama.RECIPE, of_one["d_ff"])
        assert len(of_one["bits_per_byte"]) >= 3
