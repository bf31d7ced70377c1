"""Does warm-up decide? Post-norm and pre-norm, three depths, several rates, with and without it.

The runs have no clipping, so nothing but warm-up protects the first steps, and 200 steps of 16 windows of 32 tokens:
after 150 steps some seeds had learned no more than the frequencies of tokens with either choice. Weights are not
zero-initialized, since post-norm does not suffer from such a start. The deepest model has one seed, because it is slow.
"""

import math
from collections.abc import Iterator
from typing import Any

from torch import Tensor, nn

from clearformer import training

from .small_decoders import CONTEXT, blocks, rounded, sizes, trainer, unseen_loss
from .studies import Facts, Progress, Study, Texts

D_MODEL, BATCH, STEPS = 32, 16, 200
WARMUPS, RATES = (0, 50), (1e-3, 3e-3, 1e-2)
SEEDS = {4: 5, 12: 3, 24: 1}  # how many for each depth: the deep ones take longest
WATCHED = (0, 1, 2, 4, 8, 16, 32, 64)  # steps whose updates and gradients are kept, block by block
MILLISECONDS = {4: 20, 12: 50, 24: 100}  # a step takes about as long, for the progress bar


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, those of a depth and a seed before the next."""
    for depth, n_seeds in SEEDS.items():
        for seed in range(n_seeds):
            for norm in ("post", "pre"):
                for peak in RATES:
                    for warmup in WARMUPS:
                        yield {"norm": norm, "n_layers": depth, "peak": peak, "warmup": warmup, "seed": seed}


def prepared(setting: Facts, texts: Texts, device: str = "cpu") -> training.Trainer:
    """Make the trainer of a setting, without clipping: nothing but warm-up may guard the first steps."""
    others = {key: setting[key] for key in ("peak", "warmup", "seed")}
    recipe = sizes(D_MODEL, setting["n_layers"], batch=BATCH, steps=STEPS, **others)
    made = trainer(recipe, texts.read, norm=setting["norm"], device=device)
    made.clip = math.inf
    return made


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once.

    Returns:
        The first losses, the mean of each ten losses, what unseen text costs at the end and, for the first seed, what
        ``watched`` finds at some of the steps.
    """
    made = prepared(setting, texts, device)
    run, losses, seen = made.steps(STEPS, progress), list[float](), list[dict[str, Any]]()
    for step in range(STEPS):
        before = matrices(made.model) if step in WATCHED and not setting["seed"] else None
        losses.append(next(run))
        if before is not None:
            seen.append({"step": step, **watched(made.model, before)})
    means = [rounded(sum(losses[i : i + 10]) / 10) for i in range(0, STEPS, 10)]
    found = {"first": [rounded(loss) for loss in losses[:3]], "losses": means}
    return {**found, "unseen": unseen_loss(made.model, texts.unseen)} | ({"watched": seen} if seen else {})


def matrices(model: nn.Module) -> list[list[Tensor]]:
    """Copy the matrices of each block."""
    return [[p.detach().clone() for p in block.parameters() if p.ndim == 2] for block in blocks(model)]


def watched(model: nn.Module, before: list[list[Tensor]]) -> dict[str, list[float]]:
    """Compare the matrices of each block with what they were before a step.

    Returns:
        ``update``, the length of the change of a block's matrices over that of the matrices, and ``gradient``, the
        length of their gradient, both block by block.
    """
    updates, gradients = [], []
    for block, old in zip(blocks(model), before, strict=True):
        new = [p for p in block.parameters() if p.ndim == 2]
        change = length([n.detach() - o for n, o in zip(new, old, strict=True)])
        updates.append(float(f"{change / length(old):.2g}"))
        gradients.append(float(f"{length([p.grad for p in new if p.grad is not None]):.2g}"))
    return {"update": updates, "gradient": gradients}


def length(parts: list[Tensor]) -> float:
    """Return the root of the sum of the squares of all numbers in some tensors."""
    return math.sqrt(sum(part.double().square().sum().item() for part in parts))


RECIPE = {"d_model": D_MODEL, "context": CONTEXT, "batch": BATCH, "steps": STEPS, "clip": "none", "watched": WATCHED}
STUDY = Study("warmup", RECIPE, list(settings()), lambda each: (STEPS, MILLISECONDS[each["n_layers"]]), measure)
