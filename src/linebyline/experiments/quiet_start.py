"""Does a quiet start need a warm-up? Pre-norm decoders whose last matrices start at zero, or whose table starts short.

All else is as in the study of warm-up, whose pre-norm decoders start as they are drawn: four blocks, no clipping.
"""

from collections.abc import Iterator
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder
from clearformer.nn import Embedding
from linebyline import pretrained

from . import warmup
from .small_decoders import blocks, rounded, unseen_loss
from .studies import Facts, Progress, Study, Texts

N_LAYERS, SEEDS = 4, 5
KINDS = {"both": warmup.RATES[1:], "zeros": warmup.RATES[2:], "short": warmup.RATES[2:]}  # the rates of each start


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        for kind, rates in KINDS.items():
            for peak in rates:
                for steps in warmup.WARMUPS:
                    yield {"start": kind, "peak": peak, "warmup": steps, "seed": seed}


def prepared(setting: Facts, texts: Texts, device: str = "cpu") -> training.Trainer:
    """Make the trainer of a setting, from the weights and the windows that the same seed gives in the other study."""
    of = {name: setting[name] for name in ("peak", "warmup", "seed")}
    made = warmup.prepared({"norm": "pre", "n_layers": N_LAYERS, **of}, texts, device)
    model = cast(Decoder, made.model)
    table, as_drawn = cast(Embedding, model.embedding).table, warmup.matrices(model)
    rows = table.detach().clone()
    pretrained.zero_init(model)
    with torch.no_grad():
        if setting["start"] == "zeros":
            table.copy_(rows)
        if setting["start"] == "short":
            for block, matrices in zip(blocks(model), as_drawn, strict=True):
                for weights, before in zip((p for p in block.parameters() if p.ndim == 2), matrices, strict=True):
                    weights.copy_(before)
    return made


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, and return the first losses, and what unseen text costs at the end."""
    made = prepared(setting, texts, device)
    losses = made.run(warmup.STEPS, progress)
    return {"first": [rounded(loss) for loss in losses[:3]], "unseen": unseen_loss(made.model, texts.unseen)}


RECIPE = {**warmup.RECIPE, "watched": (), "n_layers": N_LAYERS}
STUDY = Study("quiet_start", RECIPE, list(settings()), lambda each: (warmup.STEPS, warmup.MILLISECONDS[4]), measure)
