"""The decoder: every token looks back only, so that the next one can be written."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, cast

from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer.models.stack import Stack, padding
from clearformer.nn import Block, KeyValueCache, Packing


class Sources(NamedTuple):
    """What a decoder sees of the sources it writes from: keys and values for each block, and which are padding."""

    held: Sequence[KeyValueCache]
    mask: Bool[Tensor, "*batch 1 1 S"] | None

    def take(self, rows: Int[Tensor, " n"]) -> "Sources":
        """Give the sources ``rows``, which the first axis counts."""
        return Sources([held.take(rows) for held in self.held], None if self.mask is None else self.mask[rows])


class Decoder(Stack):
    r"""Embed the tokens, send them through blocks that look back only, and score every token as the next.

    .. math::

        X_0 = \operatorname{Embedding}(ids), \qquad X_l = \operatorname{Block}_l(X_{l-1}), \qquad
        \text{logits} = \operatorname{ReadOut}(\operatorname{Norm}(X_L))

    Args:
        embedding: Gives a vector for each token.
        blocks: What they go through; those with ``cross`` look at sources, too.
        norm: Works on what comes out, as after blocks that normalize first; nothing when left out.
        position_bias: Gives what every block adds to its scores, called with T and S, such as ``RelativeBias``.
        lm_head: Makes logits of the states, such as ``TiedLMHead``; they come back as they are when left out.

    Source: Radford et al. (2019); Vaswani et al. (2017), section 3.1, for blocks with sources.

    Example:
        >>> import torch
        >>> from clearformer.models import GPT2Config, gpt2
        >>> config = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> gpt2(config, torch.Generator().manual_seed(0))(torch.tensor([[3, 1, 4, 1, 5]])).shape
        torch.Size([1, 5, 11])
    """

    config: Any  # the config of a named model

    def __init__(
        self,
        embedding: nn.Module,
        blocks: Iterable[Block],
        *,
        norm: nn.Module | None = None,
        position_bias: nn.Module | None = None,
        lm_head: nn.Module | None = None,
    ) -> None:
        super().__init__(embedding, blocks, norm=norm, position_bias=position_bias)
        self.lm_head = lm_head or nn.Identity()

    def forward(
        self,
        ids: Int[Tensor, "*batch T"],
        sources: Sources | None = None,
        *,
        mask: Bool[Tensor, "*batch T"] | None = None,
    ) -> Float[Tensor, "*batch T vocab_size"]:
        """Score every token as the next one after each position.

        Args:
            ids: Token ids, (..., T).
            sources: What they are written from, as ``EncoderDecoder.encode`` gives it.
            mask: True where a token is one, and False where it is padding that nobody may see, (..., T). Padding
                goes through no layer, and its scores are 0.

        Raises:
            TypeError: the ids are not integers, or the mask is not boolean.
            ValueError: an id is not in the vocabulary, there are none, or the positions run out; the sources are
                those of another batch; the mask has another shape.
        """
        seen, packing = padding(mask, ids)
        logits: Tensor = self.lm_head(self._states(ids, None, sources, seen, packing)[0])
        return logits if packing is None else packing.unpack(logits)

    def states(
        self,
        ids: Int[Tensor, "*batch T"],
        caches: Sequence[KeyValueCache] | None = None,
        *,
        sources: Sources | None = None,
    ) -> tuple[Float[Tensor, "*batch T d_model"], list[KeyValueCache]]:
        """Give the vector from which the next token is read, at each new position.

        Args:
            ids: The new token ids, (..., T).
            caches: Keys and values of what came before, one for each block; nothing when left out.
            sources: As for ``forward``.

        Returns:
            The states, (..., T, d_model), and the caches to hand in with the next ids.

        Raises:
            TypeError: the ids are not integers.
            ValueError: as ``forward`` does.
        """
        return self._states(ids, caches, sources)

    def _states(
        self,
        ids: Tensor,
        caches: Sequence[KeyValueCache] | None,
        sources: Sources | None,
        mask: Tensor | None = None,
        packing: Packing | None = None,
    ) -> tuple[Tensor, list[KeyValueCache]]:
        """Give the states, without those of padding where there is a packing, and the caches."""
        first, T = 0 if caches is None else len(caches[0]), ids.shape[-1]
        x = self.embedding(ids, first)  # (..., T, d_model)
        if packing is not None:
            x = packing.pack(x)  # (N, d_model)
        bias = None if self.position_bias is None else self.position_bias(T, first + T)  # (n_heads, T, S)
        longer = []
        for number, block in enumerate(cast(Iterable[Block], self.blocks)):
            cache = None if caches is None else caches[number]
            source, seen = (None, None) if sources is None else (sources.held[number], sources.mask)
            x, cache = block.extend(x, cache, source, mask=mask, source_mask=seen, position_bias=bias, packing=packing)
            longer.append(cache)
        return self.norm(x), longer

    def sources(
        self, states: Float[Tensor, "*batch S d_model"], mask: Bool[Tensor, "*batch 1 1 S"] | None = None
    ) -> Sources:
        """Compute the keys and values of sources once, for every block.

        Args:
            states: The states of an encoder, (..., S, d_model).
            mask: True where they are not those of padding, (..., 1, 1, S).

        Raises:
            ValueError: a block looks at no sources, or the states have another width.
        """
        crosses = [block.cross for block in cast(Iterable[Block], self.blocks)]
        if None in crosses:
            raise ValueError(f"{crosses.count(None)} of {len(crosses)} blocks have no cross-attention to a source")
        packing = Packing.of(None if mask is None else mask[..., 0, 0, :])
        x = states if packing is None else packing.pack(states)
        return Sources([cross.keys_values(x, packing=packing) for cross in crosses if cross], mask)
