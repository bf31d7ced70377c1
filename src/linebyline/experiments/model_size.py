"""How large a model? Five sizes at two budgets of operations: a larger model reads less.

The peak rate is 0.6 over the width: at the smaller budget half of it cost up to 0.15 nats more, and twice as much
between 0.03 less and 0.12 more. With a quarter of that budget the best size would be below the smallest one.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.utils.flop_counter import FlopCounterMode

from clearformer import training
from linebyline import pretrained

from .small_decoders import CONTEXT, rounded, sizes, trainer, unseen_loss
from .studies import Facts, Progress, Study, Texts

BATCH, WARMUP, RATE = 8, 0.1, 0.6  # windows, share of the steps, peak rate times width
SIZES = ((8, 1), (16, 2), (24, 2), (32, 3), (48, 3))  # width and blocks
BUDGETS, SEEDS = (2e10, 8e10), 3  # operations of a training run
MILLISECONDS = {8: 8, 16: 9, 24: 10, 32: 13, 48: 15}  # a step takes about as long, for the progress bar


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    for seed in range(SEEDS):
        for budget in BUDGETS:
            for d_model, n_layers in SIZES:
                yield {"d_model": d_model, "n_layers": n_layers, "budget": budget, "seed": seed}


def parameters(d_model: int, n_layers: int) -> int:
    """Count the parameters of a decoder of the study; the table, which is read twice, once."""
    with torch.device("meta"):
        count = sum(p.numel() for p in pretrained.rotary_decoder(sizes(d_model, n_layers).config()).parameters())
    return int(count)


def steps_of(setting: Facts) -> int:
    """Return the number of steps that a budget allows, by the rule of six operations for a parameter and a token."""
    tokens = setting["budget"] / 6 / parameters(setting["d_model"], setting["n_layers"])
    return max(1, int(tokens / (BATCH * CONTEXT) + 0.5))


def counted(d_model: int, n_layers: int) -> float:
    """Count the operations of a step, and give how many there are for each parameter and token: about 6."""
    recipe, ids = sizes(d_model, n_layers, batch=2), torch.zeros(CONTEXT + 1, dtype=torch.long)
    model = trainer(recipe, ids.repeat(2)).model
    with FlopCounterMode(display=False) as counter:
        training.next_token_loss(model, (ids[None, :-1], ids[None, 1:])).backward()  # type: ignore[no-untyped-call]
    return float(counter.get_total_flops()) / CONTEXT / parameters(d_model, n_layers)


def prepared(setting: Facts, texts: Texts, device: str = "cpu") -> training.Trainer:
    """Make the trainer of a setting, with a peak rate that falls with the width."""
    steps, d_model = steps_of(setting), setting["d_model"]
    rates = {"peak": RATE / d_model, "warmup": max(1, round(WARMUP * steps))}
    recipe = sizes(d_model, setting["n_layers"], batch=BATCH, steps=steps, seed=setting["seed"], **rates)
    return trainer(recipe, texts.read, device=device)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, and measure what unseen text costs."""
    made, steps = prepared(setting, texts, device), steps_of(setting)
    losses = made.run(steps, progress)
    facts = {"parameters": parameters(setting["d_model"], setting["n_layers"]), "steps": steps}
    return {**facts, "first": [rounded(loss) for loss in losses[:3]], "unseen": unseen_loss(made.model, texts.unseen)}


class Best(NamedTuple):
    """The lowest point of a parabola: a number of parameters, and the loss there."""

    parameters: float
    loss: float


def best_size(losses: Mapping[float, float]) -> Best:
    """Draw a parabola through losses against the logarithm of the number of parameters, and give its lowest point.

    Raises:
        ValueError: the parabola has no lowest point.

    Source: Hoffmann et al. (2022), section 3.2.

    Example:
        >>> best = best_size({1e3: 5.0, 1e4: 4.0, 1e5: 5.0})
        >>> round(best.parameters), round(best.loss, 6)
        (10000, 4.0)
    """
    a, b, c = np.polyfit([math.log(n) for n in losses], list(losses.values()), 2)
    if a <= 0:
        raise ValueError(f"losses {list(losses.values())} curve downward: the parabola has no lowest point")
    return Best(math.exp(-b / (2 * a)), float(c - b * b / (4 * a)))


RECIPE = {"context": CONTEXT, "batch": BATCH, "warmup": WARMUP, "rate_times_width": RATE}
STUDY = Study("model_size", RECIPE, list(settings()), lambda s: (steps_of(s), MILLISECONDS[s["d_model"]]), measure)
