"""What attention remembers of the positions so far, so that a new one need not compute them again."""

import torch
from jaxtyping import Float, Int
from torch import Tensor


class KeyValueCache:
    """The keys and values of all positions so far; attention returns a longer one and changes none.

    Behind them there is room for more. The longest cache writes new positions there, and shares the rest with
    the one it came from; a cache that was left behind is copied before it grows another way.

    Args:
        k: Keys, (..., n_kv_heads, S, d_k), as they meet the queries: already rotated, if there is a rotary part.
            Attention counts a single sequence as a batch of one.
        v: Values, (..., n_kv_heads, S, d_k).

    Example:
        >>> short = KeyValueCache(torch.zeros(1, 3, 2), torch.zeros(1, 3, 2))
        >>> long = short.append(torch.ones(1, 1, 2), torch.ones(1, 1, 2))
        >>> len(short), len(long), long.k[0, -1]
        (3, 4, tensor([1., 1.]))
    """

    __slots__ = ("_room", "k", "v")

    def __init__(
        self,
        k: Float[Tensor, "*batch n_kv_heads S d_k"],
        v: Float[Tensor, "*batch n_kv_heads S d_k"],
        _room: "_Room | None" = None,
    ) -> None:
        self.k, self.v, self._room = k, v, _room

    def __len__(self) -> int:
        """Give the number of positions held."""
        return self.k.shape[-2]

    def append(self, k: Tensor, v: Tensor) -> "KeyValueCache":
        """Give a cache with new positions behind the old ones.

        Raises:
            ValueError: they have other leading axes, heads, widths or numbers than what is held.
        """
        *axes, first, d_k = self.k.shape
        *new_axes, new, new_d_k = k.shape
        if new_axes != axes or new_d_k != d_k or v.shape != k.shape or not self.k.dtype == k.dtype == v.dtype:
            held = f"keys {tuple(self.k.shape)} of {self.k.dtype}"
            given = f"keys {tuple(k.shape)} of {k.dtype} and values {tuple(v.shape)} of {v.dtype}"
            raise ValueError(f"the cache holds {held}, which {given} cannot extend")
        if torch.is_grad_enabled():  # a gradient needs every cache as it was
            return KeyValueCache(torch.cat([self.k, k], dim=-2), torch.cat([self.v, v], dim=-2))
        room = self._room
        if room is None or not room.takes(first, new):
            shape = (*axes, 2 * (first + new), d_k)
            room = _Room(self.k.new_empty(shape), self.v.new_empty(shape))
            room.k[..., :first, :], room.v[..., :first, :] = self.k, self.v
        room.k.narrow(-2, first, new).copy_(k)
        room.v.narrow(-2, first, new).copy_(v)
        return room.cache(first + new)

    def take(self, rows: Int[Tensor, " n"]) -> "KeyValueCache":
        """Give a cache of the sequences ``rows``, which the first axis counts, with the room behind them."""
        room = self._room or _Room(self.k, self.v)
        return _Room(room.k.index_select(0, rows), room.v.index_select(0, rows)).cache(len(self))


class _Room:
    """Memory for a cache and its continuations; ``used`` is the length of the longest."""

    __slots__ = ("k", "used", "v")

    def __init__(self, k: Tensor, v: Tensor) -> None:
        self.k, self.v, self.used = k, v, 0

    def takes(self, first: int, new: int) -> bool:
        """Whether new positions may be written behind the first ones."""
        writable = torch.is_inference_mode_enabled() or not self.k.is_inference()
        return self.used == first and self.k.shape[-2] >= first + new and writable

    def cache(self, used: int) -> KeyValueCache:
        """Give the longest cache in here."""
        self.used = used
        return KeyValueCache(self.k.narrow(-2, 0, used), self.v.narrow(-2, 0, used), self)
