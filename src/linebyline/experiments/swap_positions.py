"""Why do rotations help so much? Three controls for the swap of positions from the chapter on Llama.

In place of learned positions or rotations, the model has no positions, sines that are added and never learned, or a
learned table that starts smaller. All else is as in the swaps, with gated layers and as many parameters.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, cast

import torch

from clearformer import nn, training
from clearformer.models import Decoder
from linebyline import corpora, evaluation, gpt2_to_llama, pretrained
from linebyline.gpt2_to_llama import RECIPE, SWIGLU, Generator, Parts, Positions
from linebyline.pretrained import Recipe

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 5
SCALE = 0.04  # makes the added sines about as long as the vectors of tokens at the start
SMALLER = 1 / 32  # makes the vectors of a learned table about a fiftieth as long as those of tokens at the start


def none(recipe: Recipe, generator: Generator) -> Positions:
    """Say nothing about positions."""
    return None, None


def sines(recipe: Recipe, generator: Generator) -> Positions:
    """Add the sines of each position, which stay as they are."""
    added = nn.SinusoidalEncoding(recipe.context, recipe.d_model)
    added.table.mul_(SCALE)
    return added, None


def small_table(recipe: Recipe, generator: Generator) -> Positions:
    """Add a learned vector for each position, from the same table as in the swaps, made smaller."""
    added = nn.LearnedEncoding(recipe.context, recipe.d_model, generator=generator)
    with torch.no_grad():
        added.table.mul_(SMALLER)
    return added, None


KINDS: dict[str, Parts] = {
    "none": replace(SWIGLU, positions=none),
    "sines": replace(SWIGLU, positions=sines),
    "small table": replace(SWIGLU, positions=small_table),
}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield from ({"kind": kind, "seed": seed} for kind in KINDS)


def prepared(setting: Facts, texts: Texts) -> training.Trainer:
    """Make the trainer of a setting; with one seed all kinds read the windows that the swaps read."""
    return gpt2_to_llama.trainer(KINDS[setting["kind"]], replace(RECIPE, seed=setting["seed"]), texts.read)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor, and return the first losses, and the bits per byte of unseen text."""
    made, like = prepared(setting, texts), pretrained.language_model()
    losses = made.run(RECIPE.steps, progress)
    model = cast(Decoder, made.model.eval())
    trained = replace(like, model=model, record=replace(like.record, recipe=RECIPE))
    bits = evaluation.bits_per_byte(trained, corpora.docstrings_split()[1])
    return {"first": [rounded(loss) for loss in losses[:3]], "bits": rounded(bits)}


STUDY = Study("swap_positions", asdict(RECIPE), list(settings()), lambda each: (RECIPE.steps, 50), measure)
