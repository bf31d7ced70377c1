"""Learn merges: the training loop that byte-pair encoding and WordPiece share."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

Token = TypeVar("Token", str, bytes)


def learn_merges(
    word_counts: Mapping[str, int],
    alphabet: Collection[Token],
    vocab_size: int,
    *,
    join: Callable[[Token, Token], Token],
    forbidden: Collection[Token] = (),
) -> tuple[list[Token], dict[str, str]]:
    r"""Merge the most frequent adjacent pair of tokens, again and again.

    A word is a string of *symbols*: the character ``chr(i)`` represents token
    number ``i``. A pair is then a string of two characters, and merging it is
    ``str.replace``, which runs in C.

    The rule, equal to Hugging Face's: the pair with the highest count wins;
    among equal counts the smaller pair wins, comparing token numbers, left one
    first. Training ends when the vocabulary is full, or no pair is left. When
    a merge spells a token that exists, that token's number is used again and
    the vocabulary does not grow.

    Args:
        word_counts: how often each word, a string of symbols, occurs.
        alphabet: the tokens numbered 0, 1, 2, ...
        vocab_size: number of tokens to stop at.
        join: the token that a left and a right token become.
        forbidden: tokens that must not be learned.

    Returns:
        All tokens in the order of their numbers, and the merges: pair of
        symbols -> symbol, in the order of learning.

    Source: Sennrich et al. (2016), algorithm 1; with counts kept up to date
    instead of recounted.

    Example:
        >>> words = {"\0\1": 3, "\0\1\2": 2, "\1\2": 1}  # ab, abc and bc
        >>> letters = ["a", "b", "c"]
        >>> tokens, merges = learn_merges(words, letters, 5, join=str.__add__)
        >>> tokens
        ['a', 'b', 'c', 'ab', 'abc']
    """
    tokens = list(alphabet)
    symbol_of = {token: chr(i) for i, token in enumerate(tokens)}
    merges: dict[str, str] = {}
    index = _PairIndex(word_counts)
    while len(tokens) < vocab_size and (pair := index.most_frequent()):
        token = join(tokens[ord(pair[0])], tokens[ord(pair[1])])
        if token in forbidden:
            index.drop(pair)
            continue
        if token not in symbol_of:
            symbol_of[token] = chr(len(tokens))
            tokens.append(token)
        merges[pair] = symbol_of[token]
        index.merge(pair, symbol_of[token])
    return tokens, merges


class _PairIndex:
    """Every adjacent pair of the words: its count, the words that hold it, and a queue by count."""

    def __init__(self, word_counts: Mapping[str, int]) -> None:
        self._words = list(word_counts)
        self._repeats = list(word_counts.values())
        self._counts: defaultdict[str, int] = defaultdict(int)
        self._where: defaultdict[str, list[int]] = defaultdict(list)
        for i, (word, repeats) in enumerate(word_counts.items()):
            for left, right in pairwise(word):
                pair = left + right
                self._counts[pair] += repeats
                self._where[pair].append(i)
        self._queue = [(-count, pair) for pair, count in self._counts.items()]
        heapify(self._queue)

    def most_frequent(self) -> str:
        """The pair to merge next, taken off the queue; "" when there is none."""
        while self._queue:
            negative_count, pair = heappop(self._queue)
            count = self._counts[pair]
            if count == -negative_count and pair in self._where:
                return pair
            # Counts fall without notice to the queue, so an entry is corrected when it comes to the top.
            if count > 0 and pair in self._where:
                heappush(self._queue, (-count, pair))
        return ""

    def drop(self, pair: str) -> None:
        """Forget where the pair is, so that it is never merged."""
        del self._where[pair]

    def merge(self, pair: str, symbol: str) -> None:
        """Replace the pair by the symbol in every word that holds it, and bring the counts up to date."""
        words, counts, where = self._words, self._counts, self._where
        grown = set()
        for i in where.pop(pair):
            segments = words[i].split(pair)
            if len(segments) == 1:  # an earlier merge has used up one half of the pair
                continue
            words[i] = symbol.join(segments)
            repeats = self._repeats[i]
            for old, new in _changed_pairs(segments, pair, symbol):
                counts[old] -= repeats
                counts[new] += repeats
                where[new].append(i)
                grown.add(new)
        for new in grown:
            heappush(self._queue, (-counts[new], new))


def _changed_pairs(segments: list[str], pair: str, symbol: str) -> list[tuple[str, str]]:
    """The adjacent pairs that change when the pair between the segments becomes the symbol, as (old, new)."""
    first, second = pair[0], pair[1]
    changes = []
    for left, right in pairwise(segments):
        if left:
            changes.append((left[-1] + first, left[-1] + symbol))
        if right:
            changes.append((second + right[0], symbol + right[0]))
    # An empty segment inside the word: two occurrences touch.
    return changes + [(second + first, symbol + symbol) for middle in segments[1:-1] if not middle]
