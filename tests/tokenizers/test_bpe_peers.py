"""BPE equals Hugging Face `tokenizers` and tiktoken: merges and ids, on real text."""

import random
import re

import pytest
import tokenizers

from clearformer.tokenizers import BPETokenizer
from clearformer.tokenizers.byte_alphabet import spell
from tests.tokenizers import peers

CL100K_PATTERN = (
    r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
    r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
)


def spelt_merges(tokenizer: BPETokenizer) -> list[list[str]]:
    return [[spell(left), spell(right)] for left, right in tokenizer.merges]


def ids_of(theirs: tokenizers.Tokenizer, text: str) -> list[int]:
    """Their ids of a long text, which they encode sooner in parts: no pre-token of GPT-2's pattern crosses the cuts."""
    parts = re.split(r"(?<=\S)(?=\n\S)", text)
    return [i for each in theirs.encode_batch_fast(parts) for i in each.ids]


def assert_equal_to_peers(text: str, vocab_size: int) -> None:
    """Same merges, same ids, and the text comes back."""
    ours = BPETokenizer.train(text, vocab_size)
    theirs = peers.train_hugging_face_bpe(text, vocab_size)
    assert {spell(token): i for token, i in ours.vocab.items()} == theirs.get_vocab()
    assert spelt_merges(ours) == peers.as_json(theirs)["model"]["merges"]
    ids = ours.encode(text)
    assert ids == ids_of(theirs, text)
    assert ids == peers.as_tiktoken(ours).encode_ordinary(text)
    assert ours.decode(ids) == text


@pytest.mark.parametrize("vocab_size", [1_000, 4_000, 16_000])
def test_merges_and_ids_equal_on_pydoc_topics(topics: str, vocab_size: int) -> None:
    assert_equal_to_peers(topics, vocab_size)


@pytest.mark.slow
def test_merges_and_ids_equal_on_the_standard_library(source: str) -> None:
    """At one size: the merges of a smaller vocabulary are the first of these, in both libraries."""
    assert len(source.encode()) == 10_000_000
    assert_equal_to_peers(source, 16_000)


def test_ids_equal_with_another_pattern(topics: str) -> None:
    ours = BPETokenizer.train(topics, 1_000, pattern=CL100K_PATTERN)
    theirs = peers.train_hugging_face_bpe(topics, 1_000, pattern=CL100K_PATTERN)
    assert {spell(token): i for token, i in ours.vocab.items()} == theirs.get_vocab()
    assert ours.encode(topics) == theirs.encode(topics).ids == peers.as_tiktoken(ours).encode_ordinary(topics)


def test_ids_equal_on_text_unlike_the_training_text(topics: str) -> None:
    ours = BPETokenizer.train(topics, 4_000)
    theirs, tiktoken = peers.train_hugging_face_bpe(topics, 4_000), peers.as_tiktoken(ours)
    rng = random.Random(0)
    latin = "".join(map(chr, range(0x20, 0x2FF)))
    alphabets = ["ab", "aeinorst ", "=-_ \n", "0123456789", latin, "日本語のテキスト 。"]
    for _ in range(1_000):
        text = "".join(rng.choices(rng.choice(alphabets), k=rng.randrange(200)))
        assert ours.encode(text) == theirs.encode(text).ids == tiktoken.encode_ordinary(text)


def test_one_long_word_equals_and_does_not_take_quadratic_time(topics: str) -> None:
    ours = BPETokenizer.train(topics, 4_000)
    word = "".join(random.Random(0).choices("aeinorst", k=200_000))
    assert ours.encode(word) == peers.as_tiktoken(ours).encode_ordinary(word)
