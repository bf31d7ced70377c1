"""What all tokenizers share: special tokens, saving and loading, and a cache of words already encoded."""

import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import lru_cache
from operator import index
from pathlib import Path
from typing import Any, ClassVar, Self

from clearformer.files import write_whole
from clearformer.tokenizers.file_format import in_order, read_json, require_same, to_json
from clearformer.tokenizers.special import REPLACEMENT, check_ids, number_special_tokens, split_special, well_formed


class Tokenizer(ABC):
    """Turns text into ids and ids into text: the base class of all tokenizers.

    ``vocab`` has the id of every ordinary token, ``special_tokens`` that of every special one: plain text never becomes
    one. An id that is used twice and unusable special tokens are a ValueError.
    """

    vocab: dict[Any, int]
    _model_type: ClassVar[str]  # as a tokenizer.json names it
    _steps: Mapping[str, Any]  # what a tokenizer.json has around the model

    def __init__(self, vocab: Mapping[Any, int], special_tokens: Mapping[str, int]) -> None:
        number_special_tokens(list(special_tokens))
        self.vocab, self.special_tokens = dict(vocab), dict(special_tokens)
        check_ids(self._spelled_vocab(), self.special_tokens)
        self._token_of = {i: token for token, i in (self._spelled_vocab() | self.special_tokens).items()}

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special tokens included."""
        return len(self.vocab) + len(self.special_tokens)

    def encode(self, text: str, *, allowed_special: Collection[str] = ()) -> list[int]:
        """Return the ids of a text; lone surrogates are read as U+FFFD.

        Of the special tokens only those in ``allowed_special`` are recognized. Plain text yields the id of none, except
        the unknown token. A text that is no ``str`` is a TypeError, an allowed token that is not special a ValueError.
        """
        ids: list[int] = []
        for part in split_special(well_formed(text), self.special_tokens, allowed_special):
            ids.extend([part] if isinstance(part, int) else self._encode_plain(part))
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of any integers: special tokens by name, and U+FFFD for ids that are not tokens."""
        return self._join([self._token_of.get(i, REPLACEMENT) for i in map(index, ids)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``tokenizer.json``. If writing fails, an existing file stays as it was.

        Hugging Face `tokenizers` loads it too, and recognizes special tokens in every text unless
        ``encode_special_tokens`` is set.
        """
        write_whole(Path(path), self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a ``tokenizer.json`` that `save` wrote, or one that asks for the same; others are a ValueError."""
        document = read_json(path, cls._model_type)
        special = {token["content"]: token["id"] for token in document.get("added_tokens") or ()}
        try:
            tokenizer = cls._from_document(document, special)
        except KeyError as error:
            raise ValueError(f"{path}: {error} is missing") from None
        except (TypeError, ValueError) as error:
            raise ValueError(f"{path}: {error}") from None
        require_same(path, document, json.loads(tokenizer.to_json()))
        return tokenizer

    def to_json(self) -> str:
        """Return the content of the file that `save` writes."""
        vocab = in_order(self._spelled_vocab(), self.special_tokens)
        return to_json({"type": self._model_type, **self._model(vocab)}, self._steps, self.special_tokens)

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        """What a file says of the model, beside its type."""
        raise NotImplementedError

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        """The tokenizer with the vocabulary of a file."""
        raise NotImplementedError

    def _spelled_vocab(self) -> dict[str, int]:
        """The ordinary tokens as text."""
        return self.vocab

    def _encode_plain(self, text: str) -> Iterable[int]:
        """The ids of a text without special tokens."""
        raise NotImplementedError

    def _join(self, tokens: list[str]) -> str:
        """The text of tokens."""
        return "".join(tokens)

    def __repr__(self) -> str:
        """Class and size: a vocabulary is too long to show."""
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"


class WordTokenizer(Tokenizer):
    """A tokenizer that splits text into words and encodes each word on its own."""

    _cached_words = 1 << 16
    _split: Callable[[str], list[str]]  # the words of a text

    def __init__(self, vocab: Mapping[Any, int], special_tokens: Mapping[str, int]) -> None:
        super().__init__(vocab, special_tokens)
        self._encode_cached = lru_cache(self._cached_words)(self._encode_word)

    def _encode_plain(self, text: str) -> Iterable[int]:
        return (i for word in self._split(text) for i in self._encode_cached(word))

    @abstractmethod
    def _encode_word(self, word: str) -> tuple[int, ...]:
        """The ids of one word."""
