"""WordPiece: by hand, equal to Hugging Face, invariants."""

from collections import Counter
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from clearformer.tokenizers import WordPieceTokenizer
from clearformer.tokenizers.pre_tokenization import words_and_punctuation
from clearformer.tokenizers.wordpiece import learn_pieces
from tests.tokenizers import peers

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
SPECIAL = {"[UNK]": 0, "[CLS]": 1}


@pytest.fixture(scope="module")
def tokenizer(topics: str) -> WordPieceTokenizer:
    return WordPieceTokenizer.train(topics, 2_000, special_tokens=["[UNK]", "[CLS]", "[SEP]"])


def test_longest_match_first_by_hand() -> None:
    tokenizer = WordPieceTokenizer({"un": 2, "una": 3, "##aff": 4, "##ffable": 5, "##able": 6}, SPECIAL)
    assert tokenizer.encode("unaffable") == [3, 5]
    # "una" leaves "ble", and there is no way back to un ##able
    assert tokenizer.encode("un unable") == [2, 0]
    assert tokenizer.decode([3, 5, 2, 6, 0]) == "unaffable unable [UNK]"


def test_pieces_by_hand() -> None:
    # 6 characters, 4 of them inside words. (h, ##u) 3 + 1 times, (##u, ##g) 3: "hu"; then (hu, ##g) 3: "hug".
    assert learn_pieces({"hug": 3, "hum": 1, "pun": 1}, 12)[-3:] == ["##u", "hu", "hug"]


@pytest.mark.parametrize("longest", [1, 100, 200])
def test_the_longest_word_is_an_argument(longest: int, tmp_path: Path) -> None:
    tokenizer = WordPieceTokenizer({"a": 2, "##a": 3}, SPECIAL, max_input_chars_per_word=longest)
    tokenizer.save(tmp_path / "tokenizer.json")
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    for each in (tokenizer, WordPieceTokenizer.load(tmp_path / "tokenizer.json")):
        for n in (longest, longest + 1):
            assert each.encode("a" * n) == theirs.encode("a" * n).ids == ([2, *[3] * (n - 1)] if n == longest else [0])


@pytest.mark.parametrize("vocab_size", [500, 4_000, 16_000])
def test_vocabulary_equals_given_the_same_numbers_of_characters(topics: str, vocab_size: int) -> None:
    theirs = peers.train_hugging_face_wordpiece(topics, vocab_size).get_vocab()
    in_order = sorted(theirs, key=theirs.__getitem__)
    continuations = [piece[2:] for piece in in_order if len(piece) == 3 and piece.startswith("##")]
    word_counts = Counter(words_and_punctuation(topics))
    assert ["[UNK]", *learn_pieces(word_counts, vocab_size - 1, continuations=continuations)] == in_order


def test_our_order_of_characters_is_code_points(topics: str) -> None:
    words = set(words_and_punctuation(topics))
    characters = sorted(set("".join(words)))
    inside = sorted({character for word in words for character in word[1:]})
    pieces = list(WordPieceTokenizer.train(topics, 1_000).vocab)
    expected = [*characters, *(f"##{character}" for character in inside)]
    assert pieces[: len(expected)] == expected


def test_empty(tokenizer: WordPieceTokenizer) -> None:
    assert tokenizer.encode(" \n") == []
    assert WordPieceTokenizer.train("", 1).vocab_size == 1
