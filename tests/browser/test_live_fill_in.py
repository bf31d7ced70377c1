"""Laws of the live fill-in's arithmetic: in the browser the numbers are PyTorch's, and the tokens the tokenizer's."""

import random
import re

import numpy as np
import pytest

from linebyline import masked_language_model as mlm
from linebyline.corpora import pydoc_topics
from tests.browser.live_page import ENCODER, HIDDEN, KNOWN, SPACES, random_texts

KIND = "live_fill_in"
FIRST, SECOND, _ = HIDDEN
TEXTS = [
    "a",
    "It's “quoted” — don't; [MASK] or [ MASK ] or [mask]?",
    "[MASK][MASK]x[MASK]",
    "[CLS] [SEP] [PAD] [UNK] ##s",
    "Ünïcode … 你好 🙂 Привет",
    "e\u0301te\u0301 snake_case x=1+2 ~`^$ a\x85b\ufeffc\x1cd\u200be",
    "x" * 100 + " " + "x" * 101 + " " + "🙂" * 101,
]


def unseen(count):
    """Lines that the tokenizer has not seen."""
    lines = [line for line in pydoc_topics()[KNOWN:].splitlines() if re.search(r"\w", line)]
    return random.Random(0).sample(lines, count)


def test_ids_are_the_tokenizers_on_unseen_lines_and_random_texts(session, reference):
    drawn = random_texts(500, "'$+<=>^`|~_", ["the ", "[MASK]", "array", "##"])
    texts = [*TEXTS, *unseen(250), *(text for text in drawn if text.strip(SPACES))]
    ids = session("return arg.map(text => [2, ...s.tokenizer.words(text).flatMap(word => word.ids), 3])", texts)
    assert len(texts) > 500
    assert ids == [reference.ids(text) for text in texts]


def test_text_of_ids_is_the_tokenizers(session, reference):
    rng = random.Random(0)
    lists = [[rng.randrange(ENCODER.vocab_size) for _ in range(rng.randrange(30))] for _ in range(300)]
    texts = session("return arg.map(ids => s.tokenizer.decode(ids))", lists)
    assert texts == list(map(reference.tokenizer.decode, lists))


def test_logits_equal_pytorch_on_200_inputs_with_hidden_tokens(session, reference):
    rng, asked = random.Random(1), []
    for text in unseen(200):
        ids = reference.ids(text)
        hidden = rng.sample(range(1, len(ids) - 1), min(rng.randint(1, 3), len(ids) - 2))
        asked.append([[mlm.MASK if t in hidden else i for t, i in enumerate(ids)], hidden])
    got = session(
        """return arg.map(([ids, hidden]) => {
             const { states } = s.model.encode(ids);
             return hidden.map(t => Array.from(s.model.guess(states[t]), z => Number(z.toFixed(9)))); })""",
        asked,
    )
    expected = [reference.logits(ids)[hidden] for ids, hidden in asked]
    for ours, theirs in zip(got, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)
    assert np.concatenate(expected).std(axis=0).mean() > 0.5  # else closeness would say little: what is read decides


@pytest.mark.parametrize("text", [*TEXTS[:6], FIRST])
def test_all_attention_equals_pytorch(session, reference, text):
    maps, ids = session(
        """s.read(arg, [0]); const T = s.ids.length, range = n => [...Array(n).keys()];
           return [range(4).map(layer => range(4).map(head => range(T).map(t => [...s.attention(layer, head, t)]))),
                   s.ids]""",
        text,
    )
    np.testing.assert_allclose(maps, reference.maps(ids), rtol=0, atol=1e-5)
    np.testing.assert_allclose(np.sum(maps, axis=-1), 1, atol=1e-12)


def test_guesses_are_the_likeliest_tokens_and_name_what_is_hidden(session, reference):
    guesses, ids, whole = session(
        """s.read(arg, [1, 6]);
           return [s.guesses.map(g => ({...g, probabilities: [...g.probabilities]})), s.ids,
                   s.words.flatMap(w => w.ids)]""",
        SECOND,
    )
    p = reference.logits(ids).softmax(-1)
    assert [guess["place"] for guess in guesses] == sorted(
        [1] * len(reference.ids("eigenvalues")[1:-1]) + [6] * len(reference.ids("computed")[1:-1])
    )
    for guess in guesses:
        row = p[guess["position"]]
        np.testing.assert_allclose(guess["probabilities"], row, rtol=0, atol=1e-6)
        assert guess["best"] == row.argsort(descending=True, stable=True)[:5].tolist()
        assert guess["original"] == whole[guess["position"] - 1]


def test_hidden_words_are_as_many_masks_as_they_have_pieces(session, reference):
    pieces = [len(reference.ids(word)) - 2 for word in ("eigenvalues", "multiplicity")]
    assert max(pieces) > 1
    masks = "return s.ids.filter(id => id === 4).length"
    assert session(f"s.read(arg, [1]); {masks}", SECOND) == pieces[0]
    assert session(f"s.toggle(10); {masks}") == sum(pieces)
    assert session("s.toggle(10); s.toggle(1); return s.ids") == reference.ids(SECOND)


def test_filling_puts_the_likeliest_token_into_each_place(session):
    before, best, filled, ids, left = session(
        """s.read(arg, [0, 2, 4]); const before = s.ids, best = s.guesses.map(g => [g.position, g.best[0]]);
           const filled = s.fill(); return [before, best, filled, s.ids, s.guesses.length]""",
        FIRST,
    )
    expected = list(before)
    for position, token in best:
        expected[position] = token
    assert (ids, filled["count"], left) == (expected, len(best), 0)
    assert session("s.hide([]); return s.ids") != ids


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "There are no words to read: type a sentence."),
        (" \n\t", "There are no words to read: type a sentence."),
        (127 * "a ", "The sentence has 129 tokens, [CLS] and [SEP] among them, and the model reads at most 128: type"),
    ],
)
def test_what_cannot_be_read_is_refused_and_leaves_all_as_it_was(session, text, message):
    before = session("s.read('a b c', [1]); return s.ids")
    assert message in session("try { s.read(arg) } catch (error) { return error.message }", text)
    assert session("return s.ids") == before


def test_what_the_model_does_not_hold_is_refused(session):
    for code, words in (
        ("s.model.encode([])", "0 tokens, but the model reads 1 to 128"),
        ("s.model.encode(Array(129).fill(5))", "129 tokens, but the model reads 1 to 128"),
        ("s.model.encode([2048])", "id 2048 is not among 2048 tokens"),
    ):
        assert words in session(f"try {{ {code} }} catch (error) {{ return error.message }}")
