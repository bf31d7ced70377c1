"""Masks: boolean arrays that are True where a query position **may** attend to a key position."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Int

from clearformer.functional._checks import key_positions, require_integers

# A mask computed block by block: from positions of queries, (t,), and of keys, (s,), to an array for (..., t, s).
BlockMask = Callable[[Int[np.ndarray, " t"], Int[np.ndarray, " s"]], Bool[np.ndarray, "..."]]


def causal_mask(T: int, S: int | None = None) -> Bool[np.ndarray, "T S"]:
    """Return the causal mask: every position may attend to itself and to earlier positions.

    With more keys than queries (``S > T``) the queries are the **last** ``T`` of the ``S`` positions, as in a
    decoder with a cache of past keys. Fewer keys than queries, or a negative ``T``, are a ValueError.

    Source: Vaswani et al. (2017), section 3.2.3.

    Example:
        >>> causal_mask(3).astype(int)
        array([[1, 0, 0],
               [1, 1, 0],
               [1, 1, 1]])
    """
    keys = key_positions(T, S)  # (S,)
    return keys[len(keys) - T :, None] >= keys  # (T, S)


def causal_blocks(T: int, S: int | None = None) -> BlockMask:
    """Return the causal mask as a function that computes it block by block, without the (T, S) array.

    The function takes query positions, (t,), and key positions, (s,), both in ascending order, and returns their
    block of the mask, (t, s), or (1, 1) if it is the same everywhere. Errors as for ``causal_mask``.

    Example:
        >>> mask = causal_blocks(4)
        >>> mask(np.array([2, 3]), np.array([2, 3])).astype(int), mask(np.array([0, 1]), np.array([2, 3]))
        (array([[1, 0],
               [1, 1]]), array([[False]]))
    """
    offset = len(key_positions(T, S)) - T

    def mask(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        queries = queries + offset  # (t,)
        if queries[-1] < keys[0]:
            return np.array([[False]])
        if queries[0] >= keys[-1]:
            return np.array([[True]])
        allowed: np.ndarray = queries[:, None] >= keys  # (t, s)
        return allowed

    return mask


def padding_mask(lengths: Int[np.ndarray, "*batch"] | Sequence[int], S: int) -> Bool[np.ndarray, "*batch 1 S"]:
    """Return the mask that hides the padding at the end of sequences of different lengths.

    The mask is the same for all query positions, (..., 1, S), where S counts the padding too. For several heads, use
    lengths of shape (B, 1). A length that is not an integer is a TypeError, and one outside 0 to ``S`` a ValueError.

    Example:
        >>> padding_mask([3, 1], S=4).astype(int)
        array([[[1, 1, 1, 0]],
        <BLANKLINE>
               [[1, 0, 0, 0]]])
    """
    lengths = np.asarray(lengths)  # (...)
    require_integers("lengths", lengths)
    wrong = lengths[(lengths < 0) | (lengths > S)]
    if wrong.size:
        raise ValueError(f"lengths must lie between 0 and S={S}, got {wrong[0]}")
    return np.arange(S) < lengths[..., None, None]  # (..., 1, S)
