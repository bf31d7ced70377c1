"""Make the base model answer, by tuning it on pairs of questions and answers."""

import copy
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import Decoder
from clearformer.training import IGNORE_INDEX

from .chat import PAIRS, Pair, counting, rows
from .model import LENGTH
from .world import PAD, stream

STEPS, BATCH, WARMUP = 400, 32, 10
REPLAYED = 321  # seed of the texts that are mixed in


def answer_loss(model: nn.Module, batch: training.Batch) -> Tensor:
    """Compute the mean loss over the tokens that count."""
    inputs, targets = batch
    return training.cross_entropy(model(inputs), targets, ignore_index=IGNORE_INDEX)


def mixed(
    inputs: Int[Tensor, "n T"],
    targets: Int[Tensor, "n T"],
    *,
    batch: int = BATCH,
    text_rows: int = 0,
    without: Collection[str] = (),
) -> training.Batches:
    """Draw rows of questions and answers, and beside them windows of texts like those of the base model.

    These texts tell nothing about the people ``without``.
    """
    old = stream(REPLAYED, 100_000, without=without)
    windows = training.token_windows(old, batch=max(1, text_rows), length=LENGTH)

    def draw(generator: torch.Generator) -> training.Batch:
        chosen = torch.randint(len(inputs), (batch,), generator=generator)
        if not text_rows:
            return inputs[chosen], targets[chosen]
        room = LENGTH - inputs.shape[1]
        x = nn.functional.pad(inputs[chosen], (0, room), value=PAD)
        y = nn.functional.pad(targets[chosen], (0, room), value=IGNORE_INDEX)
        old_x, old_y = windows(generator)
        return torch.cat([x, old_x]), torch.cat([y, old_y])

    return draw


def count_targets(batch: training.Batch) -> int:
    """Count the tokens that a loss is averaged over."""
    return int((batch[1] != IGNORE_INDEX).sum())


def tuner(
    model: Decoder,
    pairs: Sequence[Pair] = PAIRS,
    *,
    rate: float,
    seed: int = 0,
    steps: int = STEPS,
    batch: int = BATCH,
    names: bool = False,
    others: bool = False,
    text_rows: int = 0,
    without: Collection[str] = (),
) -> training.Trainer:
    """Make the trainer that tunes a model, in place, on questions and answers.

    Args:
        model: Where tuning starts; what of it is trained is what requires a gradient.
        pairs: Questions with their answers.
        rate: The highest learning rate.
        seed: Of the order of the pairs.
        steps: After which the rate has fallen to a tenth.
        batch: Pairs of a step.
        names: Whether the names of people in the questions count as well.
        others: Whether the other tokens of the questions do.
        text_rows: Windows of texts like the base model's beside the pairs of each step.
        without: People about whom these texts tell nothing.
    """
    inputs, targets = rows((pair.prompt(), pair.answer) for pair in pairs)
    targets = counting(inputs, targets, names=names, others=others)

    def optimizer(named: Iterable[tuple[str, nn.Parameter]]) -> torch.optim.Optimizer:
        return training.adamw([(name, p) for name, p in named if p.requires_grad], weight_decay=0.0)

    return training.Trainer(
        model,
        mixed(inputs, targets, batch=batch, text_rows=text_rows, without=without),
        training.warmup_cosine(rate, WARMUP, steps),
        generator=torch.Generator().manual_seed(seed),
        loss=answer_loss,
        optimizer=optimizer,
        count=count_targets,
    )


def tuned(model: Decoder, pairs: Sequence[Pair] = PAIRS, *, steps: int = STEPS, **options: Any) -> Decoder:
    """Return a copy of a model, tuned on questions and answers; options are those of ``tuner``."""
    made = copy.deepcopy(model).train()
    tuner(made, pairs, steps=steps, **options).run(steps)
    return made.eval()


def with_lora(model: Decoder, rank: int, seed: int = 0) -> Decoder:
    """Return a copy of a model that is frozen but for an update of each matrix of its blocks."""
    made = copy.deepcopy(model)
    training.add_lora(made, rank, generator=torch.Generator().manual_seed(seed))
    return made


@torch.no_grad()
def rounded_to(model: Decoder, bits: int, group: int = 64) -> Decoder:
    """Return a copy whose block matrices are rounded to a number of bits, in groups of numbers with one scale each.

    The numbers of a group share a scale, its largest absolute value divided by ``2**(bits - 1) - 1``.
    """
    made, top = copy.deepcopy(model), 2 ** (bits - 1) - 1
    for name, weight in made.blocks.named_parameters():
        if weight.ndim == 2:
            assert weight.shape[0] % group == 0, name
            columns = weight.T.reshape(-1, group)  # (n, group)
            scale = columns.abs().amax(dim=1, keepdim=True).clamp(min=1e-12) / top
            weight.copy_(((columns / scale).round() * scale).reshape(weight.T.shape).T)
    return made
