"""What each choice in the recipe of the language model is worth: alternatives trained on the same half of the text."""

import json
import math
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, cast

import torch
from tqdm import tqdm

from clearformer.files import write_whole
from clearformer.models import Decoder, gpt2
from clearformer.tokenizers import BPETokenizer
from clearformer.training import Processes, bfloat16_if_native
from linebyline import corpora, evaluation, pretrained
from linebyline.pretrained import LanguageModel, Recipe, Start
from linebyline.training_run import Record

EPOCHS = 0.5  # passes over the text of each run
NEAR, FAR = 8, 128  # numbers of tokens of context whose losses are compared


class Alternative(NamedTuple):
    """A recipe, and the choices that a recipe does not record."""

    recipe: Recipe
    start: Start = pretrained.untrained
    warmup: float = 0.05  #: The fraction of the steps in which the rate rises
    clip: float = 1.0  #: The length at which a gradient is cut


def _learned(recipe: Recipe, generator: torch.Generator) -> Decoder:
    return pretrained.zero_init(gpt2(recipe.config(), generator))


def _drawn(recipe: Recipe, generator: torch.Generator) -> Decoder:
    return pretrained.rotary_decoder(recipe.config(), generator)


def alternatives(recipe: Recipe) -> dict[str, Alternative]:
    """Return the recipe, and recipes that differ from it in one choice, by name."""
    half = replace(recipe, context=recipe.context // 2, batch=2 * recipe.batch)
    return {
        "the recipe": Alternative(recipe),
        "learned positions": Alternative(recipe, _learned),
        "a start as drawn": Alternative(recipe, _drawn),
        "windows of half the length": Alternative(half),
        "512 tokens": Alternative(replace(recipe, vocab_size=512)),
        "2,048 tokens, three blocks": Alternative(replace(recipe, vocab_size=2048, n_layers=3)),
        "three blocks of width 144": Alternative(replace(recipe, n_layers=3, d_model=144)),
        "half the rate": Alternative(replace(recipe, peak=recipe.peak / 2)),
        "twice the rate": Alternative(replace(recipe, peak=recipe.peak * 2)),
        "half the batch": Alternative(replace(recipe, batch=recipe.batch // 2)),
        "twice the batch": Alternative(replace(recipe, batch=recipe.batch * 2)),
        "another seed": Alternative(replace(recipe, seed=2)),
        "no warm-up": Alternative(recipe, warmup=0),
        "as drawn, no warm-up": Alternative(recipe, _drawn, warmup=0),
        "no clipping": Alternative(recipe, clip=math.inf),
    }


def compare(folder: Path, processes: Processes) -> None:
    """Train the recipe and its alternatives, and write what unseen text costs each to ``choices.json``."""
    (text, unseen), results = pretrained.LANGUAGE_MODEL.corpus(), []
    for name, (recipe, start, warmup, clip) in alternatives(pretrained.LANGUAGE_MODEL.recipe).items():
        tokenizer = BPETokenizer.train(text, recipe.vocab_size)
        ids = torch.tensor(tokenizer.encode(text))
        steps = round(EPOCHS * len(ids) / (recipe.batch * recipe.context))
        recipe = replace(recipe, steps=steps, warmup=round(warmup * steps))
        native = bfloat16_if_native(processes.device)
        trainer = pretrained.trainer(recipe, ids, start=start, clip=clip, autocast=native, processes=processes)
        losses = trainer.run(steps, partial(tqdm, desc=name, unit="step"))
        trained = LanguageModel(cast(Decoder, trainer.model), tokenizer, Record(recipe, losses=losses))
        far = min(FAR, recipe.context)
        by_context = evaluation.loss_by_context(trained, unseen, (NEAR, far))
        parameters = sum(parameter.numel() for parameter in trained.model.parameters())
        facts = {"name": name, "parameters": parameters, "steps": steps, "first": losses[0]}
        bits, gain = evaluation.bits_per_byte(trained, unseen), by_context[NEAR] - by_context[far]
        results.append({**facts, "bits_per_byte": bits, "gain": gain})
    content = {"text": corpora.text_hash(text), "epochs": EPOCHS, "choices": results}
    write_whole(folder / "choices.json", json.dumps(content, indent=1) + "\n")
