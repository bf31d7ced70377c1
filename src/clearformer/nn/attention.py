"""Multi-head attention: self or cross, causal or not, with shared heads, rotary positions and a key-value cache."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from clearformer.nn._base import Part, linear, matrix


@dataclass
class KeyValueCache:
    """The keys and values of all positions so far, (..., n_kv_heads, S, d_k) each; none at first."""

    k: Tensor = None  # type: ignore[assignment]
    v: Tensor = None  # type: ignore[assignment]

    def __len__(self) -> int:
        """Return the number of positions S."""
        return 0 if self.k is None else self.k.shape[-2]

    def append(self, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor]:
        """Append the keys and values of new positions, and return those of all positions."""
        self.k = k if self.k is None else torch.cat([self.k, k], dim=-2)
        self.v = v if self.v is None else torch.cat([self.v, v], dim=-2)
        return self.k, self.v

    def reorder(self, rows: Int[Tensor, " n"]) -> "KeyValueCache":
        """Return a cache of the sequences ``rows`` of the first axis, as beam search needs it."""
        return KeyValueCache(self.k[rows], self.v[rows])


class MultiHeadAttention(Part):
    r"""Attend in several heads at once, and project their outputs side by side.

    .. math::

        \operatorname{MultiHead}(X, X') = \operatorname{Concat}(Y_1, \dots, Y_h)\,W_O, \qquad
        Y_i = \operatorname{Attention}(X W_Q^{(i)}, X' W_K^{(i)}, X' W_V^{(i)})

    Weights are (in, out), the transpose of ``nn.Linear``'s. A query that may attend to nothing gives ``b_o``, or 0.

    Args:
        d_model: Width of the token vectors.
        n_heads: Heads of the queries.
        n_kv_heads: Heads of the keys and values, each shared by ``n_heads / n_kv_heads`` query heads in a row.
        d_k: Width of a head; ``d_model / n_heads`` when left out.
        rotary: Rotates queries and keys, called with them and the position of the first; see ``RotaryEncoding``.
        bias: Whether the projections add a bias, as in GPT-2 and BERT.

    Raises:
        ValueError: a size is not positive, ``n_heads`` does not divide ``d_model``, or ``n_kv_heads`` not ``n_heads``.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023) for shared heads.

    Example:
        >>> MultiHeadAttention(8, 4, n_kv_heads=2)(torch.zeros(3, 8), is_causal=True).shape
        torch.Size([3, 8])
    """

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        *,
        d_k: int | None = None,
        rotary: Callable[[Tensor, int], Tensor] | None = None,
        bias: bool = False,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        if min(d_model, n_heads, n_kv_heads, d_k or 1) < 1 or n_heads % n_kv_heads or (not d_k and d_model % n_heads):
            raise ValueError(f"{n_heads=} must divide {d_model=}, {n_kv_heads=} must divide n_heads, and {d_k=} be > 0")
        d_k = d_k or d_model // n_heads
        super().__init__(d_model=d_model, n_heads=n_heads, n_kv_heads=n_kv_heads, d_k=d_k)
        self.n_heads, self.n_kv_heads, self.d_k, self.rotary = n_heads, n_kv_heads, d_k, rotary
        self.scores_hook: Callable[..., None] | None = None  # called with q, k and attn_mask; see attention_maps
        d_q, d_kv = n_heads * d_k, n_kv_heads * d_k
        self.w_qkv = matrix(d_model, [d_q, d_kv, d_kv], generator, dtype)  # (d_model, d_q + 2 d_kv)
        self.w_o = matrix(d_q, [d_model], generator, dtype)
        self.b_qkv = nn.Parameter(self.w_o.new_zeros(d_q + 2 * d_kv)) if bias else None
        self.b_o = nn.Parameter(self.w_o.new_zeros(d_model)) if bias else None

    def forward(
        self,
        x: Float[Tensor, "*batch T d_model"],
        memory: KeyValueCache | None = None,
        *,
        cache: KeyValueCache | None = None,
        is_causal: bool = False,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Attend from ``x``, (..., T, d_model), to itself and what is in ``cache``, or to a memory.

        Args:
            x: Token vectors.
            memory: The ``keys_values`` of other token vectors; ``x`` attends to itself when left out.
            cache: Keys and values of the positions before ``x``, to which those of ``x`` are appended.
            is_causal: Whether the queries, the last T of S positions, see no later position.
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, S).
            position_bias: Added to the scores; broadcasts to (..., n_heads, T, S).
        """
        if mask is not None and mask.dtype != torch.bool:
            raise TypeError(f"mask must be boolean, True where a query may attend, got {mask.dtype}")
        offset = 0 if cache is None else len(cache)
        if memory is None:
            q, k, v = torch.split(self._heads(x), [self.n_heads, self.n_kv_heads, self.n_kv_heads], dim=-3)
            q, k = self._rotated(q, offset), self._rotated(k, offset)
            k, v = (k, v) if cache is None else cache.append(k, v)
        else:
            q = self._rotated(self._heads(x, slice(self.n_heads * self.d_k)), offset)
            k, v = memory.k, memory.v
        T, S = q.shape[-2], k.shape[-2]
        if is_causal and T > 1:
            causal = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
            mask = causal if mask is None else mask & causal
        attn_mask = mask
        if position_bias is not None:
            position_bias = position_bias.to(q.dtype)
            attn_mask = position_bias if mask is None else torch.where(mask, position_bias, -math.inf)
        output = scaled_dot_product_attention(q, k, v, attn_mask, enable_gqa=self.n_kv_heads < self.n_heads)
        if self.scores_hook is not None:
            self.scores_hook(q, k, attn_mask)
        return linear(output.transpose(-2, -3).flatten(-2), self.w_o, self.b_o)  # (..., T, d_model)

    def keys_values(self, x: Float[Tensor, "*batch S d_model"]) -> KeyValueCache:
        """Return the keys and values of a memory, to attend to them many times."""
        k, v = self._heads(x, slice(self.n_heads * self.d_k, None)).chunk(2, dim=-3)
        return KeyValueCache(self._rotated(k, 0), v)

    def _heads(self, x: Tensor, columns: slice = slice(None)) -> Tensor:
        """Project with some columns of [W_Q, W_K, W_V], (..., heads, T, d_k)."""
        b = None if self.b_qkv is None else self.b_qkv[columns]
        return linear(x, self.w_qkv[:, columns], b).reshape(*x.shape[:-1], -1, self.d_k).transpose(-2, -3)

    def _rotated(self, x: Tensor, offset: int) -> Tensor:
        return x if self.rotary is None else self.rotary(x, offset)
