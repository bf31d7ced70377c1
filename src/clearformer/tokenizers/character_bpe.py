"""Byte-pair encoding on characters, with bytes for the unknown ones, as Llama 2's files have it."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import regex

from clearformer.tokenizers import bpe_json
from clearformer.tokenizers.bpe_encoding import merge_word
from clearformer.tokenizers.decoders import byte_token
from clearformer.tokenizers.hf_json import read_json, reading, special_tokens_of, write_json
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
        self._ranks = {self._symbol(left) + self._symbol(right): rank for rank, (left, right) in enumerate(merges)}
        self._merged = [self._symbol(left + right) for left, right in merges]
        self._bytes = self._byte_symbols()
        self._unknown = self._unknown_symbol()
        # Without such a token no merge reaches over the border before a mark, so words can be merged one by one.
        self._by_word = MARK in self.vocab and not any(map(_CROSSING.search, self.vocab))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``tokenizer.json`` that Hugging Face `tokenizers` loads."""
        write_json(path, self.steps, bpe_json.as_model(self.vocab, self.merges, self._added_ids, **self.options))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "CharacterBPETokenizer":
        """Read a ``tokenizer.json`` of BPE on characters, such as Llama 2's.

        Raises:
            ValueError: not such a file, or it asks for a step this class does not take (named in the
                message).
        """
        model, steps = read_json(path)
        with reading(path, model, "BPE"):
            return cls._from_file(model, steps)

    @classmethod
    def _from_file(cls, model: Mapping[str, Any], steps: Steps) -> "CharacterBPETokenizer":
        added = {token["content"] for token in steps.added_tokens}
        vocab = {token: i for token, i in model["vocab"].items() if token not in added}
        options = bpe_json.options_of(model, _OPTIONS)
        return cls(vocab, bpe_json.pairs_of(model), special_tokens_of(steps), steps, options)

    def _symbol(self, token: str) -> str:
        """A token as one character, ``chr`` of its id."""
        if token not in self.vocab:
            raise ValueError(f"{token!r}, part or result of a merge, is not in the vocabulary")
        return chr(self.vocab[token])

    def _byte_symbols(self) -> list[str]:
        """The symbols of the 256 bytes; none without ``byte_fallback``."""
        tokens = [byte_token(byte) for byte in range(256)] if self.options.get("byte_fallback") else []
        if missing := [token for token in tokens if token not in self.vocab]:
            raise ValueError(f"byte_fallback lacks {len(missing)} of the 256 bytes, the first is {missing[0]!r}")
        return [self._symbol(token) for token in tokens]

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
        symbols = "".join(self._symbols(word))
        return tuple(map(ord, merge_word(symbols, self._ranks, self._merged)))

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
