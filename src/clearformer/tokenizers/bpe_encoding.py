"""Apply learnt merges to one word: the pair learnt earliest first, leftmost first.

As in training, a word is a string of symbols and a pair is a string of two. The place of a pair in the order
of learning is its rank.

Source: Sennrich et al. (2016), section 3.2.
"""

from collections.abc import Callable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise, repeat
from operator import add
from typing import TypeVar

Token = TypeVar("Token", str, bytes)

_LONG = 256
_NEVER = 1 << 62


def merger(merges: Sequence[tuple[Token, Token]], symbol_of: Mapping[Token, str]) -> Callable[[str], list[str]]:
    """Make the function that merges a word, given in symbols.

    Args:
        merges: pairs of tokens, earliest first.
        symbol_of: the symbol of every token.

    Raises:
        ValueError: a part of a merge, or what it makes, has no symbol.

    Example:
        >>> merger([("a", "b")], {"a": "0", "b": "1", "ab": "2"})("10101")
        ['1', '2', '2']
    """
    for left, right in merges:
        for token in (left, right, left + right):
            if token not in symbol_of:
                raise ValueError(f"merge ({left!r}, {right!r}): {token!r} is not in the vocabulary")
    ranks = {symbol_of[left] + symbol_of[right]: rank for rank, (left, right) in enumerate(merges)}
    merged = [symbol_of[left + right] for left, right in merges]

    def merge(word: str) -> list[str]:
        return (merge_short if len(word) < _LONG else merge_long)(word, ranks, merged)

    return merge


def merge_short(word: str, ranks: Mapping[str, int], merged: Sequence[str]) -> list[str]:
    """Merge pairs in the order of their ranks until none is left that was ever learnt.

    All pairs are looked at before each merge: O(n²) steps for n symbols, but quick ones.

    Args:
        word: the word in symbols.
        ranks: rank of every pair learnt.
        merged: the symbol that the pair of each rank becomes.

    Returns:
        The symbols that remain.

    Example:
        >>> merge_short("abcab", {"ab": 0, "Xc": 1}, ["X", "Y"])
        ['Y', 'X']
    """
    rank_of = ranks.get
    symbols = [*word, ""]
    # rank[i] belongs to symbols i and i + 1; the last symbol pairs with "", which was never learnt.
    rank = [*map(rank_of, map(add, word, word[1:]), repeat(_NEVER)), _NEVER]
    while (best := min(rank)) < _NEVER:
        i = rank.index(best)
        symbols[i] = new = merged[best]
        del rank[i], symbols[i + 1]
        rank[i] = rank_of(new + symbols[i + 1], _NEVER)
        if i:
            rank[i - 1] = rank_of(symbols[i - 1] + new, _NEVER)
    symbols.pop()
    return symbols


def merge_long(word: str, ranks: Mapping[str, int], merged: Sequence[str]) -> list[str]:
    """The same with the pairs in a queue and the symbols in a linked list: O(n log n) steps."""
    symbols = list(word)
    following = [*range(1, len(word)), -1]
    preceding = list(range(-1, len(word) - 1))
    queue = [(ranks[pair], i) for i, (a, b) in enumerate(pairwise(word)) if (pair := a + b) in ranks]
    heapify(queue)
    while queue:
        rank, i = heappop(queue)
        j = following[i]
        if j < 0 or ranks.get(symbols[i] + symbols[j]) != rank:  # one half has been merged since
            continue
        symbols[i], symbols[j] = merged[rank], ""
        following[i] = following[j]
        if following[i] >= 0:
            preceding[following[i]] = i
        for left, right in ((preceding[i], i), (i, following[i])):
            if left >= 0 and right >= 0 and (pair := symbols[left] + symbols[right]) in ranks:
                heappush(queue, (ranks[pair], left))
    return [symbol for symbol in symbols if symbol]
