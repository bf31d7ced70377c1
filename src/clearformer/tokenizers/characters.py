"""Characters as tokens: the baseline other tokenizers are measured against."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Self

from clearformer.tokenizers.base import Tokenizer
from clearformer.tokenizers.special import REPLACEMENT, number_special_tokens, well_formed


class CharacterTokenizer(Tokenizer):
    """One token for each character (code point) of the training text.

    Every other character becomes U+FFFD, which must be in the vocabulary. That it is missing, an entry is not one
    character, or an id is used twice, is a ValueError.

    Example:
        >>> tokenizer = CharacterTokenizer.train("abba", special_tokens=["<eos>"])
        >>> tokenizer.vocab
        {'�': 1, 'a': 2, 'b': 3}
        >>> tokenizer.encode("bac<eos>", allowed_special=["<eos>"])
        [3, 2, 1, 0]
        >>> tokenizer.decode([3, 2, 1, 0])
        'ba�<eos>'
    """

    vocab: dict[str, int]
    _model_type = "WordLevel"
    _steps: Mapping[str, Any] = {
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": r"[\s\S]"}, "behavior": "Isolated", "invert": False},
        "decoder": {"type": "Fuse"},
    }

    def __init__(self, vocab: Mapping[str, int], special_tokens: Mapping[str, int] | None = None) -> None:
        super().__init__(vocab, special_tokens or {})
        if REPLACEMENT not in self.vocab:
            raise ValueError(f"the vocabulary of {len(self.vocab)} characters lacks {REPLACEMENT!r} (U+FFFD)")
        if long := [token for token in self.vocab if len(token) != 1]:
            raise ValueError(f"{long[0]!r} in the vocabulary is not one character")

    @classmethod
    def train(
        cls, text: str, vocab_size: int | None = None, *, special_tokens: Sequence[str] = ()
    ) -> "CharacterTokenizer":
        """Collect the characters of a text.

        Special tokens get the first ids, then U+FFFD, then the characters in the order of code points. ``vocab_size``
        keeps only the most frequent characters, so that there are at most this many tokens, special ones and U+FFFD
        included; among equal counts the smaller code point is kept. Errors as for ``BPETokenizer.train``.

        Example:
            >>> list(CharacterTokenizer.train("banana", 3).vocab)
            ['�', 'a', 'n']
        """
        special = number_special_tokens(special_tokens)
        counts = Counter(well_formed(text))
        del counts[REPLACEMENT]
        if vocab_size is None:
            vocab_size = len(special) + 1 + len(counts)
        if vocab_size < len(special) + 1:
            raise ValueError(f"vocab_size={vocab_size} is less than U+FFFD + {len(special)} special tokens")
        frequent = sorted(counts, key=lambda character: (-counts[character], character))
        characters = [REPLACEMENT, *sorted(frequent[: vocab_size - len(special) - 1])]
        return cls({character: i for i, character in enumerate(characters, start=len(special))}, special)

    def _encode_plain(self, text: str) -> list[int]:
        unknown = self.vocab[REPLACEMENT]
        return [self.vocab.get(character, unknown) for character in text]

    def _model(self, vocab: dict[str, int]) -> dict[str, Any]:
        return {"vocab": vocab, "unk_token": REPLACEMENT}

    @classmethod
    def _from_document(cls, document: Mapping[str, Any], special: Mapping[str, int]) -> Self:
        return cls({token: i for token, i in document["model"]["vocab"].items() if token not in special}, special)
