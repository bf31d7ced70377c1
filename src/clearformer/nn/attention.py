"""Multi-head attention as a module: self or cross, causal or not, with shared key-value heads and a cache."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from clearformer.nn import _kernel, _linear
from clearformer.nn.cache import KeyValueCache
from clearformer.nn.packing import Packing

# Queries or keys (..., n_heads, T, d_k) and the position of the first in; the same shape out. RotaryEncoding is one.
Rotary = Callable[[Tensor, int], Tensor]


class MultiHeadAttention(nn.Module):
    r"""Attend in several heads at once, and project what they found side by side.

    .. math::

        \operatorname{MultiHead}(X, X') = \operatorname{Concat}(Y_1, \dots, Y_h)\,W_O, \qquad
        Y_i = \operatorname{Attention}(X W_Q^{(i)}, X' W_K^{(i)}, X' W_V^{(i)})

    Weights are (in, out), as in ``functional.multi_head_attention``: transpose them for ``nn.Linear``.
    A query that may attend to nothing gives 0, and finite gradients.

    Each of the ``watchers`` is shown the weights of each head, (..., n_heads, T, S), whenever the module attends;
    see ``attention_maps``. It then takes the long way, as fused kernels never show them.

    Args:
        d_model: Width of the token vectors.
        n_heads: Heads of the queries.
        n_kv_heads: Heads of the keys and values, each shared by ``n_heads / n_kv_heads`` neighbouring query
            heads; ``n_heads`` when left out.
        d_k: Width of a query, a key and a value in one head; ``d_model / n_heads`` when left out.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.
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
        d_k: int | None = None,
        generator: torch.Generator | None,
        rotary: Rotary | None = None,
        bias: bool = False,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        n_kv_heads = n_heads if n_kv_heads is None else n_kv_heads
        self.d_model, self.n_heads, self.n_kv_heads = d_model, n_heads, n_kv_heads
        self.d_k = _width_of_a_head(d_model, n_heads, n_kv_heads, d_k)
        self.rotary = rotary
        self.watchers: list[Callable[[Tensor], None]] = []

        d_q, d_kv = n_heads * self.d_k, n_kv_heads * self.d_k
        # Side by side, because self-attention then takes one product in the place of three.
        self.w_qkv = _linear.matrices(d_model, (d_q, d_kv, d_kv), generator, dtype)  # (d_model, d_q + 2 d_kv)
        self.w_o = _linear.matrix(d_q, d_model, generator, dtype)
        for name, width in (("b_qkv", d_q + 2 * d_kv), ("b_o", d_model)):
            self.register_parameter(name, _linear.zeros(width, generator, dtype) if bias else None)

    @property
    def w_q(self) -> Tensor:
        """Give the query weights, (d_model, n_heads * d_k), the first columns of ``w_qkv``."""
        return self.w_qkv[:, : self.n_heads * self.d_k]

    @property
    def w_k(self) -> Tensor:
        """Give the key weights, (d_model, n_kv_heads * d_k), the columns after those."""
        return self.w_qkv[:, self.n_heads * self.d_k : -self.n_kv_heads * self.d_k]

    @property
    def w_v(self) -> Tensor:
        """Give the value weights, (d_model, n_kv_heads * d_k), the last columns."""
        return self.w_qkv[:, -self.n_kv_heads * self.d_k :]

    def forward(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        x_kv: Float[Tensor, "*batch S d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
        packing: Packing | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Attend from ``x_q`` to ``x_kv``.

        Args:
            x_q: Tokens that ask, (..., T, d_model).
            x_kv: Tokens that are asked, (..., S, d_model); ``x_q`` itself when left out.
            mask: True where a query may attend to a key; broadcasts to (..., n_heads, T, S).
            position_bias: What is added to the scores; broadcasts to (..., n_heads, T, S).
            packing: Where the tokens that ask stand, if they are rows without padding, (N, d_model); so is the output.

        Raises:
            TypeError: the mask is not boolean, or the bias does not hold floats.
            ValueError: the shapes do not fit together.
        """
        if x_kv is not None:
            held = self.keys_values(x_kv)
            return self.attend(x_q, held, mask=mask, position_bias=position_bias, packing=packing)
        q, held = self._project(x_q, None, packing)
        return self._attend(x_q, q, held, mask, position_bias, packing)

    def with_weights(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        x_kv: Float[Tensor, "*batch S d_model"] | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], Float[Tensor, "*batch n_heads T S"]]:
        """Attend as ``forward`` does, and give the weights of each head as well, (..., n_heads, T, S)."""
        seen = list[Tensor]()
        self.watchers.append(seen.append)
        try:
            return self.forward(x_q, x_kv, mask=mask, position_bias=position_bias), seen[0]
        finally:
            self.watchers.pop()

    def extend(
        self,
        x: Float[Tensor, "*batch T d_model"],
        cache: KeyValueCache | None = None,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
        packing: Packing | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], KeyValueCache]:
        """Let new positions attend causally to all before them, and to themselves.

        Args:
            x: The new tokens, (..., T, d_model).
            cache: What came before; nothing when left out.
            mask: Hides keys beyond what causality does, such as padding; broadcasts to (..., n_heads, T, S)
                with S counting the cache as well.
            position_bias: What is added to the scores; broadcasts likewise.
            packing: Where the new tokens stand, if they are rows without padding, (N, d_model); so is the output.

        Returns:
            The output at the new positions, and the cache to hand in with the next ones.

        Raises:
            TypeError: the mask is not boolean, or the bias does not hold floats.
            ValueError: the shapes do not fit together, or do not fit the cache.
        """
        q, held = self._project(x, cache, packing)
        return self._attend(x, q, held, mask, position_bias, packing, is_causal=True), held

    def keys_values(
        self, x_kv: Float[Tensor, "*batch S d_model"], *, first: int = 0, packing: Packing | None = None
    ) -> KeyValueCache:
        """Compute keys and values once, to ``attend`` to them many times, as a decoder does to its source.

        Args:
            x_kv: Tokens that are asked, (..., S, d_model).
            first: Position of the first one.
            packing: Where they stand, if they are rows without padding, (N, d_model).

        Raises:
            ValueError: the tokens have another width than the module.
        """
        k, v = self._heads("x_kv", x_kv, packing, self.n_heads, self.n_kv_heads, self.n_kv_heads)
        return KeyValueCache(self._turn(k, first), v)  # (..., n_kv_heads, S, d_k) each

    def attend(
        self,
        x_q: Float[Tensor, "*batch T d_model"],
        held: KeyValueCache,
        *,
        mask: Bool[Tensor, "..."] | None = None,
        position_bias: Float[Tensor, "..."] | None = None,
        first: int = 0,
        packing: Packing | None = None,
    ) -> Float[Tensor, "*batch T d_model"]:
        """Attend from ``x_q``, which starts at position ``first``, to keys and values computed before."""
        (q,) = self._heads("x_q", x_q, packing, 0, self.n_heads)
        q = self._turn(q, first)  # (..., n_heads, T, d_k)
        if q.shape[:-3] != held.k.shape[:-3]:
            raise ValueError(f"leading axes must agree: queries {tuple(q.shape)}, keys {tuple(held.k.shape)}")
        return self._attend(x_q, q, held, mask, position_bias, packing)

    def _project(self, x: Tensor, cache: KeyValueCache | None, packing: Packing | None) -> tuple[Tensor, KeyValueCache]:
        """Queries, keys and values of the same tokens, in one product."""
        first = 0 if cache is None else len(cache)
        q, kv = self._heads("x", x, packing, 0, self.n_heads, 2 * self.n_kv_heads)
        if self.rotary is None and cache is not None:
            return q, cache.append(kv)
        k, v = kv.chunk(2, dim=-3)
        q, k = self._turn(q, first), self._turn(k, first)
        return q, KeyValueCache(k, v) if cache is None else cache.append(torch.cat([k, v], dim=-3))

    def _heads(self, name: str, x: Tensor, packing: Packing | None, first_head: int, *groups: int) -> Sequence[Tensor]:
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
        rows = _linear.product(x, w, b, name)  # (..., T, heads * d_k)
        if packing is not None:
            rows = packing.unpack(rows)
        *axes, T, _ = rows.shape
        # Part before swapping the axes: the gradients of the parts then lie side by side, as the product wants them.
        parts = rows.reshape(*(axes or [1]), T, heads, self.d_k).split_with_sizes(groups, dim=-2)
        return [part.transpose(-2, -3) for part in parts]

    def _turn(self, x: Tensor, first: int) -> Tensor:
        return x if self.rotary is None else self.rotary(x, first)

    def _attend(
        self,
        x_q: Tensor,
        q: Tensor,
        held: KeyValueCache,
        mask: Tensor | None,
        bias: Tensor | None,
        packing: Packing | None,
        *,
        is_causal: bool = False,
    ) -> Tensor:
        """Let the queries attend, show the weights to those who watch, and project what was found."""
        if not self.watchers:
            found = _kernel.attend(q, held.k, held.v, mask, bias, is_causal=is_causal)  # (..., n_heads, T, d_k)
        else:
            found, weights = _kernel.attend_in_steps(q, held.k, held.v, mask, bias, is_causal=is_causal)
            axes = x_q.shape[:-2] if packing is None else packing.axes
            for show in self.watchers:
                show(weights.reshape(*axes, *weights.shape[-3:]))
        found = found.transpose(-2, -3)  # (..., T, n_heads, d_k)
        if packing is None:
            rows = found.reshape(*x_q.shape[:-1], self.n_heads * self.d_k)
        else:
            rows = packing.pack(found.flatten(-2))
        return _linear.product(rows, self.w_o, self.b_o)  # (..., T, d_model)


def _width_of_a_head(d_model: int, n_heads: int, n_kv_heads: int, d_k: int | None) -> int:
    if d_model < 1 or n_heads < 1 or n_kv_heads < 1:
        raise ValueError(f"d_model={d_model}, n_heads={n_heads} and n_kv_heads={n_kv_heads} must be at least 1")
    if n_heads % n_kv_heads:
        raise ValueError(f"n_heads={n_heads} must be a multiple of n_kv_heads={n_kv_heads}")
    if d_k is None and d_model % n_heads:
        raise ValueError(f"d_model={d_model} must be a multiple of n_heads={n_heads}")
    if d_k is not None and d_k < 1:
        raise ValueError(f"d_k={d_k} must be at least 1")
    return d_model // n_heads if d_k is None else d_k
