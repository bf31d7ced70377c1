"""Words as ids: one vocabulary for all languages of a translator, and sentences as rows of ids."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from clearformer.course.corpora.translations import Grammar, Pair

PAD, END = 0, 1  # fills a row up; ends a target


@dataclass(frozen=True)
class Words:
    """A vocabulary: what fills up, what ends, one token for each language that begins its targets, then the words.

    Args:
        tokens: Every token at its id.

    Example:
        >>> from clearformer.course.corpora import ENGLISH_SWEDISH
        >>> words = Words.of([ENGLISH_SWEDISH])
        >>> words.tokens[:3], words.decode(words.encode(["Dan", "sover"]))
        (('<pad>', '<end>', '<Swedish>'), ('Dan', 'sover'))
    """

    tokens: tuple[str, ...]

    @classmethod
    def of(cls, grammars: Iterable[Grammar]) -> "Words":
        """Collect the words of some grammars, each once, in the order of the alphabet."""
        grammars = list(grammars)
        starts = sorted({f"<{grammar.target.name}>" for grammar in grammars})
        words = {w for grammar in grammars for side in (grammar.source, grammar.target) for w in side.vocabulary}
        return cls(("<pad>", "<end>", *starts, *sorted(words)))

    def __post_init__(self) -> None:
        # Looked up for every word; a field would be part of comparisons.
        object.__setattr__(self, "_ids", {token: i for i, token in enumerate(self.tokens)})

    def __len__(self) -> int:
        return len(self.tokens)

    def start(self, grammar: Grammar) -> int:
        """The token that begins the targets of a grammar, and so says which language is wanted."""
        (start,) = self.encode([f"<{grammar.target.name}>"])
        return start

    def encode(self, words: Sequence[str]) -> list[int]:
        """Give the ids of words.

        Raises:
            ValueError: a word is not in the vocabulary.
        """
        ids: dict[str, int] = self._ids  # type: ignore[attr-defined]
        unknown = [word for word in words if word not in ids]
        if unknown:
            raise ValueError(f"the vocabulary of {len(self)} tokens does not have {', '.join(map(repr, unknown))}")
        return [ids[word] for word in words]

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Give the words of ids, up to the token that ends them."""
        words: list[str] = []
        for i in ids:
            if i == END:
                break
            words.append(self.tokens[i])
        return tuple(words)


def rows(words: Words, grammar: Grammar, pairs: Iterable[Pair]) -> tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]:
    """Write pairs as rows of ids, filled up with padding: sources, and targets with what begins and ends them.

    Example:
        >>> from clearformer.course.corpora import ENGLISH_SWEDISH as grammar
        >>> words = Words.of([grammar])
        >>> sources, targets = rows(words, grammar, [grammar.translate("Dan sleeps."), grammar.translate("They sing.")])
        >>> words.decode(targets[0, 1:].tolist()), targets.shape
        (('Dan', 'sover', '.'), torch.Size([2, 5]))
    """
    pairs, start = list(pairs), words.start(grammar)
    sources = [torch.tensor(words.encode(pair.source)) for pair in pairs]
    targets = [torch.tensor([start, *words.encode(pair.target), END]) for pair in pairs]
    return (
        pad_sequence(sources, batch_first=True, padding_value=PAD),
        pad_sequence(targets, batch_first=True, padding_value=PAD),
    )


def trimmed(ids: Int[Tensor, "n S"]) -> Int[Tensor, "n longest"]:
    """Leave out the columns in which every row is padding."""
    return ids[:, : int((ids != PAD).sum(dim=1).max())]
