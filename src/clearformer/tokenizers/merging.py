"""Apply learned merges to one word: of all adjacent pairs, the one learned earliest comes first, left to right.

Source: Sennrich et al. (2016), section 3.2.
"""

from collections.abc import Container, Iterable, Mapping, Sequence
from heapq import heapify, heappop, heappush
from itertools import pairwise
from typing import TypeVar

Token = TypeVar("Token", str, bytes)


def merge(tokens: Sequence[Token], ranks: Mapping[tuple[Token, Token], int]) -> list[Token]:
    """Merge adjacent tokens of a word until no pair is left that was learned, the pair of the lowest rank first.

    The pairs wait in a priority queue and the tokens form a linked list, so n tokens take O(n log n) steps.

    Example:
        >>> merge("abcab", {("a", "b"): 0, ("ab", "c"): 1})
        ['abc', 'ab']
    """
    merged = list(tokens)  # an empty token has been merged into the one before it
    following = [*range(1, len(tokens)), -1]
    preceding = list(range(-1, len(tokens) - 1))
    queue = [(ranks[pair], i, pair) for i, pair in enumerate(pairwise(tokens)) if pair in ranks]
    heapify(queue)
    while queue:
        _, i, (left, right) = heappop(queue)
        j = following[i]
        if j < 0 or merged[i] != left or merged[j] != right:  # an earlier merge has used one of the two
            continue
        merged[i], merged[j] = left + right, left[:0]
        following[i] = following[j]
        if following[i] >= 0:
            preceding[following[i]] = i
        for first, second in ((preceding[i], i), (i, following[i])):
            if first >= 0 and second >= 0 and (pair := (merged[first], merged[second])) in ranks:
                heappush(queue, (ranks[pair], first, pair))
    return [token for token in merged if token]


def check_merges(merges: Iterable[tuple[Token, Token]], vocab: Container[Token]) -> None:
    """Refuse merges whose parts or results are not in the vocabulary."""
    for left, right in merges:
        for token in (left, right, left + right):
            if token not in vocab:
                raise ValueError(f"merge ({left!r}, {right!r}): {token!r} is not in the vocabulary")


def pairs(merges: Iterable[str | list[str]]) -> list[tuple[str, str]]:
    """Return the merges of a file as pairs; older files join the two tokens by a space."""
    split = (merge.split(" ") if isinstance(merge, str) else merge for merge in merges)
    return [(left, right) for left, right in split]
