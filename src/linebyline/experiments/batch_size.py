"""How large a batch? Loss against steps and against windows for several sizes, and the noise scale on the way.

Each batch size has two rates, of which the better counts; others were worse at the ends, 3e-3 for batches of 2 (5.39
nats, not 5.26) and 6e-2 for batches of 256 (5.60, not 5.52). After warm-up the rate stays, so any step can be compared.
The noise scale of a seed is a ratio of two means, over three times 64 small batches: a ratio of single estimates is
biased.
"""

from collections.abc import Iterator
from typing import Any

import torch

from clearformer import training

from .noise_scale import gradients, noise_scale
from .small_decoders import CONTEXT, rounded, sizes, trainer, unseen_loss
from .studies import Facts, Progress, Study, Texts

D_MODEL, N_LAYERS = 32, 2
WINDOWS, MOST_STEPS = 6400, 800  # each run reads as many windows, or as many as so many steps allow
WARMUP_WINDOWS = 640
BATCHES, RATES, SEEDS = (2, 8, 32, 128, 256), (1e-2, 3e-2), 2
NOISE_BATCH, NOISE_RATE, NOISE_SEEDS = 32, 1e-2, 4  # of the training on whose way the noise scale is measured
MOMENTS = (0, 25, 50, 100, 200, 400, 800)  # how many of its steps were made before a measurement
SMALL, N_SMALL, REPEATS = 4, 64, 3  # windows of a small batch, small batches in a large one, large ones
MILLISECONDS = {2: 8, 8: 12, 32: 25, 128: 110, 256: 220}  # a step takes about as long, for the progress bar


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next; those of the noise scale have no batch."""
    for seed in range(NOISE_SEEDS):
        yield {"moments": list(MOMENTS), "seed": seed}
        for batch in BATCHES if seed < SEEDS else ():
            for peak in RATES:
                yield {"batch": batch, "peak": peak, "seed": seed}


def marks(steps: int) -> list[int]:
    """Return the numbers of steps after which the loss is measured: powers of two, and the last.

    Example:
        >>> marks(50)
        [1, 2, 4, 8, 16, 32, 50]
    """
    return sorted({2**i for i in range(steps.bit_length()) if 2**i <= steps} | {steps})


def steps_of(batch: int) -> int:
    """Return the number of steps of a batch size."""
    return min(WINDOWS // batch, MOST_STEPS)


def prepared(setting: Facts, texts: Texts, device: str = "cpu") -> training.Trainer:
    """Make the trainer of a setting, with a rate that rises for some windows and stays."""
    batch, peak, seed = setting.get("batch", NOISE_BATCH), setting.get("peak", NOISE_RATE), setting["seed"]
    steps, warmup = steps_of(batch), max(1, WARMUP_WINDOWS // batch)
    recipe = sizes(D_MODEL, N_LAYERS, batch=batch, steps=steps, peak=peak, warmup=warmup, seed=seed)
    made = trainer(recipe, texts.read, device=device)
    made.schedule = training.warmup_cosine(peak, warmup, steps, floor=1.0)
    return made


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, with measurements of the unseen loss, or of the noise scale."""
    if "moments" in setting:
        return noise_on_the_way(setting, texts, device, progress)
    made, steps = prepared(setting, texts, device), steps_of(setting["batch"])
    run, first, unseen = made.steps(steps, progress), list[float](), list[tuple[int, float]]()
    for step in range(1, steps + 1):
        loss = next(run)
        first += [rounded(loss)] if step <= 3 else []
        if step in marks(steps):
            unseen.append((step, unseen_loss(made.model, texts.unseen)))
    return {"first": first, "unseen": unseen}


def noise_on_the_way(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train with one batch size, and measure the noise scale before some of the steps."""
    made, moments, seed = prepared(setting, texts, device), setting["moments"], setting["seed"]
    run, first, noise = made.steps(max(moments), progress), list[float](), list[dict[str, Any]]()
    generator = torch.Generator().manual_seed(10_000 + seed)  # separate: training draws the same numbers
    for moment in moments:
        losses = [next(run) for _ in range(made.step, moment)]
        first += [rounded(loss) for loss in losses[: max(0, 3 - len(first))]]
        unseen = unseen_loss(made.model, texts.unseen)
        noise.append({"step": moment, "unseen": unseen, **noise_at(made, texts, generator)})
    return {"first": first, "noise": noise}


def noise_at(made: training.Trainer, texts: Texts, generator: torch.Generator) -> dict[str, list[float]]:
    """Estimate the squared gradient and the variance of a window's gradient, several times."""
    device = next(made.model.parameters()).device
    draw = training.token_windows(texts.read, batch=SMALL, length=CONTEXT)
    found = []
    for _ in range(REPEATS):
        batches = [tuple(part.to(device) for part in draw(generator)) for _ in range(N_SMALL)]
        found.append(noise_scale(gradients(made.model, batches), SMALL))
    return {"squared": [rounded(one.squared) for one in found], "variance": [rounded(one.variance) for one in found]}


def _steps(setting: Facts) -> tuple[int, int]:
    if "moments" in setting:
        return max(setting["moments"]), MILLISECONDS[32] + 10
    return steps_of(setting["batch"]), MILLISECONDS[setting["batch"]]


NOISE = {"batch": NOISE_BATCH, "peak": NOISE_RATE, "small": SMALL, "n_small": N_SMALL, "repeats": REPEATS}
LENGTHS = {"windows": WINDOWS, "most_steps": MOST_STEPS, "warmup_windows": WARMUP_WINDOWS}
RECIPE = {"d_model": D_MODEL, "n_layers": N_LAYERS, "context": CONTEXT, **LENGTHS, "noise": NOISE}
STUDY = Study("batch_size", RECIPE, list(settings()), _steps, measure)
