"""Byte-pair encoding on characters, with bytes for the unknown ones, as Llama 2's files have it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import regex

from clearformer.tokenizers import bpe_json
from clearformer.tokenizers.bpe_encoding import merger
from clearformer.tokenizers.decoders import byte_ids
from clearformer.tokenizers.hf_json import special_tokens_of
from clearformer.tokenizers.pipeline import TextPipeline
from clearformer.tokenizers.pre_tokenizers import MARK
from clearformer.tokenizers.special import check_ids
from clearformer.tokenizers.steps import Steps

_OPTIONS = ("unk_token", "fuse_unk", "byte_fallback", "ignore_merges")
_CROSSING = regex.compile(f"[^{MARK}]{MARK}")
_WORD = regex.compile(f"{MARK}*[^{MARK}]+|{MARK}+")


class CharacterBPETokenizer(TextPipeline):
    """Byte-pair encoding whose smallest units are characters. It is loaded, not trained: `BPETokenizer` is.

    A character outside the vocabulary becomes the tokens of its bytes, ``<0x00>`` to ``<0xFF>``, if the file
    asks for ``byte_fallback``, and the unknown token if not.

    Args:
        vocab: id of every ordinary token.
        merges: pairs of tokens to join, earliest first.
        special_tokens: id of every special token.
        steps: what the file wants done around the model.
        options: the model's options that are on: ``unk_token``, ``fuse_unk`` (neighbouring unknown characters
            are one token), ``byte_fallback`` and ``ignore_merges`` (a word in the vocabulary is taken as it is).

    Raises:
        ValueError: a merge makes what is not in the vocabulary, an id is used twice, there is nothing to
            write unknown characters with, or a step is not supported.

    Source: Sennrich et al. (2016); Kudo and Richardson (2018) for the bytes.

    Example:
        >>> vocab = {"l": 1, "o": 2, "w": 3, "lo": 4, "low": 5}
        >>> merges = [("l", "o"), ("lo", "w")]
        >>> tokenizer = CharacterBPETokenizer(vocab, merges, {"<unk>": 0}, Steps(), {"unk_token": "<unk>"})
        >>> tokenizer.encode("lowlow!")
        [5, 5, 0]
    """

    _type = "BPE"

    def __init__(
        self,
        vocab: Mapping[str, int],
        merges: Sequence[tuple[str, str]],
        special_tokens: Mapping[str, int],
        steps: Steps,
        options: Mapping[str, Any],
    ) -> None:
        """Check the vocabulary and prepare the look-up tables."""
        super().__init__(vocab, special_tokens, steps, self._encode_word)
        self.merges = list(merges)
        self.options = dict(options)
        check_ids(self.vocab, self._added_ids)
        self._merge = merger(self.merges, {token: chr(i) for token, i in self.vocab.items()})
        self._bytes = list(map(chr, byte_ids(self.vocab))) if self.options.get("byte_fallback") else []
        self._unknown = self._unknown_symbol()
        # Without such a token no merge reaches over the border before a mark, so words can be merged one by one.
        self._by_word = MARK in self.vocab and not any(map(_CROSSING.search, self.vocab))

    def _to_file(self) -> dict[str, Any]:
        return bpe_json.as_model(self.vocab, self.merges, self._added_ids, **self.options)

    @classmethod
    def _from_file(cls, model: Mapping[str, Any], steps: Steps) -> Self:
        added = {token["content"] for token in steps.added_tokens}
        vocab = {token: i for token, i in model["vocab"].items() if token not in added}
        options = bpe_json.options_of(model, _OPTIONS)
        return cls(vocab, bpe_json.pairs_of(model), special_tokens_of(steps), steps, options)

    def _unknown_symbol(self) -> str:
        """The symbol of the unknown token; none is needed where all bytes are known."""
        unknown, ids = self.options.get("unk_token"), self.vocab | self._added_ids
        if unknown in ids:
            return chr(ids[unknown])
        if self._bytes:
            return ""
        raise ValueError(f"unk_token {unknown!r} is not in the vocabulary, and there is no byte_fallback")

    def _encode_word(self, word: str) -> tuple[int, ...]:
        if self.options.get("ignore_merges") and word in self.vocab:
            return (self.vocab[word],)
        if self._by_word and not self.options.get("ignore_merges") and _CROSSING.search(word):
            return tuple(i for part in _WORD.findall(word) for i in self._memo[part])
        return tuple(map(ord, self._merge("".join(self._symbols(word)))))

    def _symbols(self, word: str) -> Iterator[str]:
        """The word in symbols of characters, bytes and the unknown token."""
        after_unknown = False
        for character in word:
            known = character in self.vocab
            if known:
                yield chr(self.vocab[character])
            elif self._bytes:
                yield from (self._bytes[byte] for byte in character.encode())
            elif not (after_unknown and self.options.get("fuse_unk")):
                yield self._unknown
            after_unknown = not known
