"""The frequent substrings of words, with every position where they occur: what Unigram's training begins with.

Source: Kudo (2018), section 3.2, who finds them with a suffix array; here each length is counted from the last.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate

import numpy as np
from jaxtyping import Float, Int


@dataclass(frozen=True)
class Substrings:
    """Pieces of words, and their occurrences.

    The words are concatenated into one text, each followed by a zero byte; positions count in this text.
    """

    text: str
    words: Int[np.ndarray, " n_words"]  # where each word begins
    repeats: Float[np.ndarray, " n_words"]  # how often it occurs
    counts: Float[np.ndarray, " n_pieces"]  # how often each piece occurs, single characters first
    lengths: Int[np.ndarray, " n_pieces"]  # its characters
    n_characters: int  # how many pieces are single characters
    start: Int[np.ndarray, " n_occurrences"]  # where each occurrence begins
    piece: Int[np.ndarray, " n_occurrences"]  # which piece it is

    @property
    def first_start(self) -> Int[np.ndarray, " n_pieces"]:
        """One occurrence of each piece."""
        place = np.zeros(len(self.counts), dtype=np.int64)
        place[self.piece] = self.start
        return place

    def spell(self) -> list[str]:
        """The pieces as text."""
        spans = zip(self.first_start.tolist(), self.lengths.tolist(), strict=True)
        return [self.text[start : start + length] for start, length in spans]


def count_substrings(word_counts: Mapping[str, int], *, longest: int, at_least: int = 2) -> Substrings:
    """Count the substrings that occur ``at_least`` so often, and drop those that never occur without the same neighbor.

    *ream* is dropped where every *ream* is followed by *s*, or preceded by *c*: the longer piece says as much.

    Example:
        >>> count_substrings({"cream": 2, "dream": 1}, longest=16).spell()
        ['a', 'c', 'd', 'e', 'm', 'r', 'ream', 'cream']
    """
    text = "".join(word + "\0" for word in word_counts)
    codes = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    sizes = [len(word) + 1 for word in word_counts]
    repeats = np.array(list(word_counts.values()), dtype=np.float64)
    weight = np.repeat(repeats, sizes)
    _, letter = np.unique(codes, return_inverse=True)
    inside = np.flatnonzero(codes)
    found = [_Level(letter[inside] - 1, inside, np.bincount(letter, weight)[1:] if len(inside) else repeats[:0], 1)]
    n_letters = len(found[0].counts) + 1
    for length in range(2, longest + 1):
        level = _longer(found[-1], letter, n_letters, weight, length, at_least)
        if not len(level.start):
            break
        found.append(level)
    keep = _worth_keeping(found, len(text))
    firsts = [0, *accumulate(int(kept.sum()) for kept in keep)]
    numbers = [np.where(kept, kept.cumsum() - 1 + first, -1) for kept, first in zip(keep, firsts, strict=False)]
    piece = np.concatenate([number[level.rank] for number, level in zip(numbers, found, strict=True)])
    start = np.concatenate([level.start for level in found])
    return Substrings(
        text,
        np.array([0, *accumulate(sizes)][:-1], dtype=np.int64),
        repeats,
        np.concatenate([level.counts[kept] for level, kept in zip(found, keep, strict=True)]),
        np.repeat([level.length for level in found], [int(kept.sum()) for kept in keep]),
        firsts[1],
        start[piece >= 0],
        piece[piece >= 0],
    )


@dataclass(frozen=True)
class _Level:
    """All substrings of one length: number and place of each occurrence, and a count for each number."""

    rank: Int[np.ndarray, " n"]
    start: Int[np.ndarray, " n"]
    counts: Float[np.ndarray, " m"]
    length: int


def _longer(
    shorter: _Level, letter: np.ndarray, n_letters: int, weight: np.ndarray, length: int, at_least: int
) -> _Level:
    """Add a letter to every occurrence, unless the word ends there, and drop what has become too rare."""
    following = letter[shorter.start + length - 1]
    goes_on = following > 0
    start = shorter.start[goes_on]
    _, rank = np.unique(shorter.rank[goes_on] * n_letters + following[goes_on], return_inverse=True)
    counts = np.bincount(rank, weight[start])
    frequent = counts >= at_least
    number = frequent.cumsum() - 1
    kept = frequent[rank]
    return _Level(number[rank[kept]], start[kept], counts[frequent], length)


def _worth_keeping(levels: list[_Level], n_places: int) -> list[np.ndarray]:
    """For each length, which substrings are more frequent than all that are one letter longer around them."""
    keep = []
    for shorter, longer in zip(levels, [*levels[1:], None], strict=True):
        kept = np.ones(len(shorter.counts), dtype=bool)
        if longer is not None and shorter.length > 1:
            at = np.full(n_places + 1, -1)
            at[shorter.start] = shorter.rank
            place = np.zeros(len(longer.counts), dtype=np.int64)
            place[longer.rank] = longer.start
            for inner in (at[place], at[place + 1]):
                most = np.zeros(len(kept))
                np.maximum.at(most, inner, longer.counts)
                kept &= most < shorter.counts
        keep.append(kept)
    return keep
