"""Pre-tokens: equal to Hugging Face's for every character."""

import sys
import unicodedata

import pytest
from tokenizers import pre_tokenizers

from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN, splitter, words_and_punctuation

split = splitter(GPT2_PATTERN)
# Libraries know different versions of Unicode: compare the characters that this version of Python knows.
EVERY = map(chr, range(sys.maxunicode + 1))
ASSIGNED = [character for character in EVERY if unicodedata.category(character) not in ("Cn", "Co", "Cs")]


def by_hugging_face(pre_tokenizer: pre_tokenizers.PreTokenizer, text: str) -> list[str]:
    return [text[start:end] for _, (start, end) in pre_tokenizer.pre_tokenize_str(text)]


def test_gpt2_equals_hugging_face_on_every_assigned_character() -> None:
    byte_level = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for start in range(0, len(ASSIGNED), 1_000):
        text = "".join(f"a{c}1{c}! {c}{c}'{c}\n" for c in ASSIGNED[start : start + 1_000])
        assert split(text) == by_hugging_face(byte_level, text)


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


@pytest.mark.parametrize("pattern", [GPT2_PATTERN, r"\w+", "a*", "(?=a)", "x", r"(?i)A|\s", ""])
def test_nothing_is_lost(pattern: str) -> None:
    for text in ["", "a", "aab b\n a", "A a", "\ud800"]:
        assert "".join(splitter(pattern)(text)) == text
