"""Translators: words as ids, batches that padding does not change, translations, and the kept model."""

import json

import pytest
import torch

from clearformer.models import TransformerConfig, transformer
from linebyline import translation as tr
from linebyline.corpora import ENGLISH_SWEDISH, FRENCH_ENGLISH
from linebyline.kept_models import WEIGHTS
from linebyline.translation import baselines

WORDS = tr.Words.of([ENGLISH_SWEDISH])
PAIRS = tr.sentences(ENGLISH_SWEDISH, 60, 20)
SMALL = tr.Recipe(pairs=50, d_model=8, n_heads=2, n_layers=1, d_ff=16, batch=4, steps=6, warmup=2)


def small(seed: int = 0) -> torch.nn.Module:
    config = TransformerConfig(len(WORDS), context=64, d_model=16, n_heads=2, n_layers=1, d_ff=32)
    return transformer(config, torch.Generator().manual_seed(seed)).eval()


def test_words_are_numbered_once_behind_what_serves_them() -> None:
    both = tr.Words.of(tr.GRAMMARS)
    assert both.tokens[:4] == ("<pad>", "<end>", "<English>", "<Swedish>")
    assert len(set(both.tokens)) == len(both)
    assert both.start(ENGLISH_SWEDISH) == 3 and both.start(FRENCH_ENGLISH) == 2
    for grammar in tr.GRAMMARS:
        assert both.decode(both.encode(grammar.source.vocabulary)) == grammar.source.vocabulary


def test_unknown_words_are_named() -> None:
    with pytest.raises(ValueError, match=r"vocabulary of \d+ tokens does not have 'robot', 'quantum'"):
        WORDS.encode(["Dan", "robot", "quantum"])
    with pytest.raises(ValueError, match="does not have '<English>'"):
        WORDS.start(FRENCH_ENGLISH)


def test_rows_hold_sentences_and_padding() -> None:
    sources, targets = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS.train)
    for pair, source, target in zip(PAIRS.train, sources.tolist(), targets.tolist(), strict=True):
        assert tuple(WORDS.tokens[i] for i in source if i != tr.PAD) == pair.source
        assert target[0] == WORDS.start(ENGLISH_SWEDISH)
        assert WORDS.decode(target[1:]) == pair.target
        assert set(target[len(pair.target) + 2 :]) <= {tr.PAD}


def test_batches_take_as_many_from_each_corpus_and_no_column_of_padding() -> None:
    words = tr.Words.of(tr.GRAMMARS)
    corpora = [tr.rows(words, g, tr.sentences(g, 30, 0).train) for g in tr.GRAMMARS]
    draw = tr.batches(corpora, batch=6)
    sources, targets = draw(torch.Generator().manual_seed(0))
    assert targets[:, 0].tolist() == [words.start(g) for g in tr.GRAMMARS for _ in range(3)]
    assert (sources != tr.PAD).any(dim=0).all() and (targets != tr.PAD).any(dim=0).all()
    known = {tuple(i for i in row if i) for part in corpora for row in part[0].tolist()}
    assert all(tuple(i for i in row if i) in known for row in sources.tolist())


def test_the_loss_of_a_batch_is_the_mean_over_the_words_of_its_sentences() -> None:
    model, loss = small(), tr.loss(label_smoothing=0.1)
    sources, targets = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS.train[:5])
    alone = [
        (loss(model, (s[s != tr.PAD][None], t[t != tr.PAD][None])), int((t != tr.PAD).sum()) - 1)
        for s, t in zip(sources, targets, strict=True)
    ]
    mean = sum(value * n for value, n in alone) / sum(n for _, n in alone)
    torch.testing.assert_close(loss(model, (sources, targets)), mean)


@pytest.mark.parametrize("name", ["GRU", "GRU with attention", "Transformer", "no encoder positions"])
def test_translations_of_a_batch_are_those_of_its_sentences(name: str) -> None:
    read = tr.reader(baselines.models(WORDS, seed=1)[name].eval())
    sources, targets = tr.rows(WORDS, ENGLISH_SWEDISH, PAIRS.train[:7])
    start = int(targets[0, 0])
    together = tr.greedy(read, sources, start)
    assert together == [tr.greedy(read, row[row != tr.PAD][None], start)[0] for row in sources]


def test_without_positions_the_order_of_the_source_is_nothing() -> None:
    ids, target = torch.tensor([[5, 9, 7, 8]]), torch.tensor([[2, 6, 11]])
    for name, same in (("no encoder positions", True), ("Transformer", False)):
        model = baselines.models(WORDS, seed=0)[name]
        assert torch.allclose(model(ids, target), model(ids[:, [2, 0, 3, 1]], target), atol=1e-5) == same


