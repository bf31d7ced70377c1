"""Tokenizers of published models, read and run by Hugging Face `tokenizers`."""

import os
from collections.abc import Collection, Iterable
from operator import index
from pathlib import Path

import tokenizers

from clearformer.tokenizers.base import Tokenizer
from clearformer.tokenizers.special import check_allowed, well_formed


class PublishedTokenizer(Tokenizer):
    """A tokenizer of any published kind, run by a backend of `tokenizers`, with the verbs of ours.

    Example:
        >>> from clearformer.tokenizers import WordPieceTokenizer
        >>> ours = WordPieceTokenizer.train("ice cream", 20)
        >>> published = PublishedTokenizer(tokenizers.Tokenizer.from_str(ours.to_json()))
        >>> published.encode("ice cream") == ours.encode("ice cream")
        True
    """

    vocab: dict[str, int]

    def __init__(self, backend: tokenizers.Tokenizer) -> None:
        added = backend.get_added_tokens_decoder().items()
        special = {token.content: i for i, token in added if token.special}
        self.backend, self.special_tokens = backend, special
        self.vocab = {token: i for token, i in backend.get_vocab().items() if token not in special}

    def encode(self, text: str, *, allowed_special: Collection[str] = (), add_special: bool = False) -> list[int]:
        """Return the ids of a text as ``Tokenizer.encode`` does, but with all special tokens allowed or none.

        ``add_special`` adds those that the tokenizer puts around a text, such as ``[CLS]``. Allowing some special
        tokens and others not is a ValueError.
        """
        check_allowed(allowed_special, self.special_tokens)
        n_allowed, n_special = len(set(allowed_special)), len(self.special_tokens)
        if n_allowed not in (0, n_special):
            raise ValueError(f"allowed_special has {n_allowed} of {n_special} special tokens; allow all or none")
        self.backend.encode_special_tokens = not n_allowed
        return list(self.backend.encode(well_formed(text), add_special_tokens=add_special).ids)

    def decode(self, ids: Iterable[int]) -> str:
        """Return the text of any integers, special tokens by name; ids that are not tokens are left out."""
        known = [i for i in map(index, ids) if 0 <= i < 1 << 32]
        return str(self.backend.decode(known, skip_special_tokens=False))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "PublishedTokenizer":
        """Read a ``tokenizer.json`` of any kind: BERT's, RoBERTa's, GPT-2's, Llama's, T5's, ours.

        A missing file is a FileNotFoundError, and one that is no tokenizer a ValueError.
        """
        content = Path(path).read_bytes()
        try:
            backend = tokenizers.Tokenizer.from_buffer(content)
        except Exception as error:  # `tokenizers` raises nothing narrower
            raise ValueError(f"{path} is not a tokenizer.json: {str(error)[:200]}") from None
        backend.no_truncation()
        backend.no_padding()
        return cls(backend)

    def to_json(self) -> str:
        """Return the content of a ``tokenizer.json``."""
        return str(self.backend.to_str(pretty=True))


load = PublishedTokenizer.load
