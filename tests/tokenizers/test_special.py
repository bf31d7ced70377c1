"""The checks that all tokenizers share, and the memory for words."""

from clearformer.tokenizers.memo import Memo
from clearformer.tokenizers.special import split_special, well_formed


def test_well_formed_text_is_returned_as_it_is() -> None:
    text = "日本 😀"
    assert well_formed(text) is text


def test_special_tokens_are_taken_literally() -> None:
    assert list(split_special("a.*b", {".*": 7}, [".*"])) == ["a", 7, "b"]
    assert list(split_special("axxb", {".*": 7}, [".*"])) == ["axxb"]


def test_the_memory_is_bounded() -> None:
    memo = Memo(lambda word: (len(word),), size=10)
    for i in range(100):
        assert memo["a" * i] == (i,)
        assert len(memo) <= 10


def test_long_words_are_not_kept() -> None:
    memo = Memo(lambda word: (len(word),))
    assert memo["a" * 1_000] == (1_000,)
    assert not memo


def test_a_word_is_worked_out_once() -> None:
    calls = []
    memo = Memo(lambda word: (calls.append(word) or len(word),))
    assert [memo["a"], memo["a"], memo["b"]] == [(1,)] * 3
    assert calls == ["a", "b"]
