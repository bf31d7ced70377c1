"""Train the models that are kept with the course: ``python -m linebyline.train language_model``.

A training that was interrupted goes on from its last checkpoint when the same command is given again. The kept file
is replaced at the very end, in one move. Products are computed in bfloat16 where the device has it: the language model
then takes about 50 minutes on one core of a server, and 90 where it has not.

``torchrun --nproc-per-node 2 -m linebyline.train language_model`` trains a model on two cores.

``python -m linebyline.train choices`` trains the recipe and its alternatives for a while each, and writes
what each choice brings.
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar, cast

import torch
from tqdm import tqdm

from clearformer.files import write_whole
from clearformer.models import Decoder, Encoder, EncoderDecoder, gpt2
from clearformer.tokenizers import BPETokenizer
from clearformer.training import Processes, bfloat16_if_native
from linebyline import corpora, evaluation, kept, pretrained, translation
from linebyline import masked_language_model as masked
from linebyline import text_to_text as t2t
from linebyline.encoder import few_labels, two_sides
from linebyline.kept import Record
from linebyline.pretrained import LanguageModel, Recipe, Start
from linebyline.resumed import SAVED, Training, checkpoint_of, clear
from linebyline.swaps.comparison import compare as compare_swaps
from linebyline.text_to_text import studies
from linebyline.translation import rivals
from linebyline.wirings import comparison

Kept = TypeVar("Kept")
EPOCHS = 0.5  # how much of the text each choice is trained on
NEAR, FAR = 8, 128  # between which numbers of tokens before it each choice is asked what more of them bring


def language_model(folder: Path, processes: Processes) -> None:
    """Train the language model of the course, and keep it in the folder."""
    texts, source = corpora.docstrings_split(), corpora.docstrings_versions()
    path = folder / "language_model.safetensors"
    trained = train(Recipe(), texts, checkpoint=checkpoint_of(path), source=source, processes=processes)
    processes.on_rank_0(lambda: _keep(pretrained.save, trained, path))


def translator(folder: Path, processes: Processes) -> None:
    """Train the translator of the course, and keep it in the folder."""
    recipe, words = translation.Recipe(), translation.Words.of(translation.GRAMMARS)
    prepare, path = partial(translation.trainer, recipe, words), folder / "translator.safetensors"
    training = Training(recipe, prepare, translation.grammars_hash(), processes=processes)

    def trained() -> translation.Translator:
        return translation.Translator(cast(EncoderDecoder, training.model), words, training.record)

    training.complete(checkpoint_of(path), lambda: translation.accuracy(trained()))
    processes.on_rank_0(lambda: _keep(translation.save, trained(), path))


def masked_language_model(folder: Path, processes: Processes) -> None:
    """Train the masked language model of the course, and keep it in the folder."""
    recipe, (text, unseen) = masked.Recipe(), corpora.docstrings_split()
    tokenizer, path = masked.tokenizer_of(text, recipe.vocab_size), folder / "masked_language_model.safetensors"
    prepare = partial(masked.trainer, recipe, tokenizer, text)
    source = corpora.docstrings_versions()
    training = Training(recipe, prepare, corpora.text_hash(text), source, processes=processes)

    def trained() -> masked.MaskedLanguageModel:
        return masked.MaskedLanguageModel(cast(Encoder, training.model), tokenizer, training.record)

    def measure() -> tuple[float, float]:
        return masked.guessing(trained(), text[-len(unseen) :])[0], masked.guessing(trained(), unseen)[0]

    training.complete(checkpoint_of(path), measure)
    processes.on_rank_0(lambda: _keep(masked.save, trained(), path))


def text_to_text(folder: Path, processes: Processes) -> None:
    """Train the text-to-text model of the course, and keep it in the folder."""
    recipe, words, path = t2t.Recipe(), t2t.vocabulary(), folder / "text_to_text.safetensors"
    training = Training(recipe, partial(t2t.trainer, recipe, words), t2t.tasks_hash(), processes=processes)

    def trained() -> t2t.TextToText:
        return t2t.TextToText(cast(EncoderDecoder, training.model), words, training.record)

    training.complete(checkpoint_of(path), lambda: t2t.worst_and_mean(trained()), every=500)
    processes.on_rank_0(lambda: _keep(t2t.save, trained(), path))


def _keep(save: Callable[[Kept, Path], None], trained: Kept, path: Path) -> None:
    """Write what has come out, and clear up."""
    save(trained, path)
    clear(path)


def choices(folder: Path, processes: Processes) -> None:
    """Train the recipe and its alternatives on the same stretch of text, and write what unseen text costs each."""
    (text, unseen), found = corpora.docstrings_split(), []
    for name, (recipe, start) in alternatives().items():
        tokenizer = BPETokenizer.train(text, recipe.vocab_size)
        ids = torch.tensor(tokenizer.encode(text))
        steps = round(EPOCHS * len(ids) / (recipe.batch * recipe.context))
        recipe = replace(recipe, steps=steps, warmup=round(0.05 * steps))
        native = bfloat16_if_native(processes.device)
        trainer = pretrained.trainer(recipe, ids, start=start, autocast=native, processes=processes)
        losses = trainer.run(steps, partial(tqdm, desc=name, unit="step"))
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
    _write(folder / "choices.json", content)


def _gain(trained: LanguageModel, text: str) -> float:
    """What it brings to see further back, in nats for a token."""
    near, far = NEAR, min(FAR, trained.config.context)
    losses = evaluation.loss_by_context(trained, text, (near, far))
    return losses[near] - losses[far]


def translation_rivals(folder: Path, processes: Processes) -> None:
    """Train those who translate otherwise, three times each, and write what they can do."""
    _write(folder / "translation_rivals.json", rivals.compare(range(3), _bar))


def encoder(folder: Path, processes: Processes) -> None:
    """Train what the chapter on the encoder compares, five times each, and write what it can do."""
    kept_model, texts = masked.masked_language_model(), corpora.docstrings_split()
    content = {
        "two_sides": two_sides.compare(range(5), _bar),
        "few_labels": few_labels.compare(kept_model, texts, range(5), _bar),
    }
    _write(folder / "encoder.json", content)


def text_to_text_studies(folder: Path, processes: Processes) -> None:
    """Train on hidden spans before few examples, and on one task or all, and write what it brings."""
    words = t2t.vocabulary()
    content = {
        "few_examples": studies.few_examples(words, range(3), _bar),
        "together": studies.together(words, range(2), _bar),
    }
    _write(folder / "text_to_text_studies.json", content)


def wirings(folder: Path, processes: Processes) -> None:
    """Train an encoder, a decoder and both on one task, and write what they can do."""
    _write(folder / "wirings.json", comparison.compare(range(3), _bar))


def swaps(folder: Path, processes: Processes) -> None:
    """Train the decoders between GPT-2 and Llama, five times each, and write what unseen text costs them."""
    texts = corpora.docstrings_split()
    _write(folder / "swaps.json", compare_swaps(pretrained.language_model(), texts, range(5), _bar))


def _bar(name: str) -> Callable[[Iterable[int]], Iterable[int]]:
    return partial(tqdm, desc=name, unit="step")


def _write(path: Path, content: object) -> None:
    """Write what was measured, in one move."""
    write_whole(path, json.dumps(content, indent=1) + "\n")


def alternatives() -> dict[str, tuple[Recipe, Start]]:
    """The recipe, and what differs from it in one choice, by name."""
    recipe, untrained = Recipe(), pretrained.untrained
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


def train(
    recipe: Recipe,
    texts: Sequence[str],
    *,
    checkpoint: Path,
    source: str = "",
    processes: Processes | None = None,
    every: int = SAVED,
) -> LanguageModel:
    """Train a language model by a recipe, going on from a checkpoint if there is one.

    Args:
        recipe: Sizes, batches and rates.
        texts: What it reads, and what else it is measured on.
        checkpoint: The file that is written every few steps; the record so far stands beside it.
        source: Where the texts come from.
        processes: Those that train together, and where; one on a processor when left out.
        every: Steps from one checkpoint, and one measurement, to the next.

    Raises:
        ValueError: the checkpoint was begun with another recipe or text.
    """
    tokenizer = BPETokenizer.train(texts[0], recipe.vocab_size)
    prepare = partial(pretrained.trainer, recipe, torch.tensor(tokenizer.encode(texts[0])))
    processes = processes or Processes()
    training = Training(recipe, prepare, corpora.text_hash(texts[0]), source, processes=processes)

    def trained() -> LanguageModel:
        return LanguageModel(recipe.config(), cast(Decoder, training.model), tokenizer, training.record)

    def measure() -> tuple[float, float]:
        known = texts[0][-len(texts[1]) :]
        return evaluation.bits_per_byte(trained(), known), evaluation.bits_per_byte(trained(), texts[1])

    training.complete(checkpoint, measure, every)
    return trained()


def main(arguments: Sequence[str] | None = None) -> None:
    """Read the command line and train."""
    models = [language_model, translator, masked_language_model, text_to_text]
    studies_of_many = [choices, translation_rivals, encoder, text_to_text_studies, wirings, swaps]
    commands = {command.__name__: command for command in models + studies_of_many}
    parser = argparse.ArgumentParser(prog="python -m linebyline.train", description=__doc__)
    parser.add_argument("name", choices=commands)
    parser.add_argument("--device", default="cpu", help="where to compute, such as cuda (cpu when left out)")
    parser.add_argument("--folder", type=Path, default=kept.WEIGHTS, help="where to write")
    options = parser.parse_args(arguments)
    with Processes.from_environment(options.device) as processes:
        command, n = commands[options.name], processes.world_size
        if n > 1 and command not in models:
            parser.error(f"{options.name} makes trainings of one process each, and there are {n} processes")
        command(options.folder, processes)


if __name__ == "__main__":
    main()
