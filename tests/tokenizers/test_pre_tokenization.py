"""Pre-tokens: equal to Hugging Face's for every character, whatever the block they fall in."""

import sys
import unicodedata

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import pre_tokenizers

from clearformer.tokenizers import pre_tokenization
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN, splitter, words_and_punctuation

split = splitter(GPT2_PATTERN)
# Libraries know different versions of Unicode: compare the characters that this version of Python knows.
EVERY = map(chr, range(sys.maxunicode + 1))
ASSIGNED = [character for character in EVERY if unicodedata.category(character) not in ("Cn", "Co", "Cs")]
TRICKY = st.text(alphabet="a1 '!\n\r\t\x0b\x1c\u00a0\u3000é²sr", max_size=60)


def by_hugging_face(pre_tokenizer: pre_tokenizers.PreTokenizer, text: str) -> list[str]:
    return [text[start:end] for _, (start, end) in pre_tokenizer.pre_tokenize_str(text)]


def test_gpt2_by_hand() -> None:
    assert list(split("we'll  pay $10\n\n now")) == ["we", "'ll", " ", " pay", " $", "10", "\n\n", " now"]
    assert list(split("end  ")) == ["end", "  "]
    assert list(split("")) == []


def test_gpt2_equals_hugging_face_on_every_assigned_character() -> None:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for start in range(0, len(ASSIGNED), 1_000):
        text = "".join(f"a{c}1{c}! {c}{c}'{c}\n" for c in ASSIGNED[start : start + 1_000])
        assert list(split(text)) == by_hugging_face(byte_level, text)


def test_bert_equals_hugging_face_on_every_character_of_unicode_8() -> None:
    bert = pre_tokenizers.BertPreTokenizer()
    texts = [f"a{c}b {c}" for c in ASSIGNED]
    different = [text[1] for text in texts if words_and_punctuation(text) != by_hugging_face(bert, text)]
    # Its table of punctuation is older: two of these changed category since, the others were added.
    added = [c for c in different if c not in "\u166d\U000111c9"]
    assert len(different) - len(added) == 2
    assert len(added) < 150
    assert {unicodedata.category(c)[0] for c in added} == {"P"}
    assert not set(added) & set(map(chr, range(0x600)))


@given(TRICKY)
def test_gpt2_equals_its_pattern(text: str) -> None:
    assert list(split(text)) == regex.findall(GPT2_PATTERN, text)


@given(TRICKY, st.integers(1, 20))
def test_blocks_are_cut_where_the_pattern_cuts(text: str, size: int) -> None:
    blocks = list(pre_tokenization._blocks(text, size))
    assert "".join(blocks) == text
    assert [piece for block in blocks for piece in regex.findall(GPT2_PATTERN, block)] == list(split(text))


def test_long_text_is_cut_into_blocks() -> None:
    assert list(pre_tokenization._blocks("one\ntwo \n\nthree\n", 1)) == ["one", "\ntwo \n\nthree", "\n"]
    assert max(map(len, pre_tokenization._blocks("some words\n" * 10_000))) < 5_000


def test_no_character_hides_a_block_border() -> None:
    text = "".join(f"{c}\na{c}{c}\n\n{c} \n" for c in ASSIGNED)
    pieces = [piece for block in pre_tokenization._blocks(text, 1) for piece in regex.findall(GPT2_PATTERN, block)]
    assert pieces == regex.findall(GPT2_PATTERN, text)


@pytest.mark.parametrize("pattern", [GPT2_PATTERN, r"\w+", "a*", "(?=a)", "x", r"(?i)A|\s", ""])
def test_nothing_is_lost(pattern: str) -> None:
    for text in ["", "a", "aab b\n a", "A a", "\ud800"]:
        assert "".join(splitter(pattern)(text)) == text


def test_unmatched_text_is_kept_in_one_piece() -> None:
    assert [piece for piece in splitter("b+")("aabbaa") if piece] == ["aa", "bb", "aa"]
