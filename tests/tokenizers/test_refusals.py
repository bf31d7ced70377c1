"""What the tokenizers refuse to be made of, and to be trained on."""

import re
from collections.abc import Callable

import pytest

from clearformer.tokenizers import (
    BPETokenizer,
    CharacterBPETokenizer,
    CharacterTokenizer,
    UnigramTokenizer,
    WordPieceTokenizer,
)
from clearformer.tokenizers.byte_alphabet import unspell
from clearformer.tokenizers.unigram_training import learn_pieces

BYTES = {bytes([byte]): byte for byte in range(256)}
PAIR, UNKNOWN = {"a": 1, "b": 2, "ab": 3}, {"<unk>": 0}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: BPETokenizer.train("a", 257, special_tokens=["<a>", "<b>"]), "vocab_size=257 is less than 256 bytes"),
        *((lambda p=p: BPETokenizer.train("a", 300, pattern=p), f"pattern {p!r}") for p in ("(a)|b", "[", "(?P<x>a)")),
        (lambda: BPETokenizer({b: i for b, i in BYTES.items() if i != 65}, []), "lacks 1 of the 256 bytes, "),
        (lambda: BPETokenizer(BYTES, [(b"a", b"b")]), "b'ab' is not in the vocabulary"),
        (lambda: BPETokenizer(BYTES | {b"ab": 255}, []), "257 tokens share 256 ids"),
        (lambda: BPETokenizer(BYTES | {b"ab": -1}, []), "id -1 is negative"),
        (lambda: BPETokenizer(BYTES | {b"<a>": 256}, [], special_tokens={"<a>": 257}), "spelled like ordinary"),
        (lambda: unspell("a日"), "'日' in token 'a日' represents no byte"),
        (lambda: CharacterBPETokenizer(PAIR, [("a", "b"), ("ab", "a")], UNKNOWN), "merge ('ab', 'a'): 'aba' is not in"),
        (lambda: CharacterBPETokenizer(PAIR, [("a", "x")], UNKNOWN), "merge ('a', 'x'): 'x' is not in the vocabulary"),
        (lambda: CharacterBPETokenizer(PAIR, [("a", "b")], {}), "256 are missing, the first is '<0x00>'"),
        (lambda: CharacterBPETokenizer.train("a", 258), "vocab_size=258 is less than 2 characters of the text + 257"),
        (lambda: CharacterTokenizer.train("a", 1, special_tokens=["<a>"]), "vocab_size=1 is less than U+FFFD + 1"),
        (lambda: CharacterTokenizer({"a": 0}), "the vocabulary of 1 characters lacks"),
        (lambda: CharacterTokenizer({"�": 0, "ab": 1}), "'ab' in the vocabulary is not one character"),
        (lambda: CharacterTokenizer({"�": 0, "a": 0}), "2 tokens share 1 ids"),
        (lambda: learn_pieces({"abcd": 1}, 3), "3 pieces have no room for the text's 4 characters"),
        (lambda: UnigramTokenizer([("a", -1.0)], {}), "lack '<unk>'"),
        (lambda: UnigramTokenizer([("<unk>", 0.0), ("a", -1.0), ("a", -2.0)], UNKNOWN), "3 pieces have 2 spellings"),
        (lambda: WordPieceTokenizer.train("abc", 4), "3 pieces have no room for the text's 3 characters and 2"),
        (lambda: WordPieceTokenizer({"a": 0}, {"[CLS]": 1}), "the special tokens ['[CLS]'] lack '[UNK]'"),
        (lambda: WordPieceTokenizer({"a": 0}, {"[UNK]": 0}), "2 tokens share 1 ids"),
        (lambda: WordPieceTokenizer({"[UNK]": 0}, {"[UNK]": 0}), "spelled like ordinary"),
    ],
)
def test_refuses(make: Callable[[], object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()
