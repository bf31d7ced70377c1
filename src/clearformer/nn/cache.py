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
        >>> long = short.append(torch.ones(2, 1, 2))
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

    def append(self, kv: Tensor) -> "KeyValueCache":
        """Give a cache with new positions behind the old ones.

        Args:
            kv: The heads of their keys, then those of their values, (..., 2 n_kv_heads, new, d_k): so both are
                written at once.

        Raises:
            ValueError: they have other leading axes, heads or widths than what is held, or another dtype.
        """
        *axes, heads, first, d_k = self.k.shape
        *new_axes, new_heads, new, new_d_k = kv.shape
        if new_axes != axes or new_heads != 2 * heads or new_d_k != d_k or kv.dtype != self.k.dtype:
            held, given = f"{tuple(self.k.shape)} of {self.k.dtype}", f"{tuple(kv.shape)} of {kv.dtype}"
            raise ValueError(f"the cache holds keys {held}, which keys beside values {given} cannot extend")
        if torch.is_grad_enabled():  # a gradient needs every cache as it was
            k, v = kv.chunk(2, dim=-3)
            return KeyValueCache(torch.cat([self.k, k], dim=-2), torch.cat([self.v, v], dim=-2))
        room = self._room
        if room is None or not room.takes(first, new):
            room = _Room(kv.new_empty(*axes, new_heads, 2 * (first + new), d_k))
            torch.cat([self.k, self.v], dim=-3, out=room.kv.narrow(-2, 0, first))
        room.kv.narrow(-2, first, new).copy_(kv)
        return room.cache(first + new)

    def take(self, rows: Int[Tensor, " n"]) -> "KeyValueCache":
        """Give a cache of the sequences ``rows``, which the first axis counts, with the room behind them."""
        kv = self._room.kv if self._room else torch.cat([self.k, self.v], dim=-3)
        return _Room(kv.index_select(0, rows)).cache(len(self))


class _Room:
    """Memory for a cache and its continuations: keys beside values, (..., 2 n_kv_heads, room, d_k).

    The longest cache in here has ``used`` positions.
    """

    __slots__ = ("kv", "used")

    def __init__(self, kv: Tensor) -> None:
        self.kv, self.used = kv, 0

    def takes(self, first: int, new: int) -> bool:
        """Whether new positions may be written behind the first ones."""
        writable = torch.is_inference_mode_enabled() or not self.kv.is_inference()
        return self.used == first and self.kv.shape[-2] >= first + new and writable

    def cache(self, used: int) -> KeyValueCache:
        """Give the longest cache in here."""
        self.used = used
        k, v = self.kv.narrow(-2, 0, used).chunk(2, dim=-3)
        return KeyValueCache(k, v, self)
