"""Six decoders from GPT-2 to Llama: each is the one before it with another part, and all have as many parameters."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

import torch
from torch import nn

from clearformer.models import Decoder, TiedLMHead
from clearformer.nn import (
    Block,
    Embedding,
    FeedForward,
    GatedFeedForward,
    LayerNorm,
    LearnedEncoding,
    MultiHeadAttention,
    RMSNorm,
    RotaryEncoding,
)
from linebyline.pretrained import Recipe

N_KV_HEADS = 2  # after the last swap
Generator = torch.Generator | None
Positions = tuple[nn.Module | None, RotaryEncoding | None]  # what is added to the embedding, what turns in attention


def learned(recipe: Recipe, generator: Generator) -> Positions:
    """Add a learned vector for each position."""
    return LearnedEncoding(recipe.context, recipe.d_model, generator=generator), None


def rotary(recipe: Recipe, generator: Generator) -> Positions:
    """Turn queries and keys by their positions."""
    return None, RotaryEncoding(recipe.context, recipe.d_model // recipe.n_heads)


@dataclass(frozen=True)
class Parts:
    """What the blocks of a decoder are made of, a function for each part.

    Args:
        norm: Makes a norm of a width.
        attention: Makes attention of a width and a number of heads.
        feed_forward: Makes a feed-forward layer of two widths.
        positions: Makes what knows positions.
    """

    norm: Callable[[int], nn.Module]
    attention: Callable[..., MultiHeadAttention]
    feed_forward: Callable[..., nn.Module]
    positions: Callable[[Recipe, Generator], Positions]


GPT2 = Parts(
    norm=LayerNorm,
    attention=partial(MultiHeadAttention, bias=True),
    feed_forward=FeedForward,
    positions=learned,
)
RMS = replace(GPT2, norm=RMSNorm)
NO_BIASES = replace(
    RMS,
    attention=MultiHeadAttention,
    feed_forward=partial(FeedForward, bias=False),
)
SWIGLU = replace(NO_BIASES, feed_forward=GatedFeedForward)
ROPE = replace(SWIGLU, positions=rotary)
LLAMA = replace(
    ROPE,
    attention=partial(MultiHeadAttention, n_kv_heads=N_KV_HEADS),
)

LADDER = {
    "GPT-2": GPT2,
    "RMSNorm": RMS,
    "no biases": NO_BIASES,
    "SwiGLU": SWIGLU,
    "RoPE": ROPE,
    "shared keys": LLAMA,
}


def decoder(parts: Parts, recipe: Recipe, d_ff: int, generator: Generator = None) -> Decoder:
    """Put a decoder together.

    Args:
        parts: What it is made of.
        recipe: Its sizes.
        d_ff: Width inside its feed-forward layers.
        generator: Where the random start comes from; None leaves the weights empty.
    """
    d_model = recipe.d_model
    added, turned = parts.positions(recipe, generator)
    embedding = Embedding(recipe.vocab_size, d_model, position=added, generator=generator)

    def block() -> Block:
        return Block(
            parts.attention(d_model, recipe.n_heads, rotary=turned, generator=generator),
            parts.feed_forward(d_model, d_ff, generator=generator),
            partial(parts.norm, d_model),
        )

    blocks = [block() for _ in range(recipe.n_layers)]
    return Decoder(embedding, blocks, norm=parts.norm(d_model), lm_head=TiedLMHead(embedding))


def parameters(parts: Parts, recipe: Recipe, d_ff: int) -> int:
    """Count the parameters of a decoder, on a device that holds shapes only.

    Example:
        >>> parameters(LLAMA, Recipe(context=128, d_model=64), 192)
        262720
    """
    with torch.device("meta"):
        return sum(p.numel() for p in decoder(parts, recipe, d_ff).parameters())


def equal_width(parts: Parts, recipe: Recipe) -> int:
    """Give the width inside the feed-forward layers with which a decoder has as many parameters as the first one.

    What another part saves goes into this width. The first decoder is four times as wide there as outside.

    Example:
        >>> [equal_width(parts, Recipe(context=128, d_model=96)) for parts in LADDER.values()]
        [384, 385, 390, 260, 270, 302]
    """
    wanted = parameters(GPT2, recipe, 4 * recipe.d_model)
    least, next_one = (parameters(parts, recipe, d_ff) for d_ff in (1, 2))
    return 1 + round((wanted - least) / (next_one - least))
