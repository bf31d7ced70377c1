"""Laws of the live translator's export: everything the page needs is in it, and it begins with what the model says."""

import re

import numpy as np
import pytest
import torch

from clearformer.models import TransformerConfig, transformer
from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.figures import live_translator
from linebyline.translation import LONGEST, Words, source_words, translate
from tests.linebyline.live_output import node_of, scripts_of

WORDS = Words.of([ENGLISH_SWEDISH, FRENCH_ENGLISH])
CONFIG = TransformerConfig(len(WORDS), context=13, d_model=12, n_heads=3, n_layers=2, d_ff=14)
MODEL = transformer(CONFIG, torch.Generator().manual_seed(0)).eval()
STATE = MODEL.state_dict()
EXAMPLES = {ENGLISH_SWEDISH: ["Dan loves ice cream", "I sleep."], FRENCH_ENGLISH: ["J'aime l'été."]}
TABLES = ("encoder.embedding.table", "decoder.embedding.table")


def live(**changes):
    arguments = {"state": STATE, "words": WORDS, "examples": EXAMPLES, "n_heads": 3, "context": 13}
    return live_translator(**arguments | {"description": "A toy."} | changes)


def test_the_page_knows_which_words_may_be_read_and_what_begins_a_translation():
    model = live().weights["model"]
    assert model["tokens"] == WORDS.tokens
    for direction, grammar in zip(model["directions"], EXAMPLES, strict=True):
        assert WORDS.decode(direction["vocabulary"]) == grammar.source.vocabulary
        assert WORDS.tokens[direction["start"]] == f"<{grammar.target.name}>"
        assert (direction["source"], direction["name"]) == (grammar.source.name, grammar.name)


@pytest.mark.parametrize(("context", "longest"), [(13, 13), (64, LONGEST)])
def test_no_more_is_written_than_the_course_writes(context, longest):
    sizes = live(context=context).weights["model"]["sizes"]
    assert sizes == {"context": context, "d_model": 12, "longest": longest, "n_heads": 3, "n_layers": 2}


def always_writes(word):
    """A model whose last vector is always the same, and points at a word."""
    state = {name: tensor.clone() for name, tensor in STATE.items()}
    for table in TABLES:
        state[table][WORDS.encode([word])] = 9.0
    state["decoder.blocks.1.norm_feed_forward.gamma"] *= 0
    state["decoder.blocks.1.norm_feed_forward.beta"] += 1
    return state


@pytest.mark.parametrize(("word", "target", "text"), [("<end>", 1, ""), ("glass", 13, "Glass" + 12 * " glass")])
def test_the_opening_stops_at_its_end_or_when_it_is_too_long(word, target, text):
    begun = live(state=always_writes(word)).weights["opening"]
    assert begun["target"] == target * [word]
    assert begun["translation"] == text
    assert np.shape(begun["attention"]) == (target, 5)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"state": {**STATE, "norm.gain": STATE[TABLES[0]]}}, r"1 names differ, such as norm\.gain"),
        ({"examples": {ENGLISH_SWEDISH: ["Dan loves robots."]}}, "the English vocabulary does not have 'robots'"),
        ({"context": 4}, "'Dan loves ice cream' has 5 words and signs, more than context=4"),
    ],
)
def test_what_cannot_run_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        live(**changes)


def test_the_page_names_every_control_and_the_language_of_every_sentence():
    page = node_of(live(), "toy").astext()
    inputs = re.findall(r'<input[^>]* id="([\w-]+)"', page)
    assert len(inputs) == 6
    assert set(inputs) == set(re.findall(r'<label for="([\w-]+)"', page))
    assert '<button type="button" class="lm-prompt" lang="fr" data-direction="1">J&#39;aime l&#39;été.</button>' in page


def test_translate_refuses_the_same_sentences():
    for text, message in (("Dan loves robots.", "does not have 'robots'"), (" ?! ", "has no words to translate")):
        for read in (source_words, lambda grammar, text: translate(MODEL, WORDS, grammar, text)):
            with pytest.raises(ValueError, match=message):
                read(ENGLISH_SWEDISH, text)


def test_page_names_its_scripts_and_its_weights():
    assert scripts_of(live(), "live_translator")[0] == "../live/loading.js"


def test_the_drawing_has_each_word_and_a_line_for_each_weight_that_can_be_seen():
    toy = live()
    weights = [[1.0, 0.0], [0.25, 0.75], [0.004, 0.996]]
    toy.weights["opening"].update(source=["a", "<b>"], target=["c", "d", "e"], attention=weights)
    drawn = node_of(toy, "toy").astext()
    lines = re.findall(r'y1="(\d+)" x2="\d+" y2="(\d+)" stroke-opacity="([\d.]+)"', drawn)
    assert lines == [("14", "14", "1.000"), ("14", "42", "0.250"), ("42", "42", "0.750"), ("42", "70", "0.996")]
    assert re.findall(r">([^<>]+)</text>", drawn) == ["a", "&lt;b&gt;", "c", "d", "e"]
