"""Laws of the live model's export: everything the page needs is in it, and notebooks compare none of the weights."""

import itertools
import re
from types import SimpleNamespace

import chapters
import nbformat
import numpy as np
import pytest
import torch
from course import write_files
from docutils.utils import new_document
from IPython.core.formatters import DisplayFormatter

from clearformer.models import GPT2Config, gpt2
from clearformer.tokenizers import BPETokenizer
from linebyline.figures import live_model, quantized
from linebyline.figures.live_model import MIME_TYPE, random_numbers, settings
from linebyline.pretrained import rotary_decoder
from tests.linebyline.live_output import node_of, unpack

CONFIG = GPT2Config(263, 11, 12, n_heads=3, n_layers=2, d_ff=14, activation="gelu")
TOKENIZER = BPETokenizer.train("low lower lowest ünter", 263, special_tokens=["<eos>"])
MODEL = rotary_decoder(CONFIG, torch.Generator().manual_seed(0))
STATE = MODEL.state_dict()


def live(**changes):
    arguments = {"state": STATE, "tokenizer": TOKENIZER, "n_heads": 3, "context": 11}
    arguments |= {"prompts": ["low"], "description": "A toy."} | changes
    return live_model(arguments.pop("state"), arguments.pop("tokenizer"), **arguments)


def test_what_travels_are_the_quantized_weights():
    travelled, rounded = unpack(live().weights["model"]), quantized(STATE)
    assert list(travelled) == list(rounded) == list(STATE)
    for name, array in rounded.items():
        np.testing.assert_array_equal(travelled[name], array)
        assert array.shape == STATE[name].shape


def test_matrices_share_a_step_by_output_and_tables_by_row():
    rounded = quantized(STATE)
    for name, array in rounded.items():
        if array.ndim == 1:
            np.testing.assert_array_equal(array, STATE[name])
            continue
        largest = np.abs(STATE[name].numpy()).max(axis=0 if ".w_" in name else 1, keepdims=True)
        assert (np.abs(array - STATE[name].numpy()) <= largest / 254 * 1.001).all()
        assert len(np.unique(largest)) > 1


def test_tokens_and_merges_are_the_tokenizers():
    model = live().weights["model"]
    assert [token.encode("latin-1") for token in model["tokens"]] == [TOKENIZER.decode_bytes([i]) for i in range(263)]
    merges = np.reshape(model["merges"], (-1, 3))
    assert len(merges) == len(TOKENIZER.merges) == 6
    for left, right, both in merges:
        assert model["tokens"][left] + model["tokens"][right] == model["tokens"][both]


def test_it_writes_until_the_context_is_full_or_96_tokens():
    prompt = len(TOKENIZER.encode("low"))
    assert live().weights["opening"]["count"] == 11 - prompt
    assert live(context=prompt + 1).weights["opening"]["count"] == 1
    assert live(context=200).weights["opening"]["count"] == 96


def test_random_numbers_are_even_and_the_same_for_the_same_seed():
    for seed in (0, 1, 2**32 - 1):
        first, again = (list(itertools.islice(random_numbers(seed), 10_000)) for _ in range(2))
        assert first == again
        assert np.histogram(first, bins=10, range=(0, 1))[0].min() > 850


def test_a_notebook_shows_words_and_keeps_the_weights_out_of_the_comparison():
    data, metadata = DisplayFormatter().format(live())
    assert data["text/plain"] == "A toy. It runs in the book's page."
    assert data[MIME_TYPE] == {"description": "A toy.", "prompts": ["low"]}
    assert live(folded=True).page["folded"] is True and settings(live(folded=True).page) == (1, 1)
    assert "bytes" in metadata[MIME_TYPE]["model"]
    cell = nbformat.v4.new_code_cell(outputs=[nbformat.v4.new_output("execute_result", data, metadata=metadata)])
    recorded = chapters.stable(nbformat.v4.new_notebook(cells=[cell]))
    assert recorded.cells[0].outputs[0].data == data
    assert recorded.cells[0].outputs[0].metadata == {}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": {**STATE, "norm.gain": STATE["norm.gamma"]}}, r"1 names differ, such as norm\.gain"),
        ({"state": gpt2(CONFIG).state_dict()}, r"1 names differ, such as embedding\.position\.table"),
        ({"context": 3, "prompts": ["xyz"]}, "the first prompt has 3 tokens, which leaves no room in context=3"),
        ({"tokenizer": BPETokenizer.train("", 256, pattern=r"\S+|\s+")}, "by the pattern of GPT-2, not by"),
    ],
)
def test_what_cannot_run_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**changes)


def rendered(page_name="book/toy", **changes):
    return node_of(live(**changes), page_name)


@pytest.mark.parametrize(("page", "root"), [("toy", ""), ("book/toy", "../")])
def test_page_names_its_scripts_and_its_weights(page, root):
    node = rendered(page)
    html = node.astext()
    (file,) = node["files"]
    assert file == "toy-figure-3-1.js"
    key = re.search(r'data-key="(\w+)"', html)[1]
    assert f'data-weights="{file}?{key}"' in html
    assert node["files"][file].startswith(f'(globalThis.clearformerModels ??= {{}})["{key}"] = {{')
    web = chapters.ROOT / "book" / "_web"
    sources = re.findall(r'<script defer src="([^"]+)">', html)
    written = [path for folder in ("live", "live_model") for path in (web / folder).glob("*.js")]
    written.remove(web / "live" / "post_norm.js")  # what encoders need
    assert sorted(sources) == sorted(f"{root}{path.relative_to(web).as_posix()}" for path in written)


def test_words_of_the_author_cannot_become_tags():
    html = rendered(prompts=['<b>"'], description="<i>").astext()
    assert "<b>" not in html
    assert "<i>" not in html
    assert html.count("&lt;b&gt;&#34;") == 3


def test_every_control_has_its_label():
    html = rendered().astext()
    inputs = re.findall(r'<(?:input|textarea)[^>]* id="([\w-]+)"', html)
    assert len(inputs) == 9
    assert set(inputs) == set(re.findall(r'<label for="([\w-]+)"', html))


def test_files_of_a_figure_are_written_beside_its_page(tmp_path):
    document = new_document("toy")
    document += rendered()
    write_files(SimpleNamespace(outdir=tmp_path), "book/toy", "page.html", {}, document)
    write_files(SimpleNamespace(outdir=tmp_path), "search", "search.html", {}, None)
    (file,) = tmp_path.rglob("*.*")
    assert file.relative_to(tmp_path).as_posix() == "book/toy-figure-3-1.js"
    assert file.read_text(encoding="utf-8") == next(iter(rendered()["files"].values()))
