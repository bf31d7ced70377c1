"""What all studies share: a small decoder, its training on short windows, and what unseen text costs it."""

import math
from collections.abc import Iterable
from typing import cast

import torch
from jaxtyping import Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import Decoder
from clearformer.nn import Block, PostNormBlock
from linebyline import pretrained
from linebyline.pretrained import Recipe

CONTEXT, HEAD = 32, 8  # tokens of a window, width of a head
KINDS: dict[str, type[Block]] = {"post": PostNormBlock, "pre": Block}
HELD = 512  # windows of unseen text that losses are measured on


def sizes(d_model: int, n_layers: int, **others: float) -> Recipe:
    """Give the recipe of a small decoder.

    Args:
        d_model: Width of the token vectors, a multiple of the width of a head, 8.
        n_layers: Number of blocks.
        others: Of ``Recipe``, such as ``batch`` and ``peak``.

    Raises:
        ValueError: the width is no multiple of that of a head.

    Example:
        >>> sizes(32, 2, batch=4).n_heads
        4
    """
    if d_model % HEAD:
        raise ValueError(f"d_model={d_model} must be a multiple of the width of a head, {HEAD}")
    return Recipe(context=CONTEXT, d_model=d_model, n_heads=d_model // HEAD, n_layers=n_layers, **others)  # type: ignore[arg-type]


def trainer(recipe: Recipe, ids: Int[Tensor, " n"], *, norm: str = "pre", device: str = "cpu") -> training.Trainer:
    """Prepare the training of a decoder whose weights begin as they are drawn, in float32.

    Args:
        recipe: Sizes, batches and rates, and the seed.
        ids: The tokens of the text.
        norm: Whether norms stand before layers, ``"pre"``, or behind sums, ``"post"``.
        device: Where the model computes.
    """

    def start(recipe: Recipe, generator: torch.Generator) -> Decoder:
        return pretrained.rotary_decoder(recipe.config(), generator, kind=KINDS[norm])

    processes = training.Processes(device=device)
    return pretrained.trainer(recipe, ids, start=start, processes=processes)


def blocks(model: nn.Module) -> list[Block]:
    """Give the blocks of a decoder."""
    assert isinstance(model, Decoder)
    return list(cast(Iterable[Block], model.blocks))


@torch.no_grad()
def unseen_loss(model: nn.Module, unseen: Int[Tensor, " n"], n: int = HELD) -> float:
    """Measure what windows of unseen text cost, spread over all of it, in nats for a token.

    Args:
        model: A decoder.
        unseen: Tokens of the text.
        n: Windows.
    """
    device = next(model.parameters()).device
    starts = torch.linspace(0, len(unseen) - CONTEXT - 1, n).long()  # (n,)
    windows = unseen[starts[:, None] + torch.arange(CONTEXT + 1)].to(device)  # (n, context + 1)
    loss = training.next_token_loss(model, (windows[:, :-1], windows[:, 1:])).item()
    return rounded(loss)


def rounded(number: float) -> float:
    """Give a number with five digits, which is what a record keeps; a loss that is none stays one.

    Example:
        >>> rounded(5.1234567)
        5.1235
    """
    return float(f"{number:.5g}") if math.isfinite(number) else math.inf