def test_rates_know_a_head_that_copies_the_truth(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = PAIRS.train[:4]
    truth = [torch.zeros(len(p.target), len(p.source)) for p in pairs]
    for weights, pair in zip(truth, pairs, strict=True):
        for t, positions in enumerate(pair.alignment):
            weights[t, list(positions)] = 1.0
    monkeypatch.setattr(baselines, "cross_attention", lambda *_: {"0.0": truth})
    links, words = sum(len(a) for p in pairs for a in p.alignment), sum(len(p.target) for p in pairs)
    assert baselines.error_rates(small(), WORDS, pairs)["0.0"] == pytest.approx(1 - 2 * words / (words + links))


def test_cross_attention_is_cut_to_each_pair() -> None:
    maps = baselines.cross_attention(small(), WORDS, PAIRS.train[:3])
    assert list(maps) == ["0.0", "0.1"]
    for weights, pair in zip(maps["0.0"], PAIRS.train[:3], strict=True):
        assert weights.shape == (len(pair.target), len(pair.source))
        torch.testing.assert_close(weights.sum(dim=-1), torch.ones(len(pair.target)))


def test_a_translator_needs_words_that_are_hidden_from_its_cross_attention() -> None:
    pair = ENGLISH_SWEDISH.translate("Dan loves ice cream.")  # Dan älskar glass .
    cases = [(0, 2, []), (1, 1, [1]), (1, 2, [2, 3]), (1, 0, [2, 3])]
    assert tr.right_without(tr.translator(), [pair, pair], cases).tolist() == [True, False, False, True]


def test_a_word_can_be_hidden_from_the_encoder_as_well() -> None:
    pair = ENGLISH_SWEDISH.translate("In September Jane does not buy the old car.")
    den = [(0, pair.target.index("den"), [pair.source.index(word)]) for word in ("old", "car", "Jane")]
    assert tr.right_without(tr.translator(), [pair], den).tolist() == [True, True, True]
    assert tr.right_without(tr.translator(), [pair], den, encoder=True).tolist() == [False, True, True]


def test_shares_are_grouped_by_the_length_of_the_source() -> None:
    pairs = tr.sentences(ENGLISH_SWEDISH, 3000, 0).train
    lengths = torch.tensor([float(len(pair.source)) for pair in pairs])
    means = baselines.by_length(lengths, pairs)
    bounds = (0, *baselines.LENGTHS)
    assert all(low < mean <= high for low, mean, high in zip(bounds, means, baselines.LENGTHS, strict=False))


def test_the_kept_translator_translates() -> None:
    trained = tr.translator()
    assert min(tr.accuracy(trained, 300)) >= 0.99
    for n_beams in (1, 4):
        assert trained.translate(ENGLISH_SWEDISH, "Dan loves ice cream", n_beams=n_beams) == "Dan älskar glass."
        said = trained.translate(FRENCH_ENGLISH, "Jane visite l'Afrique en septembre.", n_beams=n_beams)
        assert said == "Jane visits Africa in September."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "'' has no words to translate"),
        ("?!.", r"'\?!\.' has no words to translate"),
        ("Dan loves robots.", "the English vocabulary does not have 'robots'"),
        ("Dan sings. " + "Dan sleeps " * 100, "64"),
    ],
)
def test_what_cannot_be_translated_is_refused(text: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        tr.translate(tr.reader(small()), WORDS, ENGLISH_SWEDISH, text)


def test_a_rival_that_is_trained_for_longer_has_a_rate_that_falls_for_longer() -> None:
    ends = {
        name: baselines.trainer(name, model, WORDS, PAIRS.train, 0).schedule(baselines.STEPS)
        for name, model in baselines.models(WORDS, 0).items()
        if name.startswith("GRU")
    }
    assert {name for name, rate in ends.items() if rate > 0.2 * baselines.PEAK} == set(baselines.LONGER)


def test_the_rivals_that_are_shown_are_those_of_the_command() -> None:
    content = json.loads((WEIGHTS / "translation_rivals.json").read_text(encoding="utf-8"))
    assert list(content["rivals"]) == list(baselines.models(WORDS, 0))
    assert (content["steps"], content["longer"], content["batch"], tuple(content["lengths"])) == (
        baselines.STEPS,
        baselines.LONGER,
        baselines.BATCH,
        baselines.LENGTHS,
    )
    for name, model in baselines.models(WORDS, 0).items():
        assert content["rivals"][name]["parameters"] == sum(p.numel() for p in model.parameters())
        assert len(content["rivals"][name]["seeds"]) == 3
