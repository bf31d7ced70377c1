"""The decoder: every token sees itself and those before it, so the next one can be predicted."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.nn import Block, KeyValueCache, MultiHeadAttention

# CachedDecoder reads longer prompts in pieces, so that the memory for activations does not grow with them.
CHUNK = 2048


class Memory(NamedTuple):
    """What a decoder attends to besides its own tokens: keys and values for each block, and which are not padding."""

    caches: list[KeyValueCache]
    mask: Bool[Tensor, "*batch 1 1 S"] | None = None

    def reorder(self, rows: Int[Tensor, " n"]) -> "Memory":
        """Return the memory of the sequences ``rows`` of the first axis."""
        return Memory([cache.reorder(rows) for cache in self.caches], None if self.mask is None else self.mask[rows])


class Decoder(nn.Module):
    r"""Embed the tokens, send them through blocks with causal attention, and compute logits of the next token.

    .. math::

        X_0 = \operatorname{Embedding}(ids), \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
        \text{logits} = \operatorname{LMHead}(\operatorname{Norm}(X_L))

    Args:
        embedding: Maps tokens to vectors.
        blocks: What they go through; those with ``cross`` attend to a memory as well.
        norm: Applied to the last hidden states, as after pre-norm blocks; nothing when left out.
        position_bias: Computes what every block adds to its scores, called with T and S, such as ``RelativeBias``.
        lm_head: Maps hidden states to logits, such as ``TiedLMHead``; without it the hidden states are returned.
        config: The sizes, kept as ``config``.

    Source: Radford et al. (2019); Vaswani et al. (2017), section 3.1, for blocks with a memory.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> model = gpt2(GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32))
        >>> model(torch.tensor([[3, 1, 4, 1, 5]])).shape
        torch.Size([1, 5, 11])
    """

    def __init__(
        self,
        embedding: nn.Module,
        blocks: Iterable[Block],
        *,
        norm: nn.Module | None = None,
        position_bias: nn.Module | None = None,
        lm_head: nn.Module | None = None,
        config: Any = None,
    ) -> None:
        super().__init__()
        self.embedding, self.blocks, self.position_bias = embedding, nn.ModuleList(blocks), position_bias
        self.norm, self.lm_head, self.config = norm or nn.Identity(), lm_head or nn.Identity(), config

    def forward(
        self, ids: Int[Tensor, "*batch T"], memory: Memory | None = None, *, caches: list[KeyValueCache] | None = None
    ) -> Float[Tensor, "*batch T vocab_size"]:
        """Return the logits of the next token after each position, (..., T, vocab_size).

        Shorter sequences of a batch are padded on the right, where causal attention never looks: no mask is needed. No
        ids, one that is not in the vocabulary, and more than the context has room for are a ValueError.

        Args:
            ids: Token ids, (..., T).
            memory: What the blocks with ``cross`` attend to, as ``EncoderDecoder.encode`` returns it.
            caches: Keys and values of the tokens before, one for each block; those of ``ids`` are appended.
        """
        logits: Tensor = self.lm_head(self.hidden_states(ids, memory, caches=caches))
        return logits

    def hidden_states(
        self, ids: Int[Tensor, "*batch T"], memory: Memory | None = None, *, caches: list[KeyValueCache] | None = None
    ) -> Float[Tensor, "*batch T d_model"]:
        """Return the vectors from which ``lm_head`` computes the logits, (..., T, d_model); see ``forward``."""
        T, offset = ids.shape[-1], len(caches[0]) if caches else 0
        x = self.embedding(ids, offset)  # (..., T, d_model)
        bias = None if self.position_bias is None else self.position_bias(T, offset + T)  # (n_heads, T, S)
        none: Any = [None] * len(self.blocks)
        memories, memory_mask = memory or (none, None)
        for block, kv, cache in zip(self.blocks, memories, caches or none, strict=True):
            x = block(x, kv, memory_mask=memory_mask, cache=cache, is_causal=True, position_bias=bias)
        normed: Tensor = self.norm(x)
        return normed

    def new_caches(self) -> list[KeyValueCache]:
        """Return an empty cache for each block."""
        return [KeyValueCache() for _ in self.blocks]

    def memory(
        self, hidden_states: Float[Tensor, "*batch S d_model"], mask: Bool[Tensor, "*batch S"] | None = None
    ) -> Memory:
        """Compute the keys and values of an encoder's hidden states, (..., S, d_model), once for every block.

        The ``mask`` is True for tokens and False for padding, (..., S). A block without ``cross`` is a ValueError.
        """
        caches = []
        for number, block in enumerate(self.blocks):
            if not isinstance(block.cross, MultiHeadAttention):
                raise ValueError(f"block {number} has no cross-attention")
            caches.append(block.cross.keys_values(hidden_states))
        return Memory(caches, None if mask is None else mask[..., None, None, :])


class CachedDecoder:
    """The logits of the next token, computed for the positions that are new since the last call.

    Args:
        model: The decoder. Make a new ``CachedDecoder`` when its parameters have changed.
        memory: What it attends to, one sequence for each row of the first ids.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> model = gpt2(GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32))
        >>> next_logits = CachedDecoder(model)
        >>> next_logits(torch.tensor([[3, 1]])).shape, next_logits(torch.tensor([[3, 1, 4]])).shape
        (torch.Size([1, 11]), torch.Size([1, 11]))
    """

    def __init__(self, model: Decoder, memory: Memory | None = None) -> None:
        self._model, self._first_memory = model, memory
        self._ids: Tensor | None = None
        self.context: int | None = getattr(model.config, "context", None)  # where generation stops

    @torch.inference_mode()
    def __call__(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B vocab_size"]:
        """Continue from the ids of the last call if these begin with them; otherwise read all of them."""
        known, self._ids = self._ids, None  # forgotten if the model raises
        offset = 0 if known is None else known.shape[-1]
        if known is None or offset >= ids.shape[-1] or not torch.equal(ids[:, :offset], known):
            self._caches, self._memory, offset = self._model.new_caches(), self._first_memory, 0
        for part in torch.split(ids[:, offset:], CHUNK, dim=-1):
            x = self._model.hidden_states(part, self._memory, caches=self._caches)
        self._ids = ids.clone()
        logits: Tensor = self._model.lm_head(x[:, -1])
        return logits

    def reorder_cache(self, rows: Int[Tensor, " n"]) -> None:
        """Replace the sequences of the last call by its sequences ``rows``, as beam search does."""
        if self._ids is not None:
            self._ids, self._caches = self._ids[rows], [cache.reorder(rows) for cache in self._caches]
            self._memory = None if self._memory is None else self._memory.reorder(rows)
