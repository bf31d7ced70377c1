"""Multi-head attention as a module: self or cross, causal or not, with shared key-value heads and a cache."""

from collections.abc import Callable, Sequence

import torch
import torch.nn.functional
from jaxtyping import Bool, Float
from torch import Tensor, nn

from clearformer.nn import _linear, _masks, _steps
from clearformer.nn.cache import KeyValueCache

# Queries or keys (..., n_heads, T, d_k) and their positions (T,) in; the same shape out. RotaryEncoding is one.
Rotary = Callable[[Tensor, Tensor], Tensor]


class MultiHeadAttention(nn.Module):
    r"""Attend in several heads at once, and project what they found side by side.

    .. math::

        \operatorname{MultiHead}(X, X') = \operatorname{Concat}(Y_1, \dots, Y_h)\,W_O, \qquad
        Y_i = \operatorname{Attention}(X W_Q^{(i)}, X' W_K^{(i)}, X' W_V^{(i)})

    Weights are (in, out), as in ``functional.multi_head_attention``: transpose them for ``nn.Linear``.
    A query that may attend to nothing gives 0, and finite gradients.

    Args:
        d_model: Width of the token vectors.
        n_heads: Heads of the queries; the width of each is ``d_model / n_heads``.
        n_kv_heads: Heads of the keys and values, each shared by ``n_heads / n_kv_heads`` neighbouring query
            heads; ``n_heads`` when left out.
        generator: Where the random start comes from.
        rotary: Turns queries and keys by their positions, such as ``RotaryEncoding``; none when left out.
        bias: Whether each of the four products adds a bias, as GPT-2 and BERT do and Llama does not.
        dtype: Of the weights; PyTorch's default when left out.

    Raises:
        ValueError: ``d_model`` is not a multiple of ``n_heads``, or ``n_heads`` not of ``n_kv_heads``.

    Source: Vaswani et al. (2017), section 3.2.2; Ainslie et al. (2023) for shared heads.

    Example:
        >>> attention = MultiHeadAttention(8, 4, n_kv_heads=2, generator=torch.Generator().manual_seed(0))
        >>> output, weights = attention.with_weights(torch.zeros(3, 8))
        >>> output.shape, weights.shape
        (torch.Size([3, 8]), torch.Size([4, 3, 3]))
    """

    b_qkv: Tensor | None
    b_o: Tensor | None

    def __init__(
        self,
        d_model: int,
        n_heads: int,
        n_kv_heads: int | None = None,
        *,
        generator: torch.Generator,
        rotary: Rotary | None = None,
        bias: bool = False,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        if d_model < 1 or n_heads < 1 or n_kv_heads < 1:
            raise ValueError(f"d_model={d_model}, n_heads={n_heads} and n_kv_heads={n_kv_heads} must be at least 1")
        if d_model % n_heads:
            raise ValueError(f"d_model={d_model} must be a multiple of n_heads={n_heads}")
        if n_heads % n_kv_heads:
            raise ValueError(f"n_heads={n_heads} must be a multiple of n_kv_heads={n_kv_heads}")
        self.d_model, self.n_heads, self.n_kv_heads = d_model, n_heads, n_kv_heads
        self.d_k = d_model // n_heads
        self.rotary = rotary

        d_kv = n_kv_heads * self.d_k
        w_q, self.w_o = (_linear.matrix(d_model, d_model, generator, dtype) for _ in range(2))
        w_k, w_v = (_linear.matrix(d_model, d_kv, generator, dtype) for _ in range(2))
        # Side by side, because self-attention then takes one product in the place of three.
        self.w_qkv = nn.Parameter(torch.cat([w_q, w_k, w_v], dim=1).detach())  # (d_model, d_model + 2 d_kv)
        for name, width in (("b_qkv", d_model + 2 * d_kv), ("b_o", d_model)):
            self.register_parameter(name, _linear.zeros(width, generator, dtype) if bias else None)

    @property
    def w_q(self) -> Tensor:
        """Give the query weights, (d_model, n_heads * d_k), the first columns of ``w_qkv``."""
        return self.w_qkv[:, : self.d_model]

    @property
    def w_k(self) -> Tensor:
        """Give the key weights, (d_model, n_kv_heads * d_k), the columns after those."""
        return self.w_qkv[:, self.d_model : self.d_model + self.n_kv_heads * self.d_k]

    @property
    def w_v(self) -> Tensor:
        """Give the value weights, (d_model, n_kv_heads * d_k), the last columns."""
        return self.w_qkv[:, self.d_model + self.n_kv_heads * self.d_k :]

    def forward(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        x_kv: Float[Tensor, "*batch S d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Attend from ``x_q`` to ``x_kv``, with PyTorch's fused kernel, which never shows the weights.

        Args:
            x_q: Tokens that ask, (..., T, d_model).
            x_kv: Tokens that are asked, (..., S, d_model); ``x_q`` itself when left out.
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, S).

        Raises:
            TypeError: the mask is not boolean.
            ValueError: the shapes do not fit together.
        """
        return self._attend(x_q, *self._either(x_q, x_kv), mask)

    def with_weights(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        x_kv: Float[Tensor, "*batch S d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], Float[Tensor, "*batch n_heads T S"]]:
        """Attend as ``forward`` does, and give the weights of each head as well, (..., n_heads, T, S)."""
        q, held = self._either(x_q, x_kv)
        if mask is not None:
            _masks.require(mask, (*q.shape[:-1], len(held)))
        output, weights = self._in_steps(x_q, q, held, mask)
        return output, weights.squeeze(0) if x_q.ndim == 2 else weights

    def extend(
        self,
        x: Float[Tensor, "*batch T d_model"],
        cache: KeyValueCache | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], KeyValueCache]:
        """Let new positions attend causally to all before them, and to themselves.

        Args:
            x: The new tokens, (..., T, d_model).
            cache: What came before; nothing when left out.
            mask: Hides keys beyond what causality does, such as padding; broadcasts to (..., n_heads, T, S)
                with S counting the cache as well.

        Returns:
            The output at the new positions, and the cache to hand in with the next ones.

        Raises:
            TypeError: the mask is not boolean.
            ValueError: the shapes do not fit together, or do not fit the cache.
        """
        q, held = self._self(x, cache)
        if mask is None and (cache is None or x.shape[-2] == 1):
            # Causality alone: the kernel needs no mask for it, and a single query sees all there is.
            return self._attend(x, q, held, is_causal=x.shape[-2] > 1), held
        causal = _masks.causal(x.shape[-2], len(held), x.device)  # (T, S)
        if mask is not None:
            _masks.require(mask, (*x.shape[:-2], self.n_heads, *causal.shape))
            causal = causal & mask
        return self._attend(x, q, held, causal), held

    def keys_values(self, x_kv: Float[Tensor, "*batch S d_model"], *, first: int = 0) -> KeyValueCache:
        """Compute keys and values once, to ``attend`` to them many times, as a decoder does to its source.

        Args:
            x_kv: Tokens that are asked, (..., S, d_model).
            first: Position of the first one.

        Raises:
            ValueError: the tokens have another width than the module.
        """
        k, v = self._heads("x_kv", x_kv, self.n_heads, self.n_kv_heads, self.n_kv_heads)
        return KeyValueCache(self._turn(k, first), v)  # (..., n_kv_heads, S, d_k) each

    def attend(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        held: KeyValueCache,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        first: int = 0,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Attend from ``x_q``, which starts at position ``first``, to keys and values computed before."""
        return self._attend(x_q, self._queries(x_q, held, first), held, mask)

    def _attend(
        self, x_q: Tensor, q: Tensor, held: KeyValueCache, mask: Tensor | None = None, *, is_causal: bool = False
    ) -> Tensor:
        """Let the queries of the tokens attend."""
        if mask is not None:
            _masks.require(mask, (*q.shape[:-1], len(held)))
            if mask.ndim < 2:  # the kernel wants the two axes of the scores
                mask = mask.reshape(1, -1)
        if torch.is_grad_enabled() and q.dtype.itemsize < 4 and q.device.type == "cpu":
            # There the way back through the fused kernel takes three times as long as through plain products.
            if is_causal:
                mask = _masks.causal(q.shape[-2], len(held), q.device)
            return self._in_steps(x_q, q, held, mask)[0]
        output = torch.nn.functional.scaled_dot_product_attention(
            q, held.k, held.v, attn_mask=mask, is_causal=is_causal, enable_gqa=self.n_kv_heads < self.n_heads
        )  # (..., n_heads, T, d_k)
        return self._merge(output, x_q)

    def _in_steps(self, x_q: Tensor, q: Tensor, held: KeyValueCache, mask: Tensor | None) -> tuple[Tensor, Tensor]:
        output, weights = _steps.attention(q, held.k, held.v, mask)
        return self._merge(output, x_q), weights

    def _either(self, x_q: Tensor, x_kv: Tensor | None) -> tuple[Tensor, KeyValueCache]:
        """Queries, and the keys and values of the same tokens, or of others if there are some."""
        if x_kv is None:
            return self._self(x_q)
        held = self.keys_values(x_kv)
        return self._queries(x_q, held), held

    def _self(self, x: Tensor, cache: KeyValueCache | None = None) -> tuple[Tensor, KeyValueCache]:
        """Queries, keys and values of the same tokens in one product; keys and values go behind those held before."""
        if cache is None:
            q, k, v = self._heads("x_q", x, 0, self.n_heads, self.n_kv_heads, self.n_kv_heads)
            return self._turn(q, 0), KeyValueCache(self._turn(k, 0), v)
        q, kv = self._heads("x_q", x, 0, self.n_heads, 2 * self.n_kv_heads)
        if self.rotary is not None:
            first, (k, v) = len(cache), kv.chunk(2, dim=-3)
            q, kv = self._turn(q, first), torch.cat([self._turn(k, first), v], dim=-3)
        return q, cache.append(kv)

    def _queries(self, x_q: Tensor, held: KeyValueCache, first: int = 0) -> Tensor:
        """Queries of other tokens than those that keys and values belong to."""
        (q,) = self._heads("x_q", x_q, 0, self.n_heads)
        q = self._turn(q, first)  # (..., n_heads, T, d_k)
        if q.shape[:-3] != held.k.shape[:-3]:
            raise ValueError(f"leading axes must agree: queries {tuple(q.shape)}, keys {tuple(held.k.shape)}")
        return q

    def _heads(self, name: str, x: Tensor, first_head: int, *groups: int) -> Sequence[Tensor]:
        """Project to groups of heads, which follow each other in ``w_qkv``; each group is (..., heads, T, d_k).

        A single sequence is a batch of one from here on: the fused kernel asks for that axis.
        """
        if x.ndim < 2:
            raise ValueError(f"{name} must be (..., T, d_model={self.d_model}), got shape {tuple(x.shape)}")
        w: Tensor = self.w_qkv
        b, heads = self.b_qkv, sum(groups)
        if heads < w.shape[1] // self.d_k:
            columns = slice(first_head * self.d_k, (first_head + heads) * self.d_k)
            w, b = w[:, columns], None if b is None else b[columns]
        *axes, T, _ = x.shape
        axes, rows = axes or [1], _linear.product(x, w, b, name)  # (..., T, heads * d_k)
        if T == 1:  # nothing to swap: the views that this spares are a fiftieth of a small model's step
            return rows.reshape(*axes, heads, 1, self.d_k).split_with_sizes(groups, dim=-3)
        # Part before swapping the axes: the gradients of the parts then lie side by side, as the product wants them.
        parts = rows.reshape(*axes, T, heads, self.d_k).split_with_sizes(groups, dim=-2)
        return [part.transpose(-2, -3) for part in parts]

    def _turn(self, x: Tensor, first: int) -> Tensor:
        if self.rotary is None:
            return x
        return self.rotary(x, torch.arange(first, first + x.shape[-2], device=x.device))

    def _merge(self, x: Tensor, x_q: Tensor) -> Tensor:
        """Lay the heads side by side, as wide as the tokens that asked, and project."""
        x = x if x.shape[-2] == 1 else x.transpose(-2, -3)
        return _linear.product(x.reshape(x_q.shape), self.w_o, self.b_o)  # (..., T, d_model)
