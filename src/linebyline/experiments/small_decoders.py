"""What studies share: a small decoder, its training on windows, what unseen text costs it, and a training step."""

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
    """Return the recipe of a small decoder, whose heads are 8 wide."""
    return Recipe(context=CONTEXT, d_model=d_model, n_heads=d_model // HEAD, n_layers=n_layers, **others)  # type: ignore[arg-type]


def trainer(recipe: Recipe, ids: Int[Tensor, " n"], *, norm: str = "pre", device: str = "cpu") -> training.Trainer:
    """Make the trainer of a decoder whose weights begin as they are drawn, in float32."""

    def start(recipe: Recipe, generator: torch.Generator) -> Decoder:
        return pretrained.rotary_decoder(recipe.config(), generator, kind=KINDS[norm])

    processes = training.Processes(device=device)
    return pretrained.trainer(recipe, ids, start=start, processes=processes)


def blocks(model: nn.Module) -> list[Block]:
    """Return the blocks of a decoder."""
    assert isinstance(model, Decoder)
    return list(cast(Iterable[Block], model.blocks))


@torch.no_grad()
def unseen_loss(model: nn.Module, unseen: Int[Tensor, " n"], n: int = HELD) -> float:
    """Measure what windows of unseen text cost, spread over all of it, in nats per token."""
    device = next(model.parameters()).device
    starts = torch.linspace(0, len(unseen) - CONTEXT - 1, n).long()  # (n,)
    windows = unseen[starts[:, None] + torch.arange(CONTEXT + 1)].to(device)  # (n, context + 1)
    loss = training.next_token_loss(model, (windows[:, :-1], windows[:, 1:])).item()
    return rounded(loss)


def descend(optimizer: torch.optim.Optimizer, loss: Tensor) -> float:
    """Make one training step: compute the gradients of a loss, change the parameters, and return the loss."""
    optimizer.zero_grad()
    loss.backward()  # type: ignore[no-untyped-call]
    optimizer.step()
    return loss.item()


def rounded(number: float) -> float:
    """Return a number with five digits, as a record keeps it; inf for a loss that is not finite."""
    return float(f"{number:.5g}") if math.isfinite(number) else math.inf
