"""Train Unigram: from many pieces to few, keeping those that the text needs most.

All substrings of the words that occur twice are pieces at first. Expectation and maximization give each its
probability; then the pieces are dropped whose loss costs least, and so on until few enough are left.
The segmentations are never listed: `lattice` sums over all of them.

Source: Kudo (2018), section 3.2; Kudo and Richardson (2018) for the practice.
"""

from collections.abc import Collection, Mapping

import numpy as np
from scipy.special import digamma

from clearformer.tokenizers.lattice import Edges, Lattice
from clearformer.tokenizers.substrings import Substrings, count_substrings

_LONGEST = 16
_SEEDS = 1_000_000
_KEPT = 0.75
_ROUNDS = 2
_MARGIN = 1.1
_SELDOM = 0.5


def learn_pieces(
    word_counts: Mapping[str, int], vocab_size: int, *, forbidden: Collection[str] = ()
) -> list[tuple[str, float]]:
    """Learn the pieces of words and their log-probabilities, the most probable first.

    All characters are among the pieces, and none that is forbidden. More characters than pieces are a ValueError.

    Example:
        >>> words = {"ice": 5, "icecream": 4, "cream": 4}
        >>> [piece for piece, _ in learn_pieces(words, 8)][:2]
        ['ice', 'cream']
    """
    words = {word: count for word, count in word_counts.items() if word}
    found = count_substrings(words, longest=_LONGEST)
    if vocab_size < found.n_characters:
        raise ValueError(f"{vocab_size} pieces have no room for the text's {found.n_characters} characters")
    if not words:
        return []
    training = _Training(found, forbidden)
    wanted = max(int(vocab_size * _MARGIN), found.n_characters)
    while True:
        for _ in range(_ROUNDS):
            training.estimate(at_least=_SELDOM)
        if len(training.scores) <= wanted:
            break
        fewer = int(_KEPT * len(training.scores))
        training.prune(max(wanted, fewer), training.losses())
    training.prune(vocab_size, training.scores)
    training.estimate(at_least=0.0)
    return training.by_probability()


class _Training:
    """The pieces that are left, their probabilities, and the ways to split the words and the pieces themselves."""

    def __init__(self, found: Substrings, forbidden: Collection[str]) -> None:
        """Begin with the most frequent substrings, each the more probable the more text it covers."""
        self.repeats = found.repeats
        self.spelling = np.array(found.spell(), dtype=object)
        self.is_character = found.lengths == 1
        self.counts = found.counts
        ends = np.append(found.words[1:], len(found.text)) - 1
        self.words = Lattice(found.start, found.start + found.lengths[found.piece], found.piece, found.words, ends)
        # A piece as a word: its nodes, and the edges of the pieces inside it.
        self.finish = (found.lengths + 1).cumsum() - 1
        self.begin = self.finish - found.lengths
        self.piece_of_node = np.repeat(np.arange(len(found.lengths)), found.lengths + 1)
        self.inside = _inside(found, self.begin, self.finish)
        worth = found.counts * found.lengths
        self.scores = np.log(worth / worth.sum())
        self._keep(np.array([piece not in forbidden for piece in self.spelling]), worth)
        self.prune(_SEEDS, self.counts)

    def estimate(self, at_least: float) -> None:
        """One step of expectation and maximization; pieces that are expected less often are dropped.

        The digamma function in place of the logarithm makes rare pieces rarer still, as a prior does that
        prefers few pieces.
        """
        counts, _ = self.words.expected_counts(self.scores, self.repeats)
        self._keep((counts >= at_least) | self.is_character, counts)
        used = np.maximum(self.counts, _SELDOM)
        self.scores = digamma(used) - digamma(used.sum())

    def losses(self) -> np.ndarray:
        """What the likelihood loses, by estimate, if a piece is replaced by its own best segmentation."""
        replaced = self.inside.log_maxima(self.scores, self.begin)[self.finish]
        losses: np.ndarray = self.counts * (self.scores - replaced)
        return losses

    def prune(self, size: int, worth: np.ndarray) -> None:
        """Keep all characters, and of the other pieces those worth most."""
        others = np.flatnonzero(~self.is_character)
        best = others[np.argsort(-worth[others], kind="stable")]
        kept = self.is_character.copy()
        kept[best[: size - int(kept.sum())]] = True
        self._keep(kept, self.counts)

    def by_probability(self) -> list[tuple[str, float]]:
        """The pieces and their scores, the most probable first; of equal ones the smaller text."""
        # Rounded so that every reader of a file gets the same scores: the order of two pieces can make an exact tie.
        scores = self.scores.round(12).tolist()
        return sorted(zip(self.spelling.tolist(), scores, strict=True), key=lambda p: (-p[1], p[0]))

    def _keep(self, kept: np.ndarray, counts: np.ndarray) -> None:
        """Remove all other pieces everywhere."""
        self.counts = counts[kept]
        if kept.all():
            return
        self.spelling, self.is_character, self.scores = self.spelling[kept], self.is_character[kept], self.scores[kept]
        self.words.keep(kept)
        self.begin, self.finish = self.begin[kept], self.finish[kept]
        number = np.where(kept, kept.cumsum() - 1, -1)
        self.inside = self.inside.filtered(
            kept[self.inside.piece] & kept[self.piece_of_node[self.inside.source]], number
        )
        self.piece_of_node = number[self.piece_of_node]


def _inside(found: Substrings, begin: np.ndarray, finish: np.ndarray) -> Edges:
    """The pieces inside each piece, with the piece itself for a word; itself is not among them."""
    place, of_length, longest = found.first_start, found.lengths[found.piece], int(found.lengths.max())
    piece_at = np.empty(len(found.text), dtype=np.int64)
    edges = [(begin[:0], begin[:0], begin[:0])]
    for length in range(1, longest):
        here = of_length == length
        piece_at[:] = -1
        piece_at[found.start[here]] = found.piece[here]
        for offset in range(longest - length + 1):
            outer = np.flatnonzero((found.lengths >= offset + length) & (found.lengths > length))
            inner = piece_at[place[outer] + offset]
            outer, inner = outer[inner >= 0], inner[inner >= 0]
            edges.append((begin[outer] + offset, begin[outer] + offset + length, inner))
    source, target, piece = (np.concatenate(column) for column in zip(*edges, strict=True))
    distance = np.arange(int(finish[-1]) + 1) - np.repeat(begin, found.lengths + 1)
    return Edges(source, target, piece, distance)
