"""How words of two sentences belong together: links by attention, their error rate, and common words in order."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

# For each target position the source positions that belong to it; there may be none.
Alignment = Sequence[Sequence[int]]


def alignment_error_rate(weights: Sequence[Float[np.ndarray, "T S"]], alignments: Sequence[Alignment]) -> float:
    r"""Measure how far the strongest link of each target position is from the true alignment, over all sentences.

    .. math::

        \text{error rate} = 1 - \frac{|\mathcal A\cap\mathcal S| + |\mathcal A\cap\mathcal P|}
        {|\mathcal A| + |\mathcal S|}

    The links found, :math:`\mathcal A`, join each target position to the source position with the largest weight, the
    first of equal ones; a row of zeros has no link. The true links are all sure,
    :math:`\mathcal S`, and all that is possible, :math:`\mathcal P = \mathcal S`: so this is one minus twice the links
    in common over all links. It is 0 only where each target position belongs to one source position.

    The ``weights`` of each sentence, (T, S), say how much each target position attends to each source position; the
    ``alignments`` list the source positions that belong to each target position.

    Source: Och and Ney (2003), section 5.1.

    Example:
        >>> weights = np.array([[0.9, 0.1], [0.6, 0.4], [0.2, 0.8]])
        >>> round(alignment_error_rate([weights], [[(0,), (1,), (0, 1)]]), 3)  # 2 of 3 links, and 4 true ones
        0.429
    """
    right = found = true = 0
    for rows, alignment in zip(weights, alignments, strict=True):
        best = [int(row.argmax()) if row.any() else None for row in rows]
        right += sum(source in belonging for source, belonging in zip(best, alignment, strict=True))
        found += len(rows) - best.count(None)
        true += _n_links(alignment)
    return _error_rate(right, found, true)


def chance_error_rate(source_lengths: Sequence[int], alignments: Sequence[Alignment]) -> float:
    r"""Return the expected alignment error rate of joining each target position to a random source position.

    .. math::

        1 - \frac{2}{\sum T + \sum|S|}\sum\frac{|S|}{n}

    The sums go over the sentences, with :math:`T` target and :math:`n` source positions, and :math:`|S|` true links.

    Example:
        >>> chance_error_rate([4], [[(0,), (1,), (2,), (3,)]])
        0.75
    """
    right, found, true = 0.0, 0, 0
    for S, alignment in zip(source_lengths, alignments, strict=True):
        n_links = _n_links(alignment)
        right += n_links / S
        found += len(alignment)
        true += n_links
    return _error_rate(right, found, true)


def diagonal_weights(T: int, S: int) -> Float[np.ndarray, "T S"]:
    """Join each target position to the source position at the same fraction of the sentence, by word order alone.

    Returns weights of one for each target position, (T, S), for ``alignment_error_rate``.

    Example:
        >>> diagonal_weights(3, 6).astype(int)
        array([[0, 1, 0, 0, 0, 0],
               [0, 0, 0, 1, 0, 0],
               [0, 0, 0, 0, 0, 1]])
    """
    middles = (2 * np.arange(T) + 1) * S // (2 * max(T, 1))  # (T,)
    return np.eye(S)[middles]


def in_order(ours: Sequence[str], true: Sequence[str]) -> list[tuple[int, int]]:
    """Return the places of a longest common subsequence, in both."""
    best: list[list[list[tuple[int, int]]]] = [[[] for _ in range(len(true) + 1)] for _ in range(len(ours) + 1)]
    for i in range(len(ours)):
        for j in range(len(true)):
            if ours[i] == true[j]:
                best[i + 1][j + 1] = [*best[i][j], (i, j)]
            else:
                best[i + 1][j + 1] = max(best[i][j + 1], best[i + 1][j], key=len)
    return best[-1][-1]


def _n_links(alignment: Alignment) -> int:
    return sum(len(set(sources)) for sources in alignment)


def _error_rate(right: float, found: int, true: int) -> float:
    return 1 - 2 * right / (found + true)
