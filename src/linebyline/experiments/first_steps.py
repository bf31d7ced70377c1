"""Controls on the studies of batch sizes and of warm-up.

In the study of batch sizes warm-up lasts equally many windows, so that small batches warm up for more steps; here all
have 20 steps of it, and 200 in all. The better of two rates counts; 3e-3 and 6e-2 were worse with one seed (5.67 and
5.59 nats for batches of 8, not 5.30, and 4.81 and 4.19 for batches of 128, not 4.12). The one case in which warm-up
decides was found among twelve, so it is asked again with new seeds. RAdam trains the same post-norm blocks without
warm-up, because it shortens its first steps by itself.
"""

import math
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch import nn

from clearformer import training

from . import batch_size, warmup
from .small_decoders import rounded, sizes, trainer, unseen_loss
from .studies import Facts, Progress, Study, Texts

STEPS, WARMUP, RATES, SEEDS = 200, 20, (1e-2, 3e-2), 3
BATCHES = batch_size.BATCHES[1:]
PEAK, RADAM_SEEDS, LOOK = max(warmup.RATES), 5, 16  # of the runs with RAdam; the step whose gradients are compared
NEW_SEEDS = range(5, 10)  # that the study of warm-up does not have


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, those of RAdam first."""
    for seed in range(RADAM_SEEDS):
        yield {"optimizer": "radam", "seed": seed}
    for seed in NEW_SEEDS:
        for steps in warmup.WARMUPS:
            yield {"optimizer": "adamw", "warmup": steps, "seed": seed}
    for seed in range(SEEDS):
        for batch in BATCHES:
            for peak in RATES:
                yield {"batch": batch, "peak": peak, "seed": seed}


def radam(named_parameters: Iterable[tuple[str, nn.Parameter]]) -> torch.optim.Optimizer:
    """Return RAdam with the decay and the betas of the package's AdamW."""
    groups = training.adamw(named_parameters).param_groups
    kept = [{name: group[name] for name in ("params", "weight_decay", "betas")} for group in groups]
    return torch.optim.RAdam(kept, decoupled_weight_decay=True)


def prepared(setting: Facts, texts: Texts, device: str = "cpu") -> training.Trainer:
    """Make the trainer of a setting."""
    seed = setting["seed"]
    if "optimizer" in setting:
        of = {"norm": "post", "n_layers": 4, "peak": PEAK, "warmup": setting.get("warmup", 0), "seed": seed}
        made = warmup.prepared(of, texts, device)
        if setting["optimizer"] == "radam":
            made.optimizer = radam(made.model.named_parameters())
        return made
    batch, peak = setting["batch"], setting["peak"]
    recipe = sizes(
        batch_size.D_MODEL, batch_size.N_LAYERS, batch=batch, steps=STEPS, peak=peak, warmup=WARMUP, seed=seed
    )
    made = trainer(recipe, texts.read, device=device)
    made.schedule = training.warmup_cosine(peak, WARMUP, STEPS, floor=1.0)
    return made


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once; of post-norm blocks, compare the gradients of the first and the last as well."""
    made = prepared(setting, texts, device)
    run, losses, found = made.steps(_steps(setting)[0], progress), list[float](), dict[str, Any]()
    for step, loss in enumerate(run):
        losses.append(loss)
        if "optimizer" in setting and step == LOOK:
            first, *_, last = warmup.watched(made.model, warmup.matrices(made.model))["gradient"]
            found["ratio"] = rounded(first / last)
    first_losses = [rounded(loss) for loss in losses[:3]]
    return {"first": first_losses, **found, "unseen": unseen_loss(made.model, texts.unseen)}


def rectified(step: int, beta_2: float = 0.99) -> float:
    """Return the factor by which RAdam shortens a step, counted from 1; at first it does not divide, and this is 0.

    Source: Liu et al. (2020), algorithm 2.

    Example:
        >>> [round(rectified(step), 2) for step in (5, 6, 16, 200)]
        [0.0, 0.08, 0.23, 0.82]
    """
    most = 2 / (1 - beta_2) - 1
    rho = most - 2 * step * beta_2**step / (1 - beta_2**step)
    if rho <= 5:
        return 0.0
    return math.sqrt((rho - 4) * (rho - 2) * most / ((most - 4) * (most - 2) * rho))


def _steps(setting: Facts) -> tuple[int, int]:
    if "optimizer" in setting:
        return warmup.STEPS, warmup.MILLISECONDS[4]
    return STEPS, batch_size.MILLISECONDS[setting["batch"]]


RECIPE = {"steps": STEPS, "warmup": WARMUP, "peak": PEAK, "radam_steps": warmup.STEPS, "look": LOOK}
STUDY = Study("first_steps", RECIPE, list(settings()), _steps, measure)
