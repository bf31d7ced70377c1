"""The tiles of a score matrix that a mask does not hide, for the passes of streaming attention."""

from collections.abc import Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from clearformer.functional._checks import require_mask
from clearformer.functional.masks import BlockMask


class Tile(NamedTuple):
    """A slice of keys for a block of queries, and where they are hidden from these, (s, t); None if nowhere."""

    keys: slice
    hidden: np.ndarray | None


def blocks(
    q: np.ndarray, k: np.ndarray, mask: np.ndarray | BlockMask | None, chunk: int
) -> Iterator[tuple[tuple[int, ...], slice, list[Tile]]]:
    """Yield, for each block of queries and each head, the index of the head, the block, and its visible tiles."""
    (*batch, T), S = q.shape[:-1], k.shape[-2]
    ask = _as_function(mask, (*batch, T, S))
    parts = [np.arange(start, min(start + chunk, S)) for start in range(0, S, chunk)]
    for start in range(0, T, chunk):
        queries = np.arange(start, min(start + chunk, T))
        answers = [np.atleast_2d(ask(queries, part)) for part in parts]
        # Heads that share a mask share their tiles, which are broadcast over the heads only at the end.
        shared = np.empty(np.broadcast_shapes(*{allowed.shape[:-2] for allowed in answers}), dtype=object)
        for index in np.ndindex(shared.shape):
            of_head = (np.broadcast_to(a, shared.shape + a.shape[-2:])[index] if index else a for a in answers)
            tiles = (_tile(allowed, part, len(queries)) for allowed, part in zip(of_head, parts, strict=True))
            shared[index] = [tile for tile in tiles if tile is not None]
        for head, seen in zip(np.ndindex(*batch), np.broadcast_to(shared, batch).flat, strict=True):
            yield head, slice(start, start + len(queries)), seen


def _as_function(mask: np.ndarray | BlockMask | None, shape: tuple[int, ...]) -> BlockMask:
    """Turn any mask into a function of query and key positions whose results are checked."""
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
    """Return one tile of one head; None if it is hidden completely."""
    if not allowed.any():
        return None
    part = slice(keys[0], keys[-1] + 1)
    if allowed.all():
        return Tile(part, None)
    of_keys = np.broadcast_to(allowed, (t, len(keys))).T  # (s, t)
    return Tile(part, np.logical_not(of_keys, order="C"))
