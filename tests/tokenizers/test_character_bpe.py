"""BPE on characters: equal to Hugging Face's training and encoding, invariants."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import models, trainers

from clearformer.tokenizers import CharacterBPETokenizer
from clearformer.tokenizers.character_bpe import BYTE_TOKENS
from tests.few import few
from tests.tokenizers import peers


@pytest.fixture(scope="module")
def tokenizer(topics: str) -> CharacterBPETokenizer:
    return CharacterBPETokenizer.train(topics, 1_500, special_tokens=["<unk>", "<s>"])


@pytest.mark.parametrize("byte_fallback", [True, False])
def test_merges_and_ids_equal_hugging_face_s_training(topics: str, byte_fallback: bool) -> None:
    ours = CharacterBPETokenizer.train(topics, 1_200, byte_fallback=byte_fallback)
    theirs = peers.as_hugging_face(ours)
    theirs.model = models.BPE()
    special = ["<unk>", *(BYTE_TOKENS if byte_fallback else [])]
    trainer = trainers.BpeTrainer(vocab_size=1_200, special_tokens=special, show_progress=False)
    theirs.train_from_iterator([topics], trainer)
    assert ours.vocab | ours.special_tokens == theirs.get_vocab()
    assert [list(pair) for pair in ours.merges] == json.loads(theirs.to_str())["model"]["merges"]


@few
@given(st.lists(st.integers(0, 1_499), max_size=12))
def test_text_of_any_ids_equals(tokenizer: CharacterBPETokenizer, ids: list[int]) -> None:
    assert tokenizer.decode(ids) == peers.as_hugging_face(tokenizer).decode(ids, skip_special_tokens=False)


def test_without_bytes_each_unknown_character_is_the_unknown_token() -> None:
    tokenizer = CharacterBPETokenizer.train("a b", 4, byte_fallback=False)
    assert tokenizer.vocab == {"a": 1, "b": 2, "▁": 3}
    assert tokenizer.encode("a❄❄") == [3, 1, 0, 0]
