"""The six decoders beside each other: what unseen text costs after as many steps on the same windows."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer import training
from clearformer.models import Decoder
from linebyline import corpora, evaluation, pretrained
from linebyline.pretrained import LanguageModel, Recipe
from linebyline.swaps.ladder import LADDER, Parts, decoder, equal_width, parameters

RECIPE = Recipe(context=128, d_model=64, n_heads=4, batch=8, steps=500, peak=4e-3, warmup=50)

Progress = Callable[[Iterable[int]], Iterable[int]]


def trainer(parts: Parts, recipe: Recipe, ids: Int[Tensor, " n"]) -> training.Trainer:
    """Prepare a training; with one seed all decoders read the same windows in the same order.

    Args:
        parts: What the decoder is made of.
        recipe: Sizes, batches and rates, and the seed.
        ids: The tokens of the text.
    """

    def start(recipe: Recipe, _: torch.Generator) -> Decoder:
        # A generator of its own: a model that draws fewer weights would otherwise read other windows.
        generator = torch.Generator().manual_seed(recipe.seed)
        return pretrained.zero_init(decoder(parts, recipe, equal_width(parts, recipe), generator))

    return pretrained.trainer(recipe, ids, start=start)


def trained(parts: Parts, recipe: Recipe, ids: Tensor, like: LanguageModel, progress: Progress = iter) -> LanguageModel:
    """Train a decoder, and give it with the tokenizer of a language model.

    Args:
        parts: What the decoder is made of.
        recipe: Sizes, batches and rates, and the seed.
        ids: The tokens of the text.
        like: The language model.
        progress: Wraps the numbers of the steps, such as ``tqdm``.
    """
    made = trainer(parts, recipe, ids)
    made.run(recipe.steps, progress)
    model = made.model.eval()
    assert isinstance(model, Decoder)
    return replace(like, model=model, record=replace(like.record, recipe=recipe))


def compare(
    like: LanguageModel, texts: Sequence[str], seeds: Iterable[int], progress: Callable[[str], Progress]
) -> dict[str, Any]:
    """Train each decoder with several seeds.

    Args:
        like: The language model whose tokenizer cuts the text.
        texts: What they read, and what they are measured on.
        seeds: Starts and orders of windows.
        progress: Makes of a name what wraps the numbers of the steps, such as ``tqdm``.
    """
    ids, models = torch.tensor(like.tokenizer.encode(texts[0])), dict[str, Any]()
    for name, parts in LADDER.items():
        d_ff = equal_width(parts, RECIPE)
        models[name] = {"d_ff": d_ff, "parameters": parameters(parts, RECIPE, d_ff), "bits_per_byte": []}
    for seed in seeds:
        for name, parts in LADDER.items():
            made = trained(parts, replace(RECIPE, seed=seed), ids, like, progress(f"{name}, seed {seed}"))
            models[name]["bits_per_byte"].append(evaluation.bits_per_byte(made, texts[1]))
    return {"recipe": asdict(RECIPE), "text": corpora.text_hash(texts[0]), "models": models}


class Change(NamedTuple):
    """What a swap changes: the mean of the seeds, and its standard error."""

    mean: float
    error: float


def changes(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Change]:
    """Give what each swap adds to the bits per byte, seed by seed, against the model before it.

    Args:
        models: The ``models`` of a comparison.

    Example:
        >>> found = {"a": {"bits_per_byte": [2.0, 2.5]}, "b": {"bits_per_byte": [1.9, 2.2]}}
        >>> change = changes(found)["b"]
        >>> round(change.mean, 3), round(change.error, 3)
        (-0.2, 0.1)
    """
    result = dict[str, Change]()
    for before, name in pairwise(models):
        pairs = zip(models[name]["bits_per_byte"], models[before]["bits_per_byte"], strict=True)
        apart = [after - earlier for after, earlier in pairs]
        result[name] = Change(fmean(apart), stdev(apart) / math.sqrt(len(apart)))
    return result
