"""Unigram: by hand, equal to Hugging Face's encoding, as likely as its training, invariants."""

from collections import Counter
from itertools import combinations
from math import exp, log
from pathlib import Path

import numpy as np
import pytest
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from clearformer.tokenizers import UnigramTokenizer
from clearformer.tokenizers.lattice import Lattice
from clearformer.tokenizers.substrings import count_substrings

SPECIAL = ["<pad>", "</s>", "<unk>"]
PIECES = [("<unk>", 0.0), ("a", -2.0), ("b", -3.0), ("ab", -4.0), ("▁", -1.0), ("▁a", -2.5)]


@pytest.fixture(scope="module")
def tokenizer(topics: str) -> UnigramTokenizer:
    return UnigramTokenizer.train(topics, 1_000, special_tokens=SPECIAL)


def cuts(word: str) -> list[list[str]]:
    """All ways to cut a word, the slow way."""
    borders = [c for n in range(len(word)) for c in combinations(range(1, len(word)), n)]
    return [[word[i:j] for i, j in zip((0, *inner), (*inner, len(word)), strict=True)] for inner in borders]


def test_neighboring_unknown_characters_are_one_token() -> None:
    tokenizer = UnigramTokenizer(PIECES, {"<unk>": 0})
    assert tokenizer.encode("a?!b") == [5, 0, 2]
    assert tokenizer.encode("? !") == [4, 0, 4, 0]


def test_an_unknown_character_costs_more_than_two_rare_pieces() -> None:
    pieces = [("<unk>", 0.0), ("ab", -11.5), ("c", -11.5), ("bc", -2.0)]
    assert UnigramTokenizer(pieces, {"<unk>": 0}).best_segmentation("abc") == ["ab", "c"]  # -23 against -21.5 - 2


def test_substrings_by_hand() -> None:
    found = count_substrings({"hug": 3, "hugs": 2, "bug": 1}, longest=16)
    # hug 5 times, hu 5 times (only in hug), ug 6 times, ugs 2 times (only in hugs).
    counts = dict(zip(found.spell(), found.counts.tolist(), strict=True))
    assert counts == {"b": 1, "g": 6, "h": 5, "s": 2, "u": 6, "ug": 6, "hug": 5, "hugs": 2}


def test_expected_counts_are_those_of_all_cuts() -> None:
    words = {"abab": 3, "aab": 2}
    found = count_substrings(words, longest=4, at_least=1)
    ends = np.append(found.words[1:], len(found.text)) - 1
    lattice = Lattice(found.start, found.start + found.lengths[found.piece], found.piece, found.words, ends)
    scores = np.log(found.counts / found.counts.sum())
    score_of = dict(zip(found.spell(), scores.tolist(), strict=True))
    expected, total = Counter(), 0.0
    for word, repeats in words.items():
        known = [cut for cut in cuts(word) if all(piece in score_of for piece in cut)]
        shares = [exp(sum(score_of[piece] for piece in cut)) for cut in known]
        total += repeats * log(sum(shares))
        for cut, share in zip(known, shares, strict=True):
            expected.update({piece: repeats * share / sum(shares) * n for piece, n in Counter(cut).items()})
    counts, likelihood = lattice.expected_counts(scores, found.repeats)
    np.testing.assert_allclose(counts, [expected[piece] for piece in found.spell()], rtol=1e-12)
    assert likelihood == pytest.approx(total, rel=1e-12)


def nats_a_character(tokenizer: UnigramTokenizer, text: str) -> float:
    """Of the best cuts, as each tokenizer uses them."""
    words = Counter(f"▁{word}" for word in text.split())
    lost = sum(-n * sum(tokenizer.scores[p] for p in tokenizer.best_segmentation(word)) for word, n in words.items())
    return lost / sum(n * len(word) for word, n in words.items())


@pytest.mark.parametrize("vocab_size", [500, 2_000])
def test_the_text_is_as_likely_as_by_hugging_faces_training(topics: str, tmp_path: Path, vocab_size: int) -> None:
    text, path = topics[:100_000], tmp_path / "tokenizer.json"
    theirs = Tokenizer(models.Unigram())
    theirs.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Metaspace()])
    theirs.decoder = decoders.Metaspace()
    options = {"special_tokens": SPECIAL, "unk_token": "<unk>", "show_progress": False}
    theirs.train_from_iterator([text], trainers.UnigramTrainer(vocab_size=vocab_size, **options))
    theirs.save(str(path))
    peer, ours = UnigramTokenizer.load(path), UnigramTokenizer.train(text, vocab_size, special_tokens=SPECIAL)
    assert ours.vocab_size == vocab_size
    assert nats_a_character(ours, text) < 1.01 * nats_a_character(peer, text)


def test_expectation_and_maximization_never_lower_the_likelihood(topics: str) -> None:
    found = count_substrings(Counter(topics[:30_000].split()), longest=8)
    ends = np.append(found.words[1:], len(found.text)) - 1
    lattice = Lattice(found.start, found.start + found.lengths[found.piece], found.piece, found.words, ends)
    scores, before = np.full(len(found.counts), -log(len(found.counts))), -np.inf
    for _ in range(5):
        counts, likelihood = lattice.expected_counts(scores, found.repeats)
        assert likelihood > before
        before, scores = likelihood, np.log(np.maximum(counts, 1e-300) / counts.sum())


def test_training_and_saving_are_the_same_again(tokenizer: UnigramTokenizer, topics: str, tmp_path: Path) -> None:
    again = UnigramTokenizer.train(topics, 1_000, special_tokens=SPECIAL)
    assert again.scores == tokenizer.scores
    again.save(tmp_path / "tokenizer.json")
    assert UnigramTokenizer.load(tmp_path / "tokenizer.json").scores == tokenizer.scores


def test_empty(tokenizer: UnigramTokenizer) -> None:
    assert tokenizer.encode(" \n") == []
    assert UnigramTokenizer.train("", 1).vocab_size == 1
    assert UnigramTokenizer.train("a", 3).scores.keys() == {"a", "▁"}


def test_a_file_without_an_unknown_token_is_refused(tokenizer: UnigramTokenizer, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    tokenizer.save(path)
    path.write_text(path.read_text(encoding="utf-8").replace('"unk_id": 2', '"unk_id": null'), encoding="utf-8")
    with pytest.raises(ValueError, match="unk_id=None is not supported"):
        UnigramTokenizer.load(path)
