"""BPE on characters: what cannot be a vocabulary is refused; `test_published` compares it with `tokenizers`."""

import pytest

from clearformer.tokenizers import CharacterBPETokenizer
from clearformer.tokenizers.steps import Steps

VOCAB = {"a": 1, "b": 2, "ab": 3}


@pytest.mark.parametrize(
    ("merges", "options", "message"),
    [
        ([("a", "b"), ("ab", "a")], {"unk_token": "<unk>"}, r"merge \('ab', 'a'\): 'aba' is not in the vocabulary"),
        ([("a", "x")], {"unk_token": "<unk>"}, r"merge \('a', 'x'\): 'x' is not in the vocabulary"),
        ([("a", "b")], {"byte_fallback": True}, "byte_fallback lacks 256 of the 256 bytes, the first is '<0x00>'"),
        ([("a", "b")], {}, "unk_token None is not in the vocabulary, and there is no byte_fallback"),
    ],
)
def test_an_unusable_vocabulary_is_refused(merges: list, options: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CharacterBPETokenizer(VOCAB, merges, {"<unk>": 0}, Steps(), options)
