"""What each choice in the recipe of the language model is worth: alternatives trained on the same half of the text."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

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


def alternatives(recipe: Recipe) -> dict[str, tuple[Recipe, Start]]:
    """Return the recipe, and recipes that differ from it in one choice, by name, each with its start."""
    untrained = pretrained.untrained
    return {
        "the recipe": (recipe, untrained),
        "learned positions": (recipe, lambda recipe, generator: pretrained.zero_init(gpt2(recipe.config(), generator))),
        "a start as drawn": (recipe, lambda recipe, generator: pretrained.rotary_decoder(recipe.config(), generator)),
        "windows of half the length": (replace(recipe, context=recipe.context // 2, batch=2 * recipe.batch), untrained),
        "512 tokens": (replace(recipe, vocab_size=512), untrained),
        "2,048 tokens, three blocks": (replace(recipe, vocab_size=2048, n_layers=3), untrained),
        "three blocks of width 144": (replace(recipe, n_layers=3, d_model=144), untrained),
        "half the rate": (replace(recipe, peak=recipe.peak / 2), untrained),
        "twice the rate": (replace(recipe, peak=recipe.peak * 2), untrained),
        "half the batch": (replace(recipe, batch=recipe.batch // 2), untrained),
        "twice the batch": (replace(recipe, batch=recipe.batch * 2), untrained),
    }


def compare(folder: Path, processes: Processes) -> None:
    """Train the recipe and its alternatives, and write what unseen text costs each to ``choices.json``."""
    (text, unseen), results = pretrained.LANGUAGE_MODEL.corpus(), []
    for name, (recipe, start) in alternatives(pretrained.LANGUAGE_MODEL.recipe).items():
        tokenizer = BPETokenizer.train(text, recipe.vocab_size)
        ids = torch.tensor(tokenizer.encode(text))
        steps = round(EPOCHS * len(ids) / (recipe.batch * recipe.context))
        recipe = replace(recipe, steps=steps, warmup=round(0.05 * steps))
        native = bfloat16_if_native(processes.device)
        trainer = pretrained.trainer(recipe, ids, start=start, autocast=native, processes=processes)
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
