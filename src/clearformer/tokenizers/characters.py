"""Characters as tokens: the baseline other tokenizers are measured against."""

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from operator import index

from clearformer.tokenizers.added_tokens import FLAGS, all_records
from clearformer.tokenizers.hf_json import in_order, read_json, reading, refuse_unless, special_tokens_of, write_json
from clearformer.tokenizers.special import (
    REPLACEMENT,
    check_ids,
    check_special_tokens,
    split_special,
    well_formed,
)
from clearformer.tokenizers.steps import Steps

_ANY_CHARACTER = {"type": "Split", "pattern": {"Regex": r"[\s\S]"}, "behavior": "Isolated", "invert": False}


class CharacterTokenizer:
    r"""One token for each character (code point) of the training text.

    Every other character becomes U+FFFD, which is always in the vocabulary.

    Args:
        vocab: id of every character, U+FFFD among them.
        special_tokens: id of every special token.

    Raises:
        ValueError: U+FFFD is missing, an entry is not one character, or an id is used twice.

    Example:
        >>> tokenizer = CharacterTokenizer.train("abba", special_tokens=["<eos>"])
        >>> tokenizer.vocab
        {'�': 1, 'a': 2, 'b': 3}
        >>> tokenizer.encode("bac<eos>", allowed_special=["<eos>"])
        [3, 2, 1, 0]
        >>> tokenizer.decode([3, 2, 1, 0])
        'ba�<eos>'
    """

    def __init__(self, vocab: Mapping[str, int], special_tokens: Mapping[str, int] | None = None) -> None:
        """Check the vocabulary and prepare the look-up tables."""
        self.vocab = dict(vocab)
        self.special_tokens = dict(special_tokens or {})
        check_special_tokens(list(self.special_tokens))
        if REPLACEMENT not in self.vocab:
            raise ValueError(f"the vocabulary of {len(self.vocab)} characters lacks {REPLACEMENT!r} (U+FFFD)")
        if long := [token for token in self.vocab if len(token) != 1]:
            raise ValueError(f"{long[0]!r} in the vocabulary is not one character")
        self._token_of = {i: token for token, i in (self.vocab | self.special_tokens).items()}
        check_ids(self.vocab, self.special_tokens)

    @classmethod
    def train(
        cls, text: str, vocab_size: int | None = None, *, special_tokens: Sequence[str] = ()
    ) -> "CharacterTokenizer":
        """Collect the characters of a text.

        Special tokens get the first ids, then U+FFFD, then the characters in the order of code points.

        Args:
            text: the whole corpus. Lone surrogates are read as U+FFFD.
            vocab_size: keep only the most frequent characters, so that there are at most this many tokens,
                special ones and U+FFFD included; among equal counts the smaller code point is kept. None
                keeps all.
            special_tokens: tokens with a role rather than a spelling, at least two characters each.

        Raises:
            TypeError: the text is not a ``str``.
            ValueError: the vocabulary has no room for U+FFFD and the special tokens, or these are unusable.

        Example:
            >>> list(CharacterTokenizer.train("banana", 3).vocab)
            ['�', 'a', 'n']
        """
        special = check_special_tokens(special_tokens)
        counts = Counter(well_formed(text))
        del counts[REPLACEMENT]
        if vocab_size is None:
            vocab_size = len(special) + 1 + len(counts)
        if vocab_size < len(special) + 1:
            raise ValueError(f"vocab_size={vocab_size} is less than U+FFFD + {len(special)} special tokens")
        frequent = sorted(counts, key=lambda character: (-counts[character], character))
        characters = [REPLACEMENT, *sorted(frequent[: vocab_size - len(special) - 1])]
        return cls(
            {character: i for i, character in enumerate(characters, start=len(special))},
            {token: i for i, token in enumerate(special)},
        )

    @property
    def vocab_size(self) -> int:
        """Number of tokens, special ones included."""
        return len(self._token_of)

    def encode(self, text: str, *, allowed_special: Collection[str] = ()) -> list[int]:
        """The ids of a text.

        Args:
            text: any text. Characters that are not in the vocabulary, and lone surrogates, are read as
                U+FFFD.
            allowed_special: special tokens to recognise in the text; all others are encoded as plain text.

        Raises:
            TypeError: the text is not a ``str``, or ``allowed_special`` is a single one.
            ValueError: an allowed token is not a special token.
        """
        ids: list[int] = []
        unknown = self.vocab[REPLACEMENT]
        for part in split_special(well_formed(text), self.special_tokens, allowed_special):
            if isinstance(part, int):
                ids.append(part)
            else:
                ids.extend([self.vocab.get(character, unknown) for character in part])
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of any ids; ids that are no token become U+FFFD.

        Raises:
            TypeError: an item is not an integer.
        """
        return "".join([self._token_of.get(i, REPLACEMENT) for i in map(index, ids)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a word-level ``tokenizer.json`` of characters that Hugging Face `tokenizers` loads."""
        vocab = in_order(self.vocab, self.special_tokens)
        model = {"type": "WordLevel", "vocab": vocab, "unk_token": REPLACEMENT}
        added = all_records((), self.special_tokens)
        write_json(path, Steps(pre_tokenizer=_ANY_CHARACTER, decoder={"type": "Fuse"}, added_tokens=added), model)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "CharacterTokenizer":
        """Read a ``tokenizer.json`` that `save` or Hugging Face `tokenizers` wrote for characters.

        Raises:
            ValueError: not such a file, or it asks for a step this class does not take (named in the
                message).
        """
        model, steps = read_json(path)
        with reading(path, model, "WordLevel"):
            refuse_unless(steps.normalizer is None, "normalizer", steps.normalizer)
            refuse_unless(steps.pre_tokenizer == _ANY_CHARACTER, "pre_tokenizer", steps.pre_tokenizer)
            refuse_unless(steps.post_processor is None, "post_processor", steps.post_processor)
            for token in steps.added_tokens:
                refuse_unless(not any(token.get(flag) for flag in FLAGS), "added token", token)
            refuse_unless(model.get("unk_token") == REPLACEMENT, "unk_token", model.get("unk_token"))
            special = special_tokens_of(steps)
            return cls({token: i for token, i in model["vocab"].items() if token not in special}, special)

    def __repr__(self) -> str:
        """Class and size."""
        return f"{type(self).__name__}(vocab_size={self.vocab_size})"
