"""Laws of the live translator's arithmetic: in the browser the numbers are PyTorch's, and the words the grammars'."""

import numpy as np
import pytest
import torch

from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.translation import sentences

KIND = "live_translator"
GRAMMARS = [ENGLISH_SWEDISH, FRENCH_ENGLISH]  # in the order of the page
BOTH = pytest.mark.parametrize("direction", [0, 1])
TEXTS = [
    "Dan loves ice cream.",
    "  My friend sings. I sleep.  ",
    "Dan’s (old) friend — 3 cats, 2½ dogs!? “no”…",
    "L'AMI n'aime pas l'été. Aujourd'hui j'achèterai d'eau; qu'il l’a.",
    "aujourd'hui l' d' qu'a QU'a j'",
    "été",
    "e\u0301te\u0301",
    "snake_case x1 \x1cfoo\x85bar\ufeffbaz 你好 مرحبا",
    "İstanbul. Ünder. ǅ",
    "",
    " \n\t",
    "...",
    "🙂 a\u0301 ²",
]


def unseen(grammar, count):
    """Sentences that no translator has seen, half of them with a verb and an object that never met."""
    _, sentences_, combinations = sentences(grammar, 0, count // 2)
    return [*sentences_, *combinations]


@BOTH
def test_text_becomes_the_words_of_the_language_and_text_again(session, direction):
    grammar = GRAMMARS[direction]
    pairs = unseen(grammar, 200)
    texts = [*TEXTS, *(grammar.source.detokenize(pair.source) for pair in pairs)]
    words = session("return arg[1].map(text => s.words.tokenize(arg[0], text))", [direction, texts])
    assert list(map(tuple, words)) == list(map(grammar.source.tokenize, texts))
    targets = [[pair.target for pair in pairs], [grammar.target.detokenize(pair.target) for pair in pairs]]
    written = session(
        "return arg.map(words => s.words.decode([...words.map(w => s.words.ids.get(w)), 1, 7]))", targets[0]
    )
    assert written == targets[1]


@BOTH
def test_logits_and_all_attention_equal_pytorch(session, reference, direction):
    grammar = GRAMMARS[direction]
    for pair in unseen(grammar, 6):
        source = reference.words.encode(pair.source)
        target = [reference.words.start(grammar), *reference.words.encode(pair.target)]
        got = session(
            """s.read = s.model.encode(arg.source);
               const writing = new clearformer.Writing(s.model, s.read);
               const logits = arg.target.map(id => [...writing.step(id)]);
               const rows = maps => [0, 1].map(layer => maps(layer).map(heads => heads.map(row => [...row])));
               return {logits, encoder: rows(layer => s.read.maps[layer]),
                       cross: rows(layer => writing.maps.map(at => at[layer]))};""",
            {"source": source, "target": target},
        )
        logits, maps = reference.logits_and_maps(source, target)
        assert logits.std() > 0.5  # else closeness would say little
        np.testing.assert_allclose(got["logits"], logits, rtol=0, atol=1e-4)
        for layer in range(2):
            for kind, name in (("encoder", "encoder.blocks.{}.attention"), ("cross", "decoder.blocks.{}.cross")):
                expected = maps[name.format(layer)].transpose(0, 1)  # (T, n_heads, S)
                np.testing.assert_allclose(got[kind][layer], expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("both", [False, True])
def test_words_are_hidden_as_pytorch_hides_them(session, reference, both):
    for pair in unseen(ENGLISH_SWEDISH, 6):
        gone = [1, len(pair.source) - 2]
        text = ENGLISH_SWEDISH.source.detokenize(pair.source)
        got = session(
            """s.translate(0, arg.text); s.hide(arg.gone, arg.both);
               return {target: s.target, logits: s.logits.map(row => [...row]),
                       cross: s.maps.map(at => at[1].map(row => [...row])),
                       encoder: s.read.maps[0].map(heads => heads.map(row => [...row]))};""",
            {"text": text, "gone": gone, "both": both},
        )
        ids, seen = (
            torch.tensor([reference.words.encode(pair.source)]),
            torch.ones(1, len(pair.source), dtype=torch.bool),
        )
        seen[:, gone] = False
        with torch.no_grad():
            states = reference.model.encoder(ids, mask=seen if both else None)
            memory = reference.model.decoder.memory(states, seen)
            read = torch.tensor([[reference.words.start(ENGLISH_SWEDISH), *got["target"][:-1]]])
            logits = reference.model.decoder(read, memory)[0]
        np.testing.assert_allclose(got["logits"], logits, rtol=0, atol=1e-4)
        assert got["target"] == logits.argmax(-1).tolist()
        assert not np.array(got["cross"])[:, :, gone].any()
        assert np.array(got["encoder"])[:, :, gone].any() != both


def test_one_word_has_to_stay(session):
    message = session(
        """s.translate(0, "Dan sleeps."); try { s.hide([0, 1, 2], true) } catch (e) { return e.message }"""
    )
    assert message == "One word has to stay."


@BOTH
def test_greedy_translations_equal_pytorchs_on_200_sentences(session, reference, direction):
    grammar = GRAMMARS[direction]
    pairs = unseen(grammar, 200)
    texts = [grammar.source.detokenize(pair.source) for pair in pairs]
    got = session("return arg[1].map(text => { s.translate(arg[0], text); return s.target })", [direction, texts])
    assert got == reference.greedy(grammar, [reference.words.encode(pair.source) for pair in pairs])
    right = [reference.words.decode(ids) == pair.target for ids, pair in zip(got, pairs, strict=True)]
    assert np.mean(right) > 0.5  # a translator, not noise that both agree on


@BOTH
def test_four_beams_find_what_pytorch_finds(session, reference, direction):
    grammar = GRAMMARS[direction]
    for pair in unseen(grammar, 16):
        text = grammar.source.detokenize(pair.source)
        got = session("s.translate(...arg); return s.search(4)", [direction, text])
        expected = reference.beams(grammar, reference.words.encode(pair.source))
        assert [found["tokens"] for found in got] == [hypothesis.tokens for hypothesis in expected]
        np.testing.assert_allclose([found["score"] for found in got], [h.score for h in expected], atol=1e-6)


def test_beams_win_where_the_most_likely_first_word_does_not(session):
    """A tree by hand: 1 is the likelier first token, 2 leads to the likelier sentences; 3 ends them."""
    found = session(
        """const tree = {0: [0, .6, .4, 0], 1: [.1, .3, .2, .4], 2: [.05, .05, .1, .8]};
           const writing = {step: id => tree[id].map(Math.log), copy: () => writing};
           return clearformer.beamSearch(writing, 0, {nBeams: 2, longest: 2, end: 3});"""
    )
    assert [hypothesis["tokens"] for hypothesis in found] == [[2, 3], [1, 3]]
    assert [hypothesis["score"] for hypothesis in found] == pytest.approx([np.log(0.32) / 2, np.log(0.24) / 2])


@pytest.mark.parametrize(
    ("direction", "text", "message"),
    [
        (0, "", "There are no words to translate: type a sentence."),
        (0, " ?! ... 12", "There are no words to translate: type a sentence."),
        (0, "Dan loves robots", "The English vocabulary of 280 words and signs does not have “robots”."),
        (1, "dan aime le Été.", "The French vocabulary of 490 words and signs does not have “dan”, “Été”."),
        (0, "Zyx!", "does not have “zyx”, “!”."),
        (0, "a b c d e f g h", "does not have “b”, “c”, “d”, “e”, “f” and 2 more."),
        (0, 199 * "Dan " + "sleeps.", "The sentence has 201 words and signs, and the translator reads at most 64"),
        (0, 64 * "Dan ", "The sentence has 65 words and signs, and the translator reads at most 64"),
    ],
)
def test_what_cannot_be_read_is_refused_by_name_and_number(session, direction, text, message):
    before = session("s.translate(0, 'Dan sleeps.'); return s.target")
    said = session("try { s.translate(...arg) } catch (error) { return error.message }", [direction, text])
    assert message in said
    assert session("return s.target") == before


def test_what_the_model_does_not_hold_is_refused(session, reference):
    size = len(reference.words)
    for code, words in (
        ("s.model.encode([])", "0 tokens, but the model reads 1 to 64"),
        ("s.model.encode(Array(65).fill(5))", "65 tokens, but the model reads 1 to 64"),
        (f"s.model.encode([{size}])", f"id {size} is not among {size} tokens"),
    ):
        assert words in session(f"try {{ {code} }} catch (error) {{ return error.message }}")
