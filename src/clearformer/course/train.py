"""Train the models that are kept with the course: ``python -m clearformer.course.train language_model``.

A training that was interrupted goes on from its last checkpoint when the same command is given again. The kept file
is replaced at the very end, in one move. Products are computed in bfloat16 where the device has it: the language model
then takes about 50 minutes on one core of a server, and 90 where it has not.

``python -m clearformer.course.train choices`` trains the recipe and its alternatives for a while each, and writes
what each choice brings.
"""

import argparse
import json
import math
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import cast

import torch
from tqdm import tqdm

from clearformer import tensor_files
from clearformer.course import corpora, evaluation, pretrained, translation
from clearformer.course.pretrained import AnyRecipe, LanguageModel, Recipe, Record, Start
from clearformer.course.translation import rivals
from clearformer.models import Decoder, EncoderDecoder, gpt2
from clearformer.tokenizers import BPETokenizer
from clearformer.training import Trainer, bfloat16_if_native

SAVED = 1000  # steps from one checkpoint to the next
POINTS = 240  # how many means of the losses are kept, at most
EPOCHS = 0.5  # how much of the text each choice is trained on
NEAR, FAR = 8, 128  # between which numbers of tokens before it each choice is asked what more of them bring


def language_model(folder: Path, device: str) -> None:
    """Train the language model of the course, and keep it in the folder."""
    texts, source = corpora.docstrings_split(), corpora.docstrings_versions()
    checkpoint = folder / "language_model.checkpoint.safetensors"
    trained = train(Recipe(), texts, checkpoint=checkpoint, source=source, device=device)
    pretrained.save(trained, folder / "language_model.safetensors")
    for path in (checkpoint, _beside(checkpoint)):
        path.unlink()


def translator(folder: Path, device: str) -> None:
    """Train the translator of the course, and keep it in the folder."""
    recipe, words = translation.Recipe(), translation.Words.of(translation.GRAMMARS)
    checkpoint = folder / "translator.checkpoint.safetensors"
    trainer = translation.trainer(recipe, words, device=device, autocast=bfloat16_if_native(device))
    begin = partial(translation.trainer, recipe, words, device=device)
    record = begun(trainer, recipe, checkpoint, translation.grammars_hash(), "", begin)
    trained = translation.Translator(cast(EncoderDecoder, trainer.model), words, record)
    run(trainer, record, recipe.steps, checkpoint, partial(translation.accuracy, trained), SAVED)
    model = trained.model.eval().cpu()
    translation.save(replace(trained, model=model, record=thinned(record)), folder / "translator.safetensors")
    for path in (checkpoint, _beside(checkpoint)):
        path.unlink()


