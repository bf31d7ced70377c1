"""BPE on characters: equal to Hugging Face's training and encoding, invariants, refusals."""

import json

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, trainers

from clearformer.tokenizers import CharacterBPETokenizer
from clearformer.tokenizers.character_bpe import BYTE_TOKENS
from tests.few import few


@pytest.fixture(scope="module")
def tokenizer(topics: str) -> CharacterBPETokenizer:
    return CharacterBPETokenizer.train(topics, 1_500, special_tokens=["<unk>", "<s>"])


def as_hugging_face(tokenizer: CharacterBPETokenizer) -> tokenizers.Tokenizer:
    theirs = tokenizers.Tokenizer.from_str(tokenizer.to_json())
    theirs.encode_special_tokens = True
    return theirs


@pytest.mark.parametrize("byte_fallback", [True, False])
def test_merges_and_ids_equal_hugging_face_s_training(topics: str, byte_fallback: bool) -> None:
    ours = CharacterBPETokenizer.train(topics, 1_200, byte_fallback=byte_fallback)
    theirs = as_hugging_face(ours)
    theirs.model = models.BPE()
    special = ["<unk>", *(BYTE_TOKENS if byte_fallback else [])]
    trainer = trainers.BpeTrainer(vocab_size=1_200, special_tokens=special, show_progress=False)
    theirs.train_from_iterator([topics], trainer)
    assert ours.vocab | ours.special_tokens == theirs.get_vocab()
    assert [list(pair) for pair in ours.merges] == json.loads(theirs.to_str())["model"]["merges"]


@few
@given(st.text() | st.text(alphabet="aeinst ▁日<s>\n"))
def test_ids_and_text_equal_and_come_back(tokenizer: CharacterBPETokenizer, text: str) -> None:
    theirs, ids = as_hugging_face(tokenizer), tokenizer.encode(text)
    assert ids == theirs.encode(text).ids
    assert tokenizer.decode(ids) == theirs.decode(ids, skip_special_tokens=False) == text.replace("▁", " ")


@few
@given(st.lists(st.integers(0, 1_499), max_size=12))
def test_text_of_any_ids_equals(tokenizer: CharacterBPETokenizer, ids: list[int]) -> None:
    assert tokenizer.decode(ids) == as_hugging_face(tokenizer).decode(ids, skip_special_tokens=False)


def test_without_bytes_each_unknown_character_is_the_unknown_token() -> None:
    tokenizer = CharacterBPETokenizer.train("a b", 4, byte_fallback=False)
    assert tokenizer.vocab == {"a": 1, "b": 2, "▁": 3}
    assert tokenizer.encode("a❄❄") == [3, 1, 0, 0]


VOCAB = {"a": 1, "b": 2, "ab": 3}


@pytest.mark.parametrize(
    ("merges", "special", "message"),
    [
        ([("a", "b"), ("ab", "a")], {"<unk>": 0}, r"merge \('ab', 'a'\): 'aba' is not in the vocabulary"),
        ([("a", "x")], {"<unk>": 0}, r"merge \('a', 'x'\): 'x' is not in the vocabulary"),
        ([("a", "b")], {}, "256 are missing, the first is '<0x00>'"),
    ],
)
def test_an_unusable_vocabulary_is_refused(merges: list, special: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CharacterBPETokenizer(VOCAB, merges, special)


def test_a_vocabulary_too_small_is_refused() -> None:
    with pytest.raises(ValueError, match=r"vocab_size=258 is less than 2 characters of the text \+ 257 special"):
        CharacterBPETokenizer.train("a", 258)
