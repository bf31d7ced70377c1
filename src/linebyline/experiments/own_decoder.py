"""What do typical mistakes cost? Two blocks with one mistake each, at the budget of the project, beside a bigram.

"given weights" makes no mistake either: it starts from the weights that the project hands out.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import nn

from linebyline import growing
from linebyline.growing.mistakes import MISTAKES, decoder
from linebyline.growing.record import ALL

from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

STEPS = 500
SHIFTS = {"shifted twice": 2, "not shifted": 0}
KINDS = ("no mistake", "bigram", *MISTAKES, *SHIFTS, "given weights")


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    yield from ({"kind": kind, "seed": seed} for seed in range(SEEDS) for kind in KINDS)


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Module]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, kind, seed = growing.text(), setting["kind"], setting["seed"]
    if kind == "bigram":
        bigram = growing.build("tokens", text.vocab_size, seed)
        return Prepared(bigram, text, STEPS, ALL["tokens"].rate, seed)
    sizes = text.vocab_size, growing.D_MODEL, growing.N_HEADS, growing.N_LAYERS
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = decoder(*sizes, **MISTAKES.get(kind, {}))
    if kind == "given weights":
        model = growing.Given(growing.start(text.vocab_size, growing.D_MODEL, growing.N_LAYERS, seed=seed), sizes[2])
    return Prepared(model, text, STEPS, ALL["two blocks"].rate, seed, SHIFTS.get(kind, 1))


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the mean of the last 50, the bits per byte on unseen text and, without a mask, those in use.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(STEPS))]
    found: dict[str, Any] = {"first": [rounded(loss) for loss in losses[:3]], "last": rounded(sum(losses[-50:]) / 50)}
    found["bits"] = rounded(growing.bits_per_byte(run.model, run.text))
    if setting["kind"] == "no mask":
        found["in_use"] = rounded(growing.bits_in_use(run.model, run.text))
    return found


SIZES = {"d_model": growing.D_MODEL, "n_heads": growing.N_HEADS, "n_layers": growing.N_LAYERS}
RECIPE = {**SIZES, "window": growing.WINDOW, "batch": 16, "warmup": 50, "steps": STEPS}
STUDY = Study("own_decoder", RECIPE, list(settings()), lambda each: (STEPS, 30), measure)
