"""Laws of the live assistant's export: both models travel, and the page begins with what they write."""

import re

import numpy as np
import pytest
import torch

from clearformer.models import GPT2Config
from linebyline.assistant.chat import greedy
from linebyline.assistant.world import ASSISTANT, END, USER, WORDS
from linebyline.figures import live_assistant, quantized
from linebyline.pretrained import rotary_decoder
from tests.linebyline.live_output import node_of, scripts_of, unpack

CONFIG = GPT2Config(len(WORDS), 40, 12, n_heads=3, n_layers=2, d_ff=14, activation="gelu")
MODELS = [rotary_decoder(CONFIG, torch.Generator().manual_seed(seed)) for seed in (0, 1)]
QUESTION = "what does Dan eat ?"


def live(**changes):
    arguments = dict(zip(("base", "assistant"), (model.state_dict() for model in MODELS), strict=True))
    arguments |= {"words": WORDS, "questions": [QUESTION], "n_heads": 3, "context": 40, "description": "Two toys."}
    return live_assistant(**arguments | changes)


def test_both_models_travel_with_the_quantized_weights():
    for name, model in zip(("base", "assistant"), MODELS, strict=True):
        travelled, rounded = unpack(live().weights["model"][name]), quantized(model.state_dict())
        assert list(travelled) == list(rounded)
        for key, array in rounded.items():
            np.testing.assert_array_equal(travelled[key], array)


def test_the_page_begins_with_what_pytorch_writes():
    ids = WORDS.encode(QUESTION.split())
    prompts = {"base": [END, *ids], "assistant": [USER, *ids, END, ASSISTANT]}
    for (name, prompt), model in zip(prompts.items(), MODELS, strict=True):
        rounded = rotary_decoder(CONFIG)
        rounded.load_state_dict({k: torch.from_numpy(v.copy()) for k, v in quantized(model.state_dict()).items()})
        (written,) = greedy(rounded.double(), [prompt], 24)
        opening = live().weights["opening"][name]
        assert [token for token, _ in opening] == [WORDS.tokens[i] for i in prompt + written]
        assert [p is None for _, p in opening] == [True] * len(prompt) + [False] * len(written)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"assistant": {"norm.gain": torch.ones(1)}}, r"not GPT-2's blocks"),
        ({"questions": ["who ?"]}, "does not have 'who'"),
        ({"questions": ["? " * 14]}, "has 14 tokens, more than the 13 that leave room for an answer"),
    ],
)
def test_what_cannot_run_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**changes)


def test_page_names_its_scripts_and_its_weights():
    assert scripts_of(live(), "live_assistant")[0] == "../live/loading.js"


def test_words_cannot_become_tags_and_every_control_has_its_label():
    html = node_of(live(description="<i>"), "toy").astext()
    assert "<i>" not in html and "&lt;end&gt;" in html
    assert re.findall(r'<input[^>]* id="([\w-]+)"', html) == re.findall(r'<label for="([\w-]+)"', html)
