"""Why do rotations help so much? Two controls for the swap of positions from the chapter on Llama.

In place of learned positions or rotations, the model has no positions, or sines that are added and never learned. All
else is as in the swaps, with gated layers and as many parameters.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from clearformer import nn
from linebyline import corpora, evaluation, gpt2_to_llama, pretrained
from linebyline.gpt2_to_llama import RECIPE, SWIGLU, Generator, Parts, Positions
from linebyline.pretrained import Recipe

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 3
SCALE = 0.04  # makes the added sines about as long as the vectors of tokens at the start


def none(recipe: Recipe, generator: Generator) -> Positions:
    """Say nothing about positions."""
    return None, None


def sines(recipe: Recipe, generator: Generator) -> Positions:
    """Add the sines of each position, which stay as they are."""
    added = nn.SinusoidalEncoding(recipe.context, recipe.d_model)
    added.table.mul_(SCALE)
    return added, None


KINDS: dict[str, Parts] = {"none": replace(SWIGLU, positions=none), "sines": replace(SWIGLU, positions=sines)}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield from ({"kind": kind, "seed": seed} for kind in KINDS)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor, and return the bits per byte of unseen text."""
    like, recipe = pretrained.language_model(), replace(RECIPE, seed=setting["seed"])
    made = gpt2_to_llama.trained(KINDS[setting["kind"]], recipe, texts.read, like, progress)
    return {"bits": rounded(evaluation.bits_per_byte(made, corpora.docstrings_split()[1]))}


STUDY = Study("swap_positions", asdict(RECIPE), list(settings()), lambda each: (RECIPE.steps, 50), measure)
