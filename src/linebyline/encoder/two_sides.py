"""Masked symbols in a sequence that is repeated, predicted by a bidirectional model and by a causal one."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from jaxtyping import Float
from torch import Tensor, nn

from clearformer import training
from clearformer.models import BertConfig, Decoder
from clearformer.nn import Block
from clearformer.training import IGNORE_INDEX
from linebyline.masked_language_model import untrained

MASK, SYMBOLS, LENGTH = 0, 32, 8
RATE = 0.4  # fraction of the symbols of a row that are masked, each in one of its two places
STEPS, BATCH, PEAK, WARMUP = 200, 64, 3e-3, 20
CONFIG = BertConfig(SYMBOLS + 1, 2 * LENGTH, d_model=64, n_heads=4, n_layers=2, d_ff=256, n_segments=1)
Progress = Callable[[Iterable[int]], Iterable[int]]


def models(seed: int) -> dict[str, nn.Module]:
    """Make an encoder, and a decoder of the same parts: they differ only in the mask."""
    one, other = (untrained(CONFIG, torch.Generator().manual_seed(seed)) for _ in range(2))
    blocks = cast(Iterable[Block], other.blocks)
    return {"both sides": one, "left only": Decoder(other.embedding, blocks, lm_head=other.head)}


def draw(generator: torch.Generator, n: int = BATCH) -> training.Batch:
    """Draw rows of symbols, write each twice, and hide some of them in the first copy or in the second."""
    row = torch.randint(1, SYMBOLS + 1, (n, LENGTH), generator=generator)  # (n, LENGTH)
    drawn = torch.rand(row.shape, generator=generator)
    hidden = torch.cat([drawn < RATE / 2, drawn > 1 - RATE / 2], dim=1)  # (n, 2 LENGTH)
    twice = torch.cat([row, row], dim=1)
    return twice.masked_fill(hidden, MASK), twice.masked_fill(~hidden, IGNORE_INDEX)


def mixed(generator: torch.Generator, n: int = BATCH) -> training.Batch:
    """Draw rows as ``draw`` does, where the model reads a random symbol in 10 of 100 hidden places, the true in 10."""
    inputs, targets = draw(generator, n)
    u = torch.rand(inputs.shape, generator=generator)
    others = torch.randint(1, SYMBOLS + 1, inputs.shape, generator=generator)
    visible = torch.where(u < 0.9, others, targets)  # read where u >= 0.8
    return torch.where((targets != IGNORE_INDEX) & (u >= 0.8), visible, inputs), targets


def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
    """Compute the mean cross-entropy of the hidden symbols."""
    inputs, targets = batch
    return training.cross_entropy(model(inputs), targets, ignore_index=IGNORE_INDEX)


def trainer(model: nn.Module, seed: int, steps: int = STEPS, batches: training.Batches = draw) -> training.Trainer:
    """Make the trainer of the run that all go through."""
    schedule, generator = training.warmup_cosine(PEAK, WARMUP, steps), torch.Generator().manual_seed(seed)
    return training.Trainer(model, batches, schedule, generator=generator, loss=loss)


@torch.no_grad()
def right(model: nn.Module) -> tuple[float, float]:
    """Measure the fraction of hidden symbols that are predicted right, in the first copy and in the second."""
    inputs, targets = draw(torch.Generator().manual_seed(10_000), n=500)
    hits = torch.split(model(inputs).argmax(dim=-1) == targets, LENGTH, dim=1)
    hidden = torch.split(inputs == MASK, LENGTH, dim=1)
    first, second = (f[h].float().mean().item() for f, h in zip(hits, hidden, strict=True))
    return first, second


def places(seed: int, n: int) -> tuple[dict[str, Tensor], Tensor]:
    """Draw rows with the mask at the places asked for, with a random wrong symbol there, and with the true one."""
    generator = torch.Generator().manual_seed(seed)
    inputs, targets = draw(generator, n)
    asked = targets != IGNORE_INDEX
    turn = torch.randint(1, SYMBOLS, targets.shape, generator=generator)
    wrong = (targets - 1 + turn) % SYMBOLS + 1  # each of the others is as likely
    read = {
        "the mask": inputs,
        "another": torch.where(asked, wrong, inputs),
        "itself": torch.where(asked, targets, inputs),
    }
    return read, targets


@torch.no_grad()
def named(model: nn.Module) -> dict[str, float]:
    """Measure how often the true symbol is predicted at a place where the mask is read, another symbol, or itself."""
    read, targets = places(10_000, n=500)
    asked = targets != IGNORE_INDEX
    return {name: (model(ids).argmax(dim=-1) == targets)[asked].float().mean().item() for name, ids in read.items()}


def compare_masks(seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter) -> dict[str, Any]:
    """Train the bidirectional model with masks alone and with the mixture, and measure what it says at each place."""
    found: dict[str, list[dict[str, float]]] = {}
    for seed in seeds:
        for name, batches in {"masks alone": draw, "80-10-10": mixed}.items():
            model = untrained(CONFIG, torch.Generator().manual_seed(seed))  # it sees both sides
            trainer(model, seed, batches=batches).run(STEPS, progress(f"{name}, seed {seed}"))
            found.setdefault(name, []).append(named(model.eval()))
    return {"steps": STEPS, "found": found}


def compare(seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter) -> dict[str, Any]:
    """Train both with several seeds, and measure what they find."""
    rates: dict[str, list[tuple[float, float]]] = {}
    for seed in seeds:
        for name, model in models(seed).items():
            trainer(model, seed).run(STEPS, progress(f"{name}, seed {seed}"))
            rates.setdefault(name, []).append(right(model.eval()))
    return {"steps": STEPS, "found": rates}
