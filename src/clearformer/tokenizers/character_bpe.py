"""Byte-pair encoding on characters, with bytes for unknown characters, as in Llama 2."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import add
from typing import Any, Self

import regex

from clearformer.tokenizers.base import WordTokenizer
from clearformer.tokenizers.bpe_training import learn_merges
from clearformer.tokenizers.file_format import BPE_OPTIONS
from clearformer.tokenizers.merging import check_merges, merge, pairs
from clearformer.tokenizers.special import REPLACEMENT, number_special_tokens, well_formed

MARK = "\N{LOWER ONE EIGHTH BLOCK}"
UNKNOWN = "<unk>"
BYTE_TOKENS = [f"<0x{byte:02X}>" for byte in range(256)]
_BYTE_OF = {token: byte for byte, token in enumerate(BYTE_TOKENS)}
_WORD = regex.compile(f"{MARK}[^{MARK}]*")
_TO_MARK, _FROM_MARK = (
    {"type": "Replace", "pattern": {"String": old}, "content": new} for old, new in ((" ", MARK), (MARK, " "))
)
_STRIP = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
_STEPS: dict[str, Any] = {
    "normalizer": {"type": "Sequence", "normalizers": [{"type": "Prepend", "prepend": MARK}, _TO_MARK]},
    "pre_tokenizer": {"type": "Split", "pattern": {"String": MARK}, "behavior": "MergedWithNext", "invert": False},
    "decoder": {"type": "Sequence", "decoders": [_FROM_MARK, {"type": "ByteFallback"}, {"type": "Fuse"}, _STRIP]},
}


def _words(text: str) -> list[str]:
    """The words of a text, each with the mark in front of it."""
    return _WORD.findall(MARK + text.replace(" ", MARK)) if text else []


class CharacterBPETokenizer(WordTokenizer):
    """Byte-pair encoding whose smallest units are characters.

    A space becomes the mark ``▁`` (U+2581) at the beginning of the word after it, and the text gets one mark in
    front. A character outside the vocabulary becomes the tokens of its UTF-8 bytes, ``<0x00>`` to ``<0xFF>``, if
    the vocabulary has them, and the special token ``<unk>`` if not. With neither there is a ValueError; arguments and
    other errors as for ``BPETokenizer``.

    Source: Sennrich et al. (2016); Kudo and Richardson (2018) for the mark and the bytes.

    Example:
        >>> tokenizer = CharacterBPETokenizer.train("low lower lowest", 14, byte_fallback=False)
        >>> tokenizer.merges
        [('l', 'o'), ('▁', 'lo'), ('▁lo', 'w'), ('▁low', 'e'), ('s', 't')]
        >>> tokenizer.encode("low!")
        [11, 0]
    """

    vocab: dict[str, int]
    _model_type = "BPE"
    _split = staticmethod(_words)
    _steps = _STEPS

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        special_tokens: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(vocab, special_tokens or {})
        self.merges = list(merges)
        check_merges(self.merges, self.vocab)
        missing = [token for token in BYTE_TOKENS if token not in self.vocab]
        self.byte_fallback = not missing
        if missing and UNKNOWN not in self.special_tokens:
            raise ValueError(
                f"unknown characters need {UNKNOWN!r} among the special tokens or all 256 bytes; "
                f"{len(missing)} are missing, the first is {missing[0]!r}"
            )
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}

    @classmethod
    def train(
        cls, text: str, vocab_size: int, *, special_tokens: Sequence[str] = (UNKNOWN,), byte_fallback: bool = True
    ) -> "CharacterBPETokenizer":
        """Learn a vocabulary from a text.

        Special tokens get the first ids, then the 256 bytes if ``byte_fallback``, then all characters in the order of
        code points, then the merges. Merges equal those of Hugging Face's ``BpeTrainer`` with the same words. Other
        arguments, ties and errors as for ``BPETokenizer.train``.

        Example:
            >>> CharacterBPETokenizer.train("aaabdaaabac", 265).merges
            [('a', 'a'), ('a', 'b'), ('aa', 'ab')]
        """
        special = number_special_tokens(special_tokens)
        word_counts = Counter(_words(well_formed(text)))
        characters = sorted(set().union(*word_counts))
        fixed = [*special, *(BYTE_TOKENS if byte_fallback else [])]
        if vocab_size < len(fixed) + len(characters):
            raise ValueError(
                f"vocab_size={vocab_size} is less than {len(characters)} characters of the text + {len(fixed)} "
                "special tokens and bytes"
            )
        symbol = {ord(character): i for i, character in enumerate(characters)}
        words = {word.translate(symbol): count for word, count in word_counts.items()}
        n_learned = vocab_size - len(fixed)
        tokens, merges = learn_merges(words, characters, n_learned, join=add, forbidden=set(fixed))
        vocab = {token: i for i, token in enumerate([*fixed, *tokens]) if token not in special}
        return cls(vocab, [(tokens[ord(pair[0])], tokens[ord(pair[1])]) for pair in merges], special)

    def _encode_word(self, word: str) -> tuple[int, ...]:
        ids: list[int] = []
        for token in merge(word, self._ranks):
            if token in self.vocab:
                ids.append(self.vocab[token])
            elif self.byte_fallback:
                ids += [self.vocab[BYTE_TOKENS[byte]] for byte in token.encode()]
            else:
                ids.append(self.special_tokens[UNKNOWN])
        return tuple(ids)

    def _join(self, tokens: list[str]) -> str:
        parts = []
        for is_byte, group in groupby(tokens, key=_BYTE_OF.__contains__):
            run = list(group)
            parts += [_text_of(run)] if is_byte else [token.replace(MARK, " ") for token in run]
        return "".join(parts).removeprefix(" ")

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        unknown = UNKNOWN if UNKNOWN in self.special_tokens else None
        options = {**BPE_OPTIONS, "unk_token": unknown, "byte_fallback": self.byte_fallback}
        return {**options, "vocab": vocab, "merges": self.merges}

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        vocab = {token: i for token, i in document["model"]["vocab"].items() if token not in special}
        return cls(vocab, pairs(document["model"]["merges"]), special)


def _text_of(byte_tokens: Iterable[str]) -> str:
    """The text of adjacent byte tokens; one U+FFFD for each of them if they are not UTF-8."""
    data = bytes(map(_BYTE_OF.__getitem__, byte_tokens))
    try:
        return data.decode()
    except UnicodeDecodeError:
        return REPLACEMENT * len(data)
