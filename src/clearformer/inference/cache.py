"""A key-value cache with room behind its last position, so that most steps copy nothing but their own."""

from jaxtyping import Int
from torch import Tensor

from clearformer.nn import KeyValueCache


class RoomyCache(KeyValueCache):
    """A ``KeyValueCache`` whose tensors are the beginning of a larger one, (2, ..., n_kv_heads, room, d_k).

    Example:
        >>> import torch
        >>> cache = RoomyCache()
        >>> _ = cache.append(torch.ones(2, 3, 4), torch.zeros(2, 3, 4))
        >>> k, v = cache.append(torch.ones(2, 1, 4), torch.zeros(2, 1, 4))
        >>> k.shape, len(cache)
        (torch.Size([2, 4, 4]), 4)
    """

    def __init__(self, room: Tensor | None = None, length: int = 0) -> None:
        super().__init__()
        self._room, self._length = room, 0
        if room is not None:
            self._grow(room, length)

    def __len__(self) -> int:
        """Return the number of positions S."""
        return self._length

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Append the keys and values of new positions, and return those of all positions."""
        start, length = self._length, self._length + k.shape[-2]
        room = self._room
        if room is None or length > room.shape[-2]:
            room = k.new_empty(2, *k.shape[:-2], 2 * length, k.shape[-1])
            if start:
                room[0, ..., :start, :], room[1, ..., :start, :] = self.k, self.v
        new = room.narrow(-2, start, length - start)
        new[0].copy_(k)
        new[1].copy_(v)
        self._grow(room, length)
        return self.k, self.v

    def reorder(self, rows: Int[Tensor, " n"]) -> "RoomyCache":
        """Return a cache of the sequences ``rows`` of the first axis."""
        return self if self._room is None else RoomyCache(self._room.index_select(1, rows), self._length)

    def _grow(self, room: Tensor, length: int) -> None:
        self._room, self._length = room, length
        self.k, self.v = room.narrow(-2, 0, length).unbind()
