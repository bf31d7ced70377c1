"""What all tokenizers with files of their own share: the steps before and after the model of one word."""

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from operator import index
from typing import Any, ClassVar, Self

from clearformer.tokenizers.added_tokens import AddedTokens, all_records
from clearformer.tokenizers.decoders import decoder
from clearformer.tokenizers.hf_json import read_json, reading, write_json
from clearformer.tokenizers.memo import Memo
from clearformer.tokenizers.normalizers import normalizer
from clearformer.tokenizers.pre_tokenizers import pre_tokenizer
from clearformer.tokenizers.special import REPLACEMENT, check_special_tokens, well_formed
from clearformer.tokenizers.steps import Steps
from clearformer.tokenizers.templates import template


class Pipeline:
    """Normalizer, added tokens, pre-tokenizer, model of one word, template; backwards, the decoder.

    Args:
        special_tokens: id of every special token; those that ``steps`` does not list have no options.
        steps: what stands around the model.
        encode_word: the model, from one word to its ids. It is asked once for each word that comes again.

    Raises:
        ValueError: a step is not supported, or the special tokens are unusable.
    """

    _type: ClassVar[str]  # of the model, as a file names it

    def __init__(
        self, special_tokens: Mapping[str, int], steps: Steps, encode_word: Callable[[str], tuple[int, ...]]
    ) -> None:
        """Make a function of each step."""
        check_special_tokens(list(special_tokens))
        self.special_tokens = dict(special_tokens)
        self.steps = replace(steps, added_tokens=all_records(steps.added_tokens, special_tokens))
        self._added = AddedTokens(self.steps.added_tokens, normalizer(steps.normalizer))
        self._cut = pre_tokenizer(steps.pre_tokenizer)
        self._memo = Memo(encode_word)
        self._template = template(steps.post_processor)

    @property
    def _added_ids(self) -> dict[str, int]:
        """Id of every added token, special or not."""
        return {token["content"]: token["id"] for token in self.steps.added_tokens}

    def encode(
        self, text: str, pair: str | None = None, *, allowed_special: Collection[str] = (), add_special: bool = False
    ) -> list[int]:
        """The ids of a text, or of two.

        Args:
            text: any text. Lone surrogates are read as U+FFFD.
            pair: a second text, for models that read two.
            allowed_special: special tokens to recognise in the text; all others are encoded as plain text.
                Where a word is unknown, plain text yields the id of the unknown token, and of no other
                special one.
            add_special: put the special tokens of the tokenizer's template around the text.

        Raises:
            TypeError: a text is not a ``str``, or ``allowed_special`` is a single one.
            ValueError: an allowed token is not a special token.
        """
        return self.encode_with_segments(text, pair, allowed_special=allowed_special, add_special=add_special)[0]

    def encode_with_segments(
        self, text: str, pair: str | None = None, *, allowed_special: Collection[str] = (), add_special: bool = False
    ) -> tuple[list[int], list[int]]:
        """The ids as `encode` gives them, and the segment of each: with BERT, 1 for the second text.

        Arguments and errors are those of `encode`.
        """
        texts = (text,) if pair is None else (text, pair)
        ids = [self._encode_one(each, allowed_special) for each in texts]
        return (self._template if add_special else self._template.bare).fill(*ids)

    def _encode_one(self, text: str, allowed: Collection[str]) -> list[int]:
        ids: list[int] = []
        for part in self._added.split(well_formed(text), allowed):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids.extend(chain.from_iterable(map(self._memo.__getitem__, self._cut(*part))))
        return ids

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a ``tokenizer.json`` that Hugging Face `tokenizers` loads.

        There, special tokens are recognised in every text unless ``encode_special_tokens`` is set.
        """
        write_json(path, self.steps, {"type": self._type, **self._to_file()})

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a ``tokenizer.json`` with a model of this kind, ours or a published one.

        Raises:
            ValueError: not such a file, or it asks for a step this class does not take (named in the
                message).
        """
        model, steps = read_json(path)
        with reading(path, model, cls._type):
            return cls._from_file(model, steps)

    def _to_file(self) -> dict[str, Any]:
        """What a file says of the model, besides its type."""
        raise NotImplementedError

    @classmethod
    def _from_file(cls, model: Mapping[str, Any], steps: Steps) -> Self:
        """The tokenizer that a file describes; a ``KeyError`` or ``ValueError`` is told with the file's name."""
        raise NotImplementedError

    def __repr__(self) -> str:
        """Class and size: a vocabulary is too long to show."""
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        raise NotImplementedError


class TextPipeline(Pipeline):
    """A pipeline whose tokens are text, not bytes.

    Args:
        vocab: id of every ordinary token.
        special_tokens: id of every special token.
        steps: what stands around the model.
        encode_word: the model, from one word to its ids.
    """

    def __init__(
        self,
        vocab: Mapping[str, int],
        special_tokens: Mapping[str, int],
        steps: Steps,
        encode_word: Callable[[str], tuple[int, ...]],
    ) -> None:
        """Keep the vocabulary both ways."""
        super().__init__(special_tokens, steps, encode_word)
        self.vocab = dict(vocab)
        self._token_of = {i: token for token, i in self.vocab.items()} | self._added.texts
        self._decode = decoder(steps.decoder)

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return len(self._token_of)

    def decode(self, ids: Iterable[int]) -> str:
        """The text of any ids, special tokens by their names; ids that are no token become U+FFFD.

        Raises:
            TypeError: an item is not an integer.
        """
        return "".join(self._decode([self._token_of.get(i, REPLACEMENT) for i in map(index, ids)]))
