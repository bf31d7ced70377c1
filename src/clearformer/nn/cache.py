"""What attention remembers of the positions so far, so that a new one need not compute them again."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class KeyValueCache:
    """The keys and values of all positions so far; attention returns a longer one and changes none.

    The keys are as they meet the queries: already rotated, if there is a rotary part.
    """

    k: Float[Tensor, "*batch n_kv_heads S d_k"]
    v: Float[Tensor, "*batch n_kv_heads S d_k"]

    def __len__(self) -> int:
        """Give the number of positions held."""
        return self.k.shape[-2]

    def append(self, k: Tensor, v: Tensor) -> "KeyValueCache":
        """Give a cache with new positions behind the old ones.

        Raises:
            ValueError: they have other leading axes, heads or widths than what is held.
        """
        if k.shape[:-2] != self.k.shape[:-2] or k.shape[-1] != self.k.shape[-1]:
            held, new = tuple(self.k.shape), tuple(k.shape)
            raise ValueError(f"the cache holds keys {held}, which the new keys {new} cannot extend")
        return KeyValueCache(torch.cat([self.k, k], dim=-2), torch.cat([self.v, v], dim=-2))
