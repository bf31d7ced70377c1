"""Byte-level byte-pair encoding: train, encode, decode, save, load."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import add, index
from typing import Any, Self

from clearformer.tokenizers import bpe_json
from clearformer.tokenizers.bpe_encoding import merger
from clearformer.tokenizers.bpe_training import learn_merges
from clearformer.tokenizers.byte_alphabet import BYTES_IN_ORDER, spell
from clearformer.tokenizers.hf_json import special_tokens_of
from clearformer.tokenizers.pipeline import Pipeline
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN, splitter
from clearformer.tokenizers.special import REPLACEMENT, check_ids, check_special_tokens, well_formed
from clearformer.tokenizers.steps import Steps

_BYTE_TOKENS = [bytes([byte]) for byte in BYTES_IN_ORDER]
_SYMBOL_OF_BYTE = bytes(BYTES_IN_ORDER.index(byte) for byte in range(256))


def _to_symbols(piece: str) -> str:
    """A pre-token as training counts it: ``chr(i)`` is byte number ``i`` of GPT-2's alphabet."""
    return piece.encode().translate(_SYMBOL_OF_BYTE).decode("latin-1")


class BPETokenizer(Pipeline):
    r"""Byte-pair encoding on the bytes of UTF-8, as GPT-2 does it. Every text can be encoded, and comes back.

    `load` reads the files of GPT-2, RoBERTa, Llama 3 and their like.

    Args:
        vocab: id of every ordinary token; all 256 single bytes are among them.
        merges: pairs of tokens to join, earliest first.
        pattern: cuts text into pre-tokens; no token crosses their borders.
        special_tokens: id of every special token. They are no part of ``vocab``: plain text never becomes
            one.
        steps: what a file wants done around the model, in place of ``pattern``; by default nothing but the
            cutting.
        ignore_merges: take a pre-token that is in the vocabulary as it is, as Llama 3 does.

    Raises:
        ValueError: a byte or a part of a merge is not in the vocabulary, an id is used twice, a special token
            cannot be told from an ordinary one, or the pattern or a step is unusable.

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

    _type = "BPE"

    def __init__(
        self,
        vocab: Mapping[bytes, int],
        merges: Sequence[tuple[bytes, bytes]],
        *,
        pattern: str = GPT2_PATTERN,
        special_tokens: Mapping[str, int] | None = None,
        steps: Steps | None = None,
        ignore_merges: bool = False,
    ) -> None:
        """Check the vocabulary and prepare the look-up tables."""
        self.vocab = dict(vocab)
        self.merges = list(merges)
        steps = steps or bpe_json.steps_for(pattern)
        self.pattern = bpe_json.pattern_of(steps.pre_tokenizer)
        self._options = {"ignore_merges": True} if ignore_merges else {}
        _check_bytes(self.vocab)
        super().__init__(special_tokens or {}, steps, self._word_encoder())
        check_ids({spell(token): i for token, i in self.vocab.items()}, self._added_ids)
        self._bytes_of = {i: token for token, i in self.vocab.items()}
        self._bytes_of |= {i: token.encode() for token, i in self._added_ids.items()}

    @classmethod
    def train(
        cls, text: str, vocab_size: int, *, pattern: str = GPT2_PATTERN, special_tokens: Sequence[str] = ()
    ) -> "BPETokenizer":
        r"""Learn a vocabulary from a text.

        Special tokens get the first ids, then the 256 bytes in the order of GPT-2's alphabet, then the
        merges. The most frequent pair is merged first; among equal counts the pair of smaller ids, left one
        first. Merges and ids equal those of Hugging Face's ``BpeTrainer`` with the ``ByteLevel`` alphabet.
        Special tokens in the text are learnt from as plain text; a merge that would spell one is left out.

        Args:
            text: the whole corpus. Lone surrogates are read as U+FFFD.
            vocab_size: number of tokens, special ones included. A text with too few pairs gives fewer.
            pattern: cuts text into pre-tokens; a pattern for the `regex` module without capturing groups.
            special_tokens: tokens with a role rather than a spelling, at least two characters each.

        Raises:
            TypeError: the text is not a ``str``.
            ValueError: the vocabulary has no room for the bytes and special tokens, or these or the pattern
                are unusable.

        Example:
            >>> BPETokenizer.train("aaabdaaabac", 259).merges
            [(b'a', b'a'), (b'a', b'b'), (b'aa', b'ab')]
        """
        special = check_special_tokens(special_tokens)
        if vocab_size < len(special) + 256:
            raise ValueError(f"vocab_size={vocab_size} is less than 256 bytes + {len(special)} special tokens")
        counts = Counter(splitter(pattern)(well_formed(text)))
        word_counts = {_to_symbols(piece): count for piece, count in counts.items()}
        tokens, merges = learn_merges(
            word_counts,
            _BYTE_TOKENS,
            vocab_size - len(special),
            join=add,
            forbidden={token.encode() for token in special},
        )
        return cls(
            {token: i for i, token in enumerate(tokens, start=len(special))},
            [(tokens[ord(pair[0])], tokens[ord(pair[1])]) for pair in merges],
            pattern=pattern,
            special_tokens={token: i for i, token in enumerate(special)},
        )

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return len(self._bytes_of)

    def encode_bytes(self, data: bytes) -> list[int]:
        r"""The ids of any bytes, UTF-8 or not; `decode_bytes` gives the same bytes back.

        Raises:
            TypeError: not bytes.

        Example:
            >>> tokenizer = BPETokenizer.train("", 256)
            >>> tokenizer.decode_bytes(tokenizer.encode_bytes(b"\xff\x00"))
            b'\xff\x00'
        """
        return [i for word in self._cut(str(data, "utf-8", "surrogateescape"), True) for i in self._memo[word]]

    def decode(self, ids: Iterable[int]) -> str:
        """The text of any ids. Bytes that are not UTF-8, and ids that are no token, become U+FFFD.

        Raises:
            TypeError: an item is not an integer.
        """
        return self.decode_bytes(ids).decode("utf-8", "replace")

    def decode_bytes(self, ids: Iterable[int]) -> bytes:
        """The bytes of any ids. Ids that are no token become U+FFFD in UTF-8.

        Raises:
            TypeError: an item is not an integer.
        """
        unknown = REPLACEMENT.encode()
        return b"".join([self._bytes_of.get(i, unknown) for i in map(index, ids)])

    def _to_file(self) -> dict[str, Any]:
        vocab, merges = bpe_json.spelt(self.vocab, self.merges)
        return bpe_json.as_model(vocab, merges, self._added_ids, **self._options)

    @classmethod
    def _from_file(cls, model: Mapping[str, Any], steps: Steps) -> Self:
        options = bpe_json.options_of(model, ["ignore_merges"])
        added = {token["content"] for token in steps.added_tokens}
        vocab, merges = bpe_json.bytes_of(model, added)
        return cls(vocab, merges, special_tokens=special_tokens_of(steps), steps=steps, **options)

    def _word_encoder(self) -> Callable[[str], tuple[int, ...]]:
        """A function from pre-token to ids. Inside, each token is one character; ASCII stands for itself."""
        tokens = [*(bytes([byte]) for byte in range(256)), *(token for token in self.vocab if len(token) > 1)]
        symbol_of = {token: chr(i) for i, token in enumerate(tokens)}
        merge = merger(self.merges, symbol_of)
        id_of = {symbol_of[token]: i for token, i in self.vocab.items()}.__getitem__
        known = self.vocab if self._options else {}

        def encode_word(piece: str) -> tuple[int, ...]:
            if known and (whole := known.get(piece.encode("utf-8", "surrogateescape"))) is not None:
                return (whole,)
            word = piece if piece.isascii() else piece.encode("utf-8", "surrogateescape").decode("latin-1")
            return tuple(map(id_of, merge(word)))

        return encode_word


def _check_bytes(vocab: Mapping[bytes, int]) -> None:
    """Refuse a vocabulary that could not encode every text."""
    if missing := [byte for byte in _BYTE_TOKENS if byte not in vocab]:
        raise ValueError(f"the vocabulary lacks {len(missing)} of the 256 bytes, the first is {missing[0]!r}")
