"""Which blocks of a score matrix a mask lets through: shared by the forward and the backward pass of streaming."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from clearformer.functional._checks import require_mask
from clearformer.functional.masks import BlockMask


class Tile(NamedTuple):
    """Keys that meet a block of queries, and where they are hidden from some of these: (s, t), None if nowhere."""

    keys: slice
    hidden: np.ndarray | None


def blocks(
    q: np.ndarray, k: np.ndarray, mask: np.ndarray | BlockMask | None, chunk: int
) -> Iterator[tuple[tuple[int, ...], slice, list[Tile]]]:
    """Go through the queries by ``chunk``, and through the heads for each, with the tiles of keys that they see.

    Args:
        q: Queries, (..., T, d_k).
        k: Keys, (..., S, d_k).
        mask: An array that broadcasts to (..., T, S), a function that is asked block by block, or None.
        chunk: Number of queries, and of keys, in a block.

    Yields:
        The index of a head, its block of queries, and the tiles that are not hidden as a whole.

    Raises:
        TypeError: the mask, or what it answers, is not a boolean array.
        ValueError: it does not fit the scores.
    """
    (*batch, T), S = q.shape[:-1], k.shape[-2]
    ask = _as_function(mask, (*batch, T, S))
    parts = [np.arange(start, min(start + chunk, S)) for start in range(0, S, chunk)]
    for start in range(0, T, chunk):
        queries = np.arange(start, min(start + chunk, T))
        answers = [np.atleast_2d(ask(queries, part)) for part in parts]
        # Heads that share a mask share their tiles: these are spread over the heads only at the end.
        shared = np.empty(np.broadcast_shapes(*{allowed.shape[:-2] for allowed in answers}), dtype=object)
        for index in np.ndindex(shared.shape):
            of_head = (np.broadcast_to(a, shared.shape + a.shape[-2:])[index] if index else a for a in answers)
            tiles = (_tile(allowed, part, len(queries)) for allowed, part in zip(of_head, parts, strict=True))
            shared[index] = [tile for tile in tiles if tile is not None]
        for head, seen in zip(np.ndindex(*batch), np.broadcast_to(shared, batch).flat, strict=True):
            yield head, slice(start, start + len(queries)), seen


def _as_function(mask: np.ndarray | BlockMask | None, shape: tuple[int, ...]) -> BlockMask:
    """Make any mask one that is asked tile by tile, and check it, or each of its answers."""
    if mask is None:
        return lambda queries, keys: np.array([[True]])
    if callable(mask):
        return partial(_checked, mask, shape[:-2])
    require_mask(mask, shape)
    array = np.atleast_2d(mask)

    def ask(queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
        rows = slice(queries[0], queries[-1] + 1) if array.shape[-2] > 1 else slice(None)
        columns = slice(keys[0], keys[-1] + 1) if array.shape[-1] > 1 else slice(None)
        return array[..., rows, columns]

    return ask


def _checked(mask: BlockMask, batch: tuple[int, ...], queries: np.ndarray, keys: np.ndarray) -> np.ndarray:
    allowed = mask(queries, keys)
    shape = len(queries), len(keys)
    if not isinstance(allowed, np.ndarray) or allowed.dtype != np.bool_ or allowed.shape not in ((1, 1), shape):
        require_mask(allowed, (*batch, *shape))
    return allowed


def _tile(allowed: np.ndarray, keys: np.ndarray, t: int) -> Tile | None:
    """Describe one tile of one head; None where nothing is seen."""
    if not allowed.any():
        return None
    part = slice(keys[0], keys[-1] + 1)
    if allowed.all():
        return Tile(part, None)
    of_keys = np.broadcast_to(allowed, (t, len(keys))).T  # (s, t)
    return Tile(part, np.logical_not(of_keys, order="C"))
