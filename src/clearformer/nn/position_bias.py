"""Position biases: what attention adds to its scores for the distance of query and key."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.nn._base import Part, normal


class RelativeBias(Part):
    r"""Learn one number for each head and each bucket of distances; distant keys share a bucket.

    .. math::

        b_{hts} = R_{\operatorname{bucket}(s - t),\,h}

    Half of the buckets of a direction hold one distance each; the others grow with the logarithm of the distance up
    to ``max_distance``, and the last one holds all beyond. With ``bidirectional`` half of all buckets are for keys
    behind the query; without, those share bucket 0. Too few buckets, an odd number for two directions, and a
    ``max_distance`` that has its own bucket are a ValueError.

    Args:
        n_heads: Heads of the queries.
        n_buckets: Number of buckets.
        max_distance: The distance from which on all share the last bucket.
        bidirectional: Whether keys after the query are distinguished, as an encoder needs and a decoder does not.

    Source: Raffel et al. (2020), section 2.1.

    Example:
        >>> bias = RelativeBias(3, 8, 20, bidirectional=True)
        >>> bias(2, 5).shape
        torch.Size([3, 2, 5])
    """

    def __init__(
        self,
        n_heads: int,
        n_buckets: int,
        max_distance: int,
        *,
        bidirectional: bool,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        exact = n_buckets // (4 if bidirectional else 2)
        if n_heads < 1 or exact < 1 or max_distance <= exact:
            sizes = f"n_heads={n_heads}, n_buckets={n_buckets}, max_distance={max_distance}"
            raise ValueError(f"{sizes}: {exact} distances have a bucket each, at least 1 and below max_distance")
        if bidirectional and n_buckets % 2:
            raise ValueError(f"n_buckets={n_buckets} must be even: half of them are for each direction")
        super().__init__(n_heads=n_heads, n_buckets=n_buckets, max_distance=max_distance)
        self.n_buckets, self.max_distance, self.bidirectional = n_buckets, max_distance, bidirectional
        self.table = normal((n_buckets, n_heads), 1 / math.sqrt(n_heads), generator, dtype)

    def forward(self, T: int, S: int) -> Float[Tensor, "n_heads T S"]:
        """Return the bias of the last ``T`` of ``S`` positions toward all of them."""
        return self.table[self.buckets(T, S)].permute(2, 0, 1)  # (n_heads, T, S)

    def buckets(self, T: int, S: int) -> Int[Tensor, "T S"]:
        """Return the bucket of each pair of a query, one of the last ``T`` of ``S`` positions, and a key."""
        ahead = _distances(T, S, self.table.device)  # (T, S)
        n = self.n_buckets // 2 if self.bidirectional else self.n_buckets
        first = n * (ahead > 0) if self.bidirectional else 0
        distance = ahead.abs() if self.bidirectional else -ahead.clamp(max=0)  # (T, S)
        exact = n // 2
        # In float32, as published weights were trained with: at a border rounding decides the bucket.
        growth = torch.log(distance.float() / exact) / math.log(self.max_distance / exact)
        far = (exact + (growth * (n - exact)).long()).clamp(max=n - 1)
        return first + torch.where(distance < exact, distance, far)


class AlibiBias(Part):
    r"""Subtract from each score a multiple of the distance, with a fixed slope for each head; nothing is learned.

    .. math::

        b_{hts} = -m_h\,|t - s|, \qquad m_h = 2^{-8h/H}, \quad h = 1, \dots, H

    For a number of heads H that is no power of two the slopes are those of the next lower power, and then every
    other one of the next higher.

    Args:
        n_heads: Number of heads.

    Source: Press et al. (2022), section 3.

    Example:
        >>> AlibiBias(2)(1, 3)[0].tolist()
        [[-0.125, -0.0625, -0.0]]
    """

    slopes: Tensor

    def __init__(self, n_heads: int) -> None:
        super().__init__(n_heads=n_heads)
        lower = 1 << (n_heads.bit_length() - 1)  # the highest power of two that is not above
        between = _slopes(2 * lower)[::2][: n_heads - lower]
        self.register_buffer("slopes", torch.cat([_slopes(lower), between]).float(), persistent=False)

    def forward(self, T: int, S: int) -> Float[Tensor, "n_heads T S"]:
        """Return the bias of the last ``T`` of ``S`` positions toward all of them."""
        return -self.slopes[:, None, None] * _distances(T, S, self.slopes.device).abs()  # (n_heads, T, S)


def _slopes(n: int) -> Float[Tensor, " n"]:
    return 2.0 ** (-8 * torch.arange(1, n + 1, dtype=torch.float64) / n)


def _distances(T: int, S: int, device: torch.device) -> Int[Tensor, "T S"]:
    """The position of each key minus that of each query."""
    if not 0 < T <= S:
        raise ValueError(f"T={T} query positions must be the last of S={S} key positions: need 0 < T <= S")
    return torch.arange(S, device=device) - torch.arange(S - T, S, device=device)[:, None]
