"""Byte-level BPE: cases worked by hand, invariants."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clearformer.tokenizers import BPETokenizer
from clearformer.tokenizers.bpe_training import learn_merges
from clearformer.tokenizers.merging import merge
from tests.tokenizers.ten_line_bpe import ten_line_bpe

REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@pytest.fixture(scope="module")
def tokenizer(topics: str) -> BPETokenizer:
    return BPETokenizer.train(topics, 1_000, special_tokens=["<sos>", "<eos>"])


def test_ties_go_to_the_smaller_ids() -> None:
    # All pairs occur once. "!" has the first id of the alphabet, the space the 221st.
    assert BPETokenizer.train("cd ab!?", 257).merges == [(b"!", b"?")]
    assert BPETokenizer.train("cd ab", 257).merges == [(b"a", b"b")]


def test_ids_are_special_tokens_then_bytes_then_merges() -> None:
    tokenizer = BPETokenizer.train("abab", 259, special_tokens=["<eos>", "<pad>"])
    assert tokenizer.special_tokens == {"<eos>": 0, "<pad>": 1}
    assert (tokenizer.vocab[b"!"], tokenizer.vocab[b"\x00"], tokenizer.vocab[b"ab"]) == (2, 190, 258)
    assert tokenizer.vocab_size == 259


def test_a_token_spelt_twice_keeps_its_number() -> None:
    tokens, merges = learn_merges({"\0\1": 2, "\2\3": 1}, ["a", "b", "ab", "c"], 6, join=str.__add__)
    assert tokens == ["a", "b", "ab", "c", "abc"]
    assert merges == {"\0\1": "\2", "\2\3": "\4"}


def test_training_ends_when_no_pair_is_left() -> None:
    assert BPETokenizer.train("abc", 10_000).vocab_size == 258
    assert BPETokenizer.train("", 10_000).vocab_size == 256


@given(st.text(alphabet="abc", max_size=40))
def test_merging_equals_merging_one_pair_at_a_time(word: str) -> None:
    pairs = ["a b", "b c", "a ab", "ab ab", "c c", "bc a", "b b", "aab c", "bb bb", "a a", "abab c", "cc cc"]
    ranks = {tuple(pair.split()): rank for rank, pair in enumerate(pairs)}
    expected = list(word)
    while known := [(ranks[pair], i) for i, pair in enumerate(pairwise(expected)) if pair in ranks]:
        i = min(known)[1]
        expected[i : i + 2] = [expected[i] + expected[i + 1]]
    assert merge(word, ranks) == expected


def test_the_longer_special_token_wins() -> None:
    tokenizer = BPETokenizer.train("", 258, special_tokens=["<a>", "<a><b>"])
    assert tokenizer.encode("<a><b>", allowed_special=["<a>", "<a><b>"]) == [1]


@settings(max_examples=100, deadline=None)
@given(st.text(alphabet="abc \n'1é", max_size=200), st.integers(256, 300))
def test_training_equals_the_ten_lines(text: str, vocab_size: int) -> None:
    assert BPETokenizer.train(text, vocab_size).merges == ten_line_bpe(text, vocab_size)


def test_bytes_that_are_not_utf8_decode_to_replacement_characters(tokenizer: BPETokenizer) -> None:
    assert tokenizer.decode([tokenizer.vocab[byte] for byte in (b"a", b"\xff", b"b")]) == f"a{REPLACEMENT}b"
