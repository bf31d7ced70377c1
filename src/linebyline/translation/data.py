"""The data of a translator: words as ids, batches of sentences of unequal length, and the loss on the targets."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from linebyline.corpora.translations import Grammar, Pair

PAD, END = 0, 1  # the padding token, and the end of a target


@dataclass(frozen=True)
class Words:
    """A vocabulary: padding, the end token, a start token for each target language, then the words."""

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
        """The start token of the targets of a grammar, which names the language to translate into."""
        (start,) = self.encode([f"<{grammar.target.name}>"])
        return start

    def encode(self, words: Sequence[str]) -> list[int]:
        """Return the ids of words.

        Raises:
            ValueError: a word is not in the vocabulary.
        """
        ids: dict[str, int] = self._ids  # type: ignore[attr-defined]
        try:
            return [ids[word] for word in words]
        except KeyError:
            unknown = ", ".join(repr(word) for word in words if word not in ids)
            raise ValueError(f"the vocabulary of {len(self)} tokens does not have {unknown}") from None

    def decode(self, ids: Iterable[int]) -> tuple[str, ...]:
        """Return the words of ids, up to the token that ends them."""
        words: list[str] = []
        for i in ids:
            if i == END:
                break
            words.append(self.tokens[i])
        return tuple(words)


def rows(words: Words, grammar: Grammar, pairs: Iterable[Pair]) -> tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]:
    """Write pairs as rows of ids, filled up with padding: sources, and targets with what begins and ends them."""
    return padded(words, words.start(grammar), ((pair.source, pair.target) for pair in pairs))


def padded(
    words: Words, start: int, pairs: Iterable[tuple[Sequence[str], Sequence[str]]]
) -> tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]:
    """Write sources and targets, given as words, as rows of ids, filled up with padding.

    Each target begins with the token ``start``, and ends with one for the end.

    Raises:
        ValueError: a word is not in the vocabulary.

    Example:
        >>> words = Words(("<pad>", "<end>", "<start>", "a", "b"))
        >>> [ids.tolist() for ids in padded(words, 2, [("ab", "ba"), ("a", "a")])]
        [[[3, 4], [3, 0]], [[2, 4, 3, 1], [2, 3, 1, 0]]]
    """
    both = [(words.encode(source), [start, *words.encode(target), END]) for source, target in pairs]
    sources, targets = zip(*both, strict=True)
    return _filled_up(sources), _filled_up(targets)


def _filled_up(rows: Sequence[list[int]]) -> Int[Tensor, "n longest"]:
    # A tensor of each row would take longer than the whole.
    lengths = np.fromiter(map(len, rows), dtype=np.int64)  # (n,)
    ids = np.full((len(rows), lengths.max()), PAD)
    ids[np.arange(ids.shape[1]) < lengths[:, None]] = np.fromiter(chain.from_iterable(rows), dtype=np.int64)
    return torch.from_numpy(ids)


def trimmed(ids: Int[Tensor, "n S"]) -> Int[Tensor, "n longest"]:
    """Leave out the columns in which every row is padding."""
    return ids[:, : int((ids != PAD).sum(dim=1).max())]


def batches(corpora: Sequence[tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]], *, batch: int) -> training.Batches:
    """Draw sentences at random, as many from each corpus of ``rows``; a batch is as wide as its longest sentence."""

    def draw(generator: torch.Generator) -> training.Batch:
        drawn: tuple[list[Tensor], list[Tensor]] = [], []
        for sources, targets in corpora:
            chosen = torch.randint(len(sources), (batch // len(corpora),), generator=generator)
            drawn[0].extend(sources[chosen])
            drawn[1].extend(targets[chosen])
        pad = nn.utils.rnn.pad_sequence
        sources, targets = (pad(part, batch_first=True, padding_value=PAD) for part in drawn)
        return trimmed(sources), trimmed(targets)

    return draw


def loss(label_smoothing: float = 0.0) -> training.Loss:
    """Make the loss of a translator: the mean cross-entropy of each target word, given those before it."""

    def mean_surprise(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
        sources, targets = batch
        inputs, following = targets[:, :-1], targets[:, 1:]  # (B, T - 1) each
        logits = model(sources, inputs, mask=sources != PAD)  # (B, T - 1, vocab_size)
        return training.cross_entropy(
            logits,
            following,
            label_smoothing=label_smoothing,
            ignore_index=PAD,
        )

    return mean_surprise


def n_targets(batch: training.Batch) -> Int[Tensor, ""]:
    """Count the words in the mean of a translator's loss: the targets after the first, without padding."""
    return (batch[1][:, 1:] != PAD).sum()
