"""The decoder-only language model: tokens in, a score for every token that could come next out."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

import torch
import torch.nn.functional
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.nn import Block, FeedForward, KeyValueCache, LayerNorm, LearnedEncoding, MultiHeadAttention

Caches = Sequence[KeyValueCache]
GPT_ATTENTION = partial(MultiHeadAttention, bias=True)


@dataclass(frozen=True)
class DecoderConfig:
    """The sizes of a decoder.

    Args:
        vocab_size: Number of tokens it knows.
        context: Number of positions it can see.
        d_model: Width of the token vectors.
        n_heads: Heads of the queries in each layer.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.

    Raises:
        ValueError: a size is not positive.
    """

    vocab_size: int
    context: int
    d_model: int
    n_heads: int
    n_layers: int
    d_ff: int

    def __post_init__(self) -> None:
        for name, size in vars(self).items():
            if size < 1:
                raise ValueError(f"{name}={size} must be at least 1")


class Decoder(nn.Module):
    r"""Embed the tokens, send them through blocks that look back only, and score every token as the next.

    .. math::

        X_0 = E_{ids} + P, \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
        \text{logits} = \operatorname{Norm}(X_L)\,E^\top

    Without further parts this is the shape of GPT-2. Other parts give other models: Llama's are no position
    (``nn.Identity``), attention with a rotary part and fewer heads of keys and values, ``SwiGLU`` and ``RMSNorm``.
    The table of embeddings is read a second time as output.

    Args:
        config: The sizes.
        generator: Where the random start comes from.
        position: Adds positions to token vectors; a ``LearnedEncoding`` when left out. It is called with
            the vectors and the position of the first one, except if it is an ``nn.Identity``.
        attention: Makes the attention of a block from ``(d_model, n_heads, generator=...)``.
        feed_forward: Makes its feed-forward layer from ``(d_model, d_ff, generator=...)``.
        norm: Makes a norm from ``d_model``.

    Source: Radford et al. (2019); Touvron et al. (2023) for the other parts.

    Example:
        >>> config = DecoderConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> model = Decoder(config, generator=torch.Generator().manual_seed(0))
        >>> model(torch.tensor([[3, 1, 4, 1, 5]])).shape
        torch.Size([1, 5, 11])
    """

    def __init__(
        self,
        config: DecoderConfig,
        *,
        generator: torch.Generator,
        position: nn.Module | None = None,
        attention: Callable[..., MultiHeadAttention] = GPT_ATTENTION,
        feed_forward: Callable[..., nn.Module] = FeedForward,
        norm: Callable[[int], nn.Module] = LayerNorm,
    ) -> None:
        super().__init__()
        self.config, d_model = config, config.d_model
        start = torch.randn(config.vocab_size, d_model, generator=generator, device=generator.device)
        # Rows of length 1: states have length sqrt(d_model), so the first logits of other tokens have a spread of 1.
        self.embedding = nn.Parameter(start / math.sqrt(d_model))
        self.position = LearnedEncoding(config.context, d_model, generator=generator) if position is None else position
        self.blocks = nn.ModuleList(
            Block(
                attention(d_model, config.n_heads, generator=generator),
                feed_forward(d_model, config.d_ff, generator=generator),
                partial(norm, d_model),
            )
            for _ in range(config.n_layers)
        )
        self.norm = norm(d_model)
        self.to(generator.device)

    def forward(self, ids: Int[Tensor, "*batch T"]) -> Float[Tensor, "*batch T vocab_size"]:
        """Score every token as the next one after each position.

        Args:
            ids: Token ids, (..., T).

        Raises:
            TypeError: the ids are not integers.
            ValueError: an id is not in the vocabulary, there are none, or more than the context holds.
        """
        return self.read_out(self.states(ids)[0])

    def states(
        self, ids: Int[Tensor, "*batch T"], caches: Caches | None = None
    ) -> tuple[Float[Tensor, "*batch T d_model"], list[KeyValueCache]]:
        """Give the vector from which the next token is read, at each new position.

        Args:
            ids: The new token ids, (..., T).
            caches: Keys and values of what came before, one for each block; nothing when left out.

        Returns:
            The states, (..., T, d_model), and the caches to hand in with the next ids.

        Raises:
            TypeError: the ids are not integers.
            ValueError: an id is not in the vocabulary, there are none, or more than the context holds.
        """
        first = 0 if caches is None else len(caches[0])
        x = self._embed(ids, first)  # (..., T, d_model)
        longer = []
        for number, block in enumerate(cast(Iterable[Block], self.blocks)):
            x, cache = block.extend(x, None if caches is None else caches[number])
            longer.append(cache)
        return self.norm(x), longer

    def read_out(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Score every token by its match with a state: the logits."""
        return torch.nn.functional.linear(x, self.embedding)

    def attention_maps(self, ids: Int[Tensor, "*batch T"]) -> Float[Tensor, "n_layers *batch n_heads T T"]:
        """Give the weights of every head in every block."""
        x = self._embed(ids, 0)  # (..., T, d_model)
        causal = torch.ones(ids.shape[-1], ids.shape[-1], dtype=torch.bool, device=ids.device).tril()  # (T, T)
        maps = []
        for block in cast(Iterable[Block], self.blocks):
            x, weights = block.with_weights(x, mask=causal)
            maps.append(weights)
        return torch.stack(maps)

    def _embed(self, ids: Tensor, first: int) -> Tensor:
        if ids.dtype not in (torch.int64, torch.int32):
            raise TypeError(f"ids must be int64 or int32, got dtype {ids.dtype}")
        if not ids.numel():
            raise ValueError(f"ids must hold a token at least, got shape {tuple(ids.shape)}")
        if first + ids.shape[-1] > self.config.context:
            raise ValueError(f"{first + ids.shape[-1]} positions, but the model has context={self.config.context}")
        try:
            x = torch.embedding(self.embedding, ids)  # (..., T, d_model)
        except IndexError:
            span = f"{int(ids.min())} to {int(ids.max())}"
            raise ValueError(f"ids {span} must lie between 0 and vocab_size - 1 = {len(self.embedding) - 1}") from None
        return x if isinstance(self.position, nn.Identity) else self.position(x, first)
