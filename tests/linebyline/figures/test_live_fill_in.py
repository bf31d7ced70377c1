"""Laws of the live fill-in's export: everything the page needs is in it, and it begins with what the model guesses."""

import re

import numpy as np
import pytest
import torch

from clearformer.models import BertConfig
from linebyline import masked_language_model as mlm
from linebyline.figures import live_fill_in, quantized
from tests.linebyline.live_output import node_of, scripts_of

TEXT = "The sum of a row is the sum of its numbers, and the sums of rows are sums."
TOKENIZER = mlm.tokenizer_of(TEXT, 50)
CONFIG = BertConfig(50, context=13, d_model=12, n_heads=3, n_layers=2, d_ff=14, n_segments=1)
MODEL = mlm.encoder(CONFIG, torch.Generator().manual_seed(0)).eval()
STATE = MODEL.state_dict()
EXAMPLES = {"The sum <of> its rows": ["rows", "sum"], "a b": ["b"]}


def live(**changes):
    arguments = {"state": STATE, "tokenizer": TOKENIZER, "config": CONFIG, "examples": EXAMPLES}
    return live_fill_in(**arguments | {"description": "A toy."} | changes)


def test_each_output_of_the_heads_layer_has_a_step_of_its_own():
    given, rounded = STATE["head.dense.w"].numpy(), quantized(STATE)["head.dense.w"]
    largest = np.abs(given).max(axis=0, keepdims=True)  # (1, d_model)
    assert (np.abs(rounded - given) <= largest / 254 * 1.001).all()


def test_the_page_knows_the_pieces_and_the_sizes():
    model = live().weights["model"]
    assert model["tokens"][:5] == ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    assert {token: i for i, token in enumerate(model["tokens"])} == TOKENIZER.vocab | TOKENIZER.special_tokens
    assert model["sizes"] == {"context": 13, "d_model": 12, "eps": 1e-12, "n_heads": 3, "n_layers": 2}


def test_hidden_words_are_given_by_their_places():
    first, second = live().page["examples"]
    assert first == {"text": "The sum <of> its rows", "hidden": [1, 6]}
    assert second == {"text": "a b", "hidden": [1]}
    twice = live(examples={"sum of sum": ["sum"]}).page["examples"]
    assert twice[0]["hidden"] == [0]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": {**STATE, "norm.gain": torch.ones(1)}}, r"not a BERT .* 1 names differ, such as norm\.gain"),
        ({"examples": {"a " * 12: ["a"]}}, r"has 14 tokens, \[CLS\] and \[SEP\] among them, more than context=13"),
    ],
)
def test_what_cannot_run_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**changes)


def test_page_names_its_scripts_and_its_weights():
    assert scripts_of(live(), "live_fill_in")[0] == "../live/loading.js"


def test_words_cannot_become_tags_and_every_control_has_its_label():
    html = node_of(live(description="<i>", examples={"<b> of &amp;": ["b", "amp"]}), "toy").astext()
    assert "<i>" not in html
    assert "<b>" not in html
    assert "&lt;i&gt;" in html
    assert "&lt;<strong>b</strong>&gt; of &amp;<strong>amp</strong>;" in html
    inputs = re.findall(r'<input[^>]* id="([\w-]+)"', html)
    assert len(inputs) == 4
    assert set(inputs) == set(re.findall(r'<label for="([\w-]+)"', html))
