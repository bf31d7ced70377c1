"""Padded sequences without their padding: what works on each token by itself need not work on what is none."""

import torch
from jaxtyping import Bool, Float
from torch import Tensor


class Packing:
    """Where the tokens of padded sequences stand: packed, they are rows of one table, (N, d), without padding.

    Products, norms and feed-forward layers work on rows, wherever these stand. Only attention has to know which
    tokens belong together, so it unpacks queries, keys and values, and packs what was found.

    Args:
        mask: True where a token is one, and False where it is padding, (..., T).

    Raises:
        TypeError: the mask is not boolean.

    Example:
        >>> packing = Packing(torch.tensor([[True, True, False], [True, False, False]]))
        >>> rows = packing.pack(torch.tensor([[[1.0], [2.0], [9.0]], [[3.0], [9.0], [9.0]]]))
        >>> rows.T, packing.unpack(rows)[..., 0]
        (tensor([[1., 2., 3.]]), tensor([[1., 2., 0.],
                [3., 0., 0.]]))
    """

    def __init__(self, mask: Bool[Tensor, "*batch T"]) -> None:
        if mask.dtype != torch.bool:
            raise TypeError(f"mask must be boolean, True where a token is one; got dtype {mask.dtype}")
        self._shape, self._places = mask.shape, mask.flatten().nonzero()[:, 0]  # (N,)

    @classmethod
    def of(cls, mask: Bool[Tensor, "*batch T"] | None) -> "Packing | None":
        """Give the packing of a mask, or None where there is no padding to leave out."""
        packing = None if mask is None else cls(mask)
        return None if packing is None or len(packing._places) == packing._shape.numel() else packing

    @property
    def axes(self) -> torch.Size:
        """Give the axes that count the sequences."""
        return self._shape[:-1]

    def pack(self, x: Float[Tensor, "*batch T d"]) -> Float[Tensor, "N d"]:
        """Take the rows of tokens, (N, d), out of (..., T, d)."""
        return x.reshape(-1, x.shape[-1]).index_select(0, self._places)

    def unpack(self, rows: Float[Tensor, "N d"]) -> Float[Tensor, "*batch T d"]:
        """Put rows back to their places, (..., T, d), with 0 at padding."""
        whole = rows.new_zeros(self._shape.numel(), rows.shape[-1])
        return whole.index_copy(0, self._places, rows).view(*self._shape, -1)
