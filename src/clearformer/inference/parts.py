"""The parts of ``nn`` and ``models`` as they run in a prepared model: without checks, dropout and hooks."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from clearformer.inference.cache import RoomyCache
from clearformer.inference.products import Product
from clearformer.models import Decoder, LinearHead
from clearformer.nn import (
    Block,
    FeedForward,
    GatedFeedForward,
    KeyValueCache,
    MultiHeadAttention,
    PostNormBlock,
    TiedLMHead,
)


class Fast(ABC):
    """A layer whose matrix products are prepared in advance."""

    @abstractmethod
    def prepare(self, *, int8: bool) -> None:
        """Prepare the products."""


class FastAttention(MultiHeadAttention, Fast):
    """Attention whose three products are prepared, and which rotates queries and keys at once."""

    def prepare(self, *, int8: bool) -> None:
        """Prepare the products."""
        d_q = self.n_heads * self.d_k
        self.to_qkv = Product(self.w_qkv, self.b_qkv, int8=int8)
        self.to_q, self.to_kv = self.to_qkv.part(0, d_q), self.to_qkv.part(d_q, len(self.to_qkv.columns))
        self.to_output = Product(self.w_o, self.b_o, int8=int8)

    def forward(
        self,
        x: Tensor,
        memory: KeyValueCache | None = None,
        *,
        cache: KeyValueCache | None = None,
        is_causal: bool = False,
        mask: Tensor | None = None,
        position_bias: Tensor | None = None,
    ) -> Tensor:
        """Attend as ``MultiHeadAttention`` does."""
        if self.scores_hook is not None:
            return super().forward(x, memory, cache=cache, is_causal=is_causal, mask=mask, position_bias=position_bias)
        T, offset = x.shape[-2], 0 if cache is None else len(cache)
        if memory is not None:
            q, k, v = self._by_head(self.to_q(x)), memory.k, memory.v
            q = q if self.rotary is None else self.rotary(q, offset)
        else:
            q, k, v = self._qkv(x, offset)
            k, v = (k, v) if cache is None else cache.append(k, v)
        S, fused = k.shape[-2], mask
        plain = is_causal and T == S and mask is None and position_bias is None
        if is_causal and T > 1 and not plain:
            causal = torch.ones(T, S, dtype=torch.bool, device=x.device).tril(S - T)
            fused = causal if mask is None else mask & causal
        if position_bias is not None:
            fused = position_bias if fused is None else torch.where(fused, position_bias, -torch.inf)
        y = scaled_dot_product_attention(
            q, k, v, fused, is_causal=plain and T > 1, enable_gqa=self.n_kv_heads < self.n_heads
        )
        return self.to_output(y.transpose(-2, -3).reshape(*x.shape[:-1], -1))

    def keys_values(self, x: Tensor) -> KeyValueCache:
        """Return the keys and values of a memory."""
        k, v = self._by_head(self.to_kv(x)).chunk(2, dim=-3)
        return KeyValueCache(k if self.rotary is None else self.rotary(k, 0), v)

    def _qkv(self, x: Tensor, offset: int) -> tuple[Tensor, ...]:
        heads, sizes = self._by_head(self.to_qkv(x)), [self.n_heads, self.n_kv_heads, self.n_kv_heads]
        if self.rotary is None:
            return torch.split(heads, sizes, dim=-3)
        rotated = self.rotary(heads.narrow(-3, 0, sizes[0] + sizes[1]), offset)
        q, k = torch.split(rotated, sizes[:2], dim=-3)
        return q, k, heads.narrow(-3, sizes[0] + sizes[1], sizes[2])

    def _by_head(self, rows: Tensor) -> Tensor:
        return rows.view(*rows.shape[:-1], -1, self.d_k).transpose(-2, -3)  # (..., heads, T, d_k)


class FastFeedForward(FeedForward, Fast):
    """A feed-forward layer whose products are prepared."""

    def prepare(self, *, int8: bool) -> None:
        """Prepare the products."""
        self.widen, self.narrow = Product(self.w_in, self.b_in, int8=int8), Product(self.w_out, self.b_out, int8=int8)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each row by itself."""
        return self.narrow(self.activation(self.widen(x)))


class FastGatedFeedForward(GatedFeedForward, Fast):
    """A gated feed-forward layer whose products are prepared."""

    def prepare(self, *, int8: bool) -> None:
        """Prepare the products."""
        self.gate, self.up = Product(self.w_gate, self.b_gate, int8=int8), Product(self.w_up, self.b_up, int8=int8)
        self.down = Product(self.w_down, self.b_down, int8=int8)

    def forward(self, x: Tensor) -> Tensor:
        """Transform each row by itself."""
        return self.down(self.activation(self.gate(x)) * self.up(x))


class FastLinearHead(LinearHead, Fast):
    """A linear head whose product is prepared."""

    def prepare(self, *, int8: bool) -> None:
        """Prepare the product."""
        self.product = Product(self.w, self.b, int8=int8)

    def forward(self, x: Tensor) -> Tensor:
        """Return the scores."""
        return self.product(x)


class FastTiedLMHead(TiedLMHead, Fast):
    """A tied head whose product is prepared; in int8 it has a matrix of its own."""

    def prepare(self, *, int8: bool) -> None:
        """Prepare the product."""
        self.product = Product(self.table.T, None, int8=int8)

    def forward(self, x: Tensor) -> Tensor:
        """Return the logits of every token."""
        return self.product(x if self.scale == 1 else x * self.scale)


class FastBlock(Block):
    """A pre-norm block without dropout."""

    def residual(self, x: Tensor, norm: nn.Module, layer: Callable[[Tensor], Tensor]) -> Tensor:
        """Add to the stream what a layer makes of its norm."""
        return x + layer(norm(x))


class FastPostNormBlock(PostNormBlock):
    """A post-norm block without dropout."""

    def residual(self, x: Tensor, norm: nn.Module, layer: Callable[[Tensor], Tensor]) -> Tensor:
        """Normalize the sum of the stream and what a layer makes of it."""
        normed: Tensor = norm(x + layer(x))
        return normed


class FastDecoder(Decoder):
    """A decoder whose caches have room to grow."""

    def new_caches(self) -> list[Any]:
        """Return an empty cache for each block."""
        return [RoomyCache() for _ in self.blocks]


FAST: dict[type[nn.Module], type[nn.Module]] = {
    Block: FastBlock,
    Decoder: FastDecoder,
    FeedForward: FastFeedForward,
    GatedFeedForward: FastGatedFeedForward,
    LinearHead: FastLinearHead,
    MultiHeadAttention: FastAttention,
    PostNormBlock: FastPostNormBlock,
    TiedLMHead: FastTiedLMHead,
}
