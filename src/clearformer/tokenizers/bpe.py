"""Byte-level byte-pair encoding: train, encode, decode, save, load."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from operator import add, index
from typing import Any, Self

from clearformer.tokenizers.base import WordTokenizer
from clearformer.tokenizers.bpe_training import learn_merges
from clearformer.tokenizers.byte_alphabet import BYTES_IN_ORDER, spell, unspell
from clearformer.tokenizers.file_format import BPE_OPTIONS
from clearformer.tokenizers.merging import check_merges, merge, pairs
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN, splitter
from clearformer.tokenizers.special import REPLACEMENT, number_special_tokens, well_formed

_BYTE_TOKENS = [bytes([byte]) for byte in BYTES_IN_ORDER]
_SYMBOL_OF_BYTE = bytes(BYTES_IN_ORDER.index(byte) for byte in range(256))
_BYTE_LEVEL = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}


class BPETokenizer(WordTokenizer):
    """Byte-pair encoding on the bytes of UTF-8, as in GPT-2. Every text can be encoded and decoded without loss.

    Args:
        vocab: id of every ordinary token; all 256 single bytes are among them.
        merges: pairs of tokens to join, earliest first.
        pattern: splits text into pre-tokens; no token crosses their borders.
        special_tokens: id of every special token.

    Raises:
        ValueError: a byte or a part of a merge is not in the vocabulary, an id is used twice, a special token
            is spelled like an ordinary one, or the pattern is unusable.

    Source: Sennrich et al. (2016) for the merges; Radford et al. (2019) for bytes and pattern.

    Example:
        >>> tokenizer = BPETokenizer.train("low lower lowest", 260, special_tokens=["<eos>"])
        >>> tokenizer.merges
        [(b'l', b'o'), (b'lo', b'w'), (b' ', b'low')]
        >>> tokenizer.encode("low slow<eos>", allowed_special=["<eos>"])
        [258, 221, 83, 258, 0]
        >>> tokenizer.decode([258, 221, 83, 258, 0])
        'low slow<eos>'
    """

    vocab: dict[bytes, int]
    _model_type = "BPE"

    def __init__(
        self,
        vocab: Mapping[bytes, int],
        merges: Sequence[tuple[bytes, bytes]],
        *,
        pattern: str = GPT2_PATTERN,
        special_tokens: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(vocab, special_tokens or {})
        self.merges, self.pattern = list(merges), pattern
        if missing := [byte for byte in _BYTE_TOKENS if byte not in self.vocab]:
            raise ValueError(f"the vocabulary lacks {len(missing)} of the 256 bytes, the first is {missing[0]!r}")
        check_merges(self.merges, self.vocab)
        self._split, self._steps = splitter(pattern), _steps(pattern)
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._bytes_of = {i: token for token, i in self.vocab.items()}
        self._bytes_of |= {i: token.encode() for token, i in self.special_tokens.items()}

    @classmethod
    def train(
        cls, text: str, vocab_size: int, *, pattern: str = GPT2_PATTERN, special_tokens: Sequence[str] = ()
    ) -> "BPETokenizer":
        """Learn a vocabulary from a text.

        Special tokens get the first ids, then the 256 bytes in the order of GPT-2's alphabet, then the
        merges. The most frequent pair is merged first; among equal counts the pair of smaller ids, left one
        first. Merges and ids equal those of Hugging Face's ``BpeTrainer`` with the ``ByteLevel`` alphabet.
        Special tokens in the text are treated as plain text; a merge that would spell one is left out. Too little
        room for the bytes and special tokens, and an unusable pattern or special token, are a ValueError.

        Args:
            text: the whole corpus. Lone surrogates are read as U+FFFD.
            vocab_size: number of tokens, special tokens included. A text with too few pairs gives fewer.
            pattern: splits text into pre-tokens; a pattern for the `regex` module without capturing groups.
            special_tokens: names that the text does not spell out, at least two characters each.

        Example:
            >>> BPETokenizer.train("aaabdaaabac", 259).merges
            [(b'a', b'a'), (b'a', b'b'), (b'aa', b'ab')]
        """
        special = number_special_tokens(special_tokens)
        if vocab_size < len(special) + 256:
            raise ValueError(f"vocab_size={vocab_size} is less than 256 bytes + {len(special)} special tokens")
        counts = Counter(splitter(pattern)(well_formed(text)))
        # In training, chr(i) is byte number i of GPT-2's alphabet.
        words = {piece.encode().translate(_SYMBOL_OF_BYTE).decode("latin-1"): n for piece, n in counts.items()}
        forbidden = {token.encode() for token in special}
        tokens, merges = learn_merges(words, _BYTE_TOKENS, vocab_size - len(special), join=add, forbidden=forbidden)
        return cls(
            {token: i for i, token in enumerate(tokens, start=len(special))},
            [(tokens[ord(pair[0])], tokens[ord(pair[1])]) for pair in merges],
            pattern=pattern,
            special_tokens=special,
        )

    def _encode_word(self, word: str) -> tuple[int, ...]:
        single_bytes = [bytes([byte]) for byte in word.encode()]
        return tuple(self.vocab[token] for token in merge(single_bytes, self._ranks))

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of any integers. Bytes that are not UTF-8, and ids that are not tokens, become U+FFFD."""
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """Return the bytes of any integers. Ids that are not tokens become U+FFFD in UTF-8."""
        return b"".join([self._bytes_of.get(i, REPLACEMENT.encode()) for i in map(index, ids)])

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        merges = [[spell(left), spell(right)] for left, right in self.merges]
        return {**BPE_OPTIONS, "vocab": vocab, "merges": merges}

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        model, pattern = document["model"], _pattern(document.get("pre_tokenizer"))
        vocab = {unspell(token): i for token, i in model["vocab"].items() if token not in special}
        merges = [(unspell(left), unspell(right)) for left, right in pairs(model["merges"])]
        return cls(vocab, merges, pattern=pattern, special_tokens=special)

    def _spelled_vocab(self) -> dict[str, int]:
        return {spell(token): i for token, i in self.vocab.items()}


def _steps(pattern: str) -> dict[str, Any]:
    """The steps of a file that split text by the pattern and write bytes in GPT-2's alphabet."""
    pre_tokenizer: dict[str, Any] = _BYTE_LEVEL
    if pattern != GPT2_PATTERN:
        split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Isolated", "invert": False}
        pre_tokenizer = {"type": "Sequence", "pretokenizers": [split, {**_BYTE_LEVEL, "use_regex": False}]}
    return {"pre_tokenizer": pre_tokenizer, "decoder": {**_BYTE_LEVEL, "add_prefix_space": True}}


def _pattern(pre_tokenizer: Mapping[str, Any] | None) -> str:
    """The pattern that a file splits by; GPT-2's where it names none."""
    match pre_tokenizer:
        case {"pretokenizers": [{"pattern": {"Regex": str(pattern)}}, *_]}:
            return pattern
    return GPT2_PATTERN