def choices(folder: Path, device: str) -> None:
    """Train the recipe and its alternatives on the same stretch of text, and write what unseen text costs each."""
    (text, unseen), found = corpora.docstrings_split(), []
    for name, (recipe, start) in alternatives().items():
        tokenizer = BPETokenizer.train(text, recipe.vocab_size)
        ids = torch.tensor(tokenizer.encode(text))
        steps = round(EPOCHS * len(ids) / (recipe.batch * recipe.context))
        recipe = replace(recipe, steps=steps, warmup=round(0.05 * steps))
        native = bfloat16_if_native(device)
        trainer = pretrained.trainer(recipe, ids, start=start, device=device, autocast=native)
        losses = list(trainer.run(steps, partial(tqdm, desc=name, unit="step")))
        record = Record(recipe, corpora.text_hash(text), "", [], losses, every=1, checks=[])
        trained = LanguageModel(recipe.config(), cast(Decoder, trainer.model), tokenizer, record)
        found.append(
            {
                "name": name,
                "parameters": sum(parameter.numel() for parameter in trained.model.parameters()),
                "steps": steps,
                "first": losses[0],
                "bits_per_byte": evaluation.bits_per_byte(trained, unseen),
                "gain": _gain(trained, unseen),
            }
        )
    content = {"text": corpora.text_hash(text), "epochs": EPOCHS, "choices": found}
    (folder / "choices.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def _gain(trained: LanguageModel, text: str) -> float:
    """What it brings to see further back, in nats for a token."""
    near, far = NEAR, min(FAR, trained.config.context)
    losses = evaluation.loss_by_context(trained, text, (near, far))
    return losses[near] - losses[far]


def translation_rivals(folder: Path, device: str) -> None:
    """Train those who translate otherwise, three times each, and write what they can do."""
    content = rivals.compare(range(3), lambda name: partial(tqdm, desc=name, unit="step"))
    (folder / "translation_rivals.json").write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


def alternatives() -> dict[str, tuple[Recipe, Start]]:
    """The recipe, and what differs from it in one choice, by name."""
    recipe, untrained = Recipe(), pretrained.untrained
    return {
        "the recipe": (recipe, untrained),
        "learned positions": (recipe, lambda recipe, generator: pretrained.quiet(gpt2(recipe.config(), generator))),
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


def train(
    recipe: Recipe,
    texts: Sequence[str],
    *,
    checkpoint: Path,
    source: str = "",
    device: str = "cpu",
    every: int = SAVED,
) -> LanguageModel:
    """Train a language model by a recipe, going on from a checkpoint if there is one.

    Args:
        recipe: Sizes, batches and rates.
        texts: What it reads, and what else it is measured on.
        checkpoint: The file that is written every few steps; the record so far stands beside it.
        source: Where the texts come from.
        device: Where the model computes.
        every: Steps from one checkpoint, and one measurement, to the next.

    Raises:
        ValueError: the checkpoint was begun with another recipe or text.
    """
    tokenizer = BPETokenizer.train(texts[0], recipe.vocab_size)
    ids = torch.tensor(tokenizer.encode(texts[0]))
    trainer = pretrained.trainer(recipe, ids, device=device, autocast=bfloat16_if_native(device))
    # The first losses are made in float32, so that they are the same on every machine.
    begin = partial(pretrained.trainer, recipe, ids, device=device)
    record = begun(trainer, recipe, checkpoint, corpora.text_hash(texts[0]), source, begin)
    trained = LanguageModel(recipe.config(), cast(Decoder, trainer.model), tokenizer, record)
    known = texts[0][-len(texts[1]) :]

    def measure() -> tuple[float, float]:
        return evaluation.bits_per_byte(trained, known), evaluation.bits_per_byte(trained, texts[1])

    run(trainer, record, recipe.steps, checkpoint, measure, every)
    return replace(trained, model=trained.model.eval().cpu(), record=thinned(record))


def run(
    trainer: Trainer,
    record: Record[AnyRecipe],
    steps: int,
    checkpoint: Path,
    measure: Callable[[], tuple[float, float]],
    every: int,
) -> None:
    """Train up to a number of steps; every few of them, measure, and write the record and then a checkpoint."""
    with tqdm(total=steps, initial=trainer.step, unit="step") as bar:
        while trainer.step < steps:
            for loss in trainer.run(min(every, steps - trainer.step)):
                record.losses.append(loss)
                bar.set_postfix(loss=f"{loss:.2f}", refresh=False)
                bar.update()
            record.checks.append((trainer.step, *measure()))
            # The record comes first: it may be ahead of the checkpoint, but never behind.
            tensor_files.save_tensors(_beside(checkpoint), {}, record.to_facts())
            trainer.save(checkpoint)


def thinned(record: Record[AnyRecipe]) -> Record[AnyRecipe]:
    """Keep the means of some losses in a row, in the place of all losses of a record.

    Example:
        >>> losses = [float(step) for step in range(961)]
        >>> record = thinned(Record(Recipe(steps=961), "", "", [], losses, every=1, checks=[]))
        >>> record.every, len(record.losses), record.losses[:2], record.losses[-1]
        (5, 193, [2.0, 7.0], 960.0)
    """
    losses, every = record.losses, math.ceil(len(record.losses) / POINTS)
    means = [statistics.fmean(losses[i : i + every]) for i in range(0, len(losses), every)]
    return replace(record, losses=means, every=every)


def begun(
    trainer: Trainer, recipe: AnyRecipe, checkpoint: Path, text: str, source: str, exact: Callable[[], Trainer]
) -> Record[AnyRecipe]:
    """Go on where the checkpoint stands, if there is one; what the record holds beyond it is made again.

    Args:
        trainer: Takes the checkpoint.
        recipe: Its recipe.
        checkpoint: The file; the record stands beside it.
        text: Hash of the text.
        source: Where the text comes from.
        exact: Makes the same training anew, whose first losses are noted at the beginning.

    Raises:
        ValueError: the checkpoint was begun with another recipe or text.
    """
    if not checkpoint.exists():
        first = list(exact().run(pretrained.EXACT))
        return Record(recipe, text, source, first, [], every=1, checks=[])
    _, facts = tensor_files.load_tensors(_beside(checkpoint))
    record = Record.from_facts(facts, type(recipe))
    if (record.recipe, record.text) != (recipe, text):
        raise ValueError(f"{checkpoint} was begun with another recipe or text: delete it, and training starts anew")
    trainer.load(checkpoint)
    checks = [check for check in record.checks if check[0] <= trainer.step]
    return replace(record, losses=record.losses[: trainer.step], checks=checks)


def _beside(checkpoint: Path) -> Path:
    return checkpoint.with_suffix(".record.safetensors")


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    commands = {
        "language_model": language_model,
        "choices": choices,
        "translator": translator,
        "translation_rivals": translation_rivals,
    }
    parser = argparse.ArgumentParser(prog="python -m clearformer.course.train", description=__doc__)
    parser.add_argument("name", choices=commands)
    parser.add_argument("--device", default="cpu", help="where to compute, such as cuda (cpu when left out)")
    parser.add_argument("--folder", type=Path, default=pretrained.WEIGHTS, help="where to write")
    options = parser.parse_args(arguments)
    commands[options.name](options.folder, options.device)


if __name__ == "__main__":
    main()
