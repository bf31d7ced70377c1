"""The models that are kept with the course: each is declared once, and all are trained, written and loaded in one way.

The weights are kept in half precision, at most 2 MB a model, with the record of the training run: the recipe, the hash
of the text and the losses. The first losses are computed in float32, so a test computes them again on any machine.
After a change of a recipe, of a part of a model or of the text that test fails until the model is trained again.
"""

import os
import warnings
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Generic, TypeVar

import torch
from torch import nn

from clearformer import tensor_files
from clearformer.training import Batch, Batches, Processes, Trainer, warmup_cosine
from linebyline import corpora
from linebyline.training_run import Record, TrainingRun

WEIGHTS = Path(__file__).parent / "weights"


Trained = TypeVar("Trained")  # a dataclass with a model, its vocabulary and the record of its training run


@dataclass(frozen=True)
class KeptModel(Generic[Trained]):
    """A model that is kept with the course."""

    name: str  #: Of its files
    recipe: Any  #: Sizes, batches and rates
    #: Returns the text that it is trained on, and unseen text; of a text made by rule, a sample.
    corpus: Callable[[], tuple[str, str]]
    vocabulary: Callable[[Any, str], Any]  #: Makes the tokenizer, or the words, of a recipe and a text
    build: Callable[[Any, Any], nn.Module]  #: Makes the model of a recipe and a vocabulary, to be filled with weights
    trainer: Callable[..., Trainer]  #: Makes the trainer of a recipe, a vocabulary and a text
    trained: Callable[..., Trained]  #: Puts model, vocabulary and record together
    #: Measures a trained model on known text and on unseen text, given the corpus.
    measure: Callable[[Trained, tuple[str, str]], tuple[float, float]]
    source: Callable[[], str] = str  #: Returns where the text comes from
    #: Class of the tokenizer that is written beside the weights; None where words follow from the rules.
    tokenizer: Any = None
    every: int = 1000  #: Steps from one checkpoint, and one measurement, to the next

    def load(self, path: str | os.PathLike[str] | None = None) -> Trained:
        """Load what ``save`` has written: by default the model that is kept with the package.

        The weights are kept in half precision, and computed with in single precision.

        Raises:
            ValueError: the file holds no record of a training run, or not the weights that the recipe asks for.

        Warns:
            UserWarning: the text of the record is not the one installed, so its losses differ.
        """
        path = path or WEIGHTS / f"{self.name}.safetensors"
        tensors, metadata = tensor_files.load_tensors(path)
        if "recipe" not in metadata:
            raise ValueError(f"{path} holds no recipe: it was not written by linebyline")
        record = Record.from_metadata(metadata, type(self.recipe))
        read = self.tokenizer and self.tokenizer.load(tokenizer_path(path))
        vocabulary = read or self.vocabulary(record.recipe, "")
        model = self.build(record.recipe, vocabulary)
        tensor_files.require_same(path, model, tensors)
        model.load_state_dict(tensors)
        if record.source not in ("", self.source()):
            warnings.warn(
                f"the {self.name.replace('_', ' ')} was trained on the docstrings of {record.source}; installed are "
                f"{self.source()}, on whose text its losses differ",
                stacklevel=3,
            )
        return self.trained(model.eval(), vocabulary, record)

    def save(self, trained: Any, path: str | os.PathLike[str]) -> None:
        """Write the weights in half precision with the record, and beside them the tokenizer, if there is one."""
        if self.tokenizer:
            trained.tokenizer.save(tokenizer_path(path))
        weights = deepcopy(trained.model).half().state_dict()  # halved as a whole, a shared table stays one
        tensor_files.save_tensors(path, weights, trained.record.to_metadata())

    def train(self, path: Path, *, processes: Processes | None = None) -> Trained:
        """Train the model by its recipe, and write it to a file.

        A checkpoint is written beside the file every few steps. A run that was interrupted continues from it.

        Raises:
            ValueError: the checkpoint was begun with another recipe or text.
            RuntimeError: another run is writing the checkpoint.
        """
        processes, corpus = processes or Processes(), self.corpus()
        vocabulary = self.vocabulary(self.recipe, corpus[0])
        prepare = partial(self.trainer, self.recipe, vocabulary, corpus[0])
        record = Record(self.recipe, corpora.text_hash(corpus[0]), self.source())
        run = TrainingRun(prepare, record, path.with_suffix(".checkpoint.safetensors"), processes)

        def trained() -> Trained:
            return self.trained(run.trainer.model, vocabulary, run.record)

        def finish() -> None:
            self.save(trained(), path)
            run.delete_checkpoint()

        run.complete(lambda: self.measure(trained(), corpus), self.every)
        processes.on_rank_0(finish)
        return trained()


def tokenizer_path(path: str | os.PathLike[str]) -> Path:
    """Return the path of the tokenizer beside a file of weights."""
    return Path(path).with_suffix(".tokenizer.json")


def recipe_trainer(
    recipe: Any,
    start: Callable[[torch.Generator], nn.Module],
    batches: Batches,
    *,
    processes: Processes | None = None,
    **options: Any,
) -> Trainer:
    """Make the trainer of a recipe, with warm-up and a cosine; weights and batches are the same for every device.

    The recipe has a ``seed``, ``peak``, ``warmup`` and ``steps``; ``batches`` draws on the processor; ``options`` are
    other arguments of ``Trainer``, such as ``loss`` and ``autocast``.
    """
    processes, generator = processes or Processes(), torch.Generator().manual_seed(recipe.seed)
    model = start(generator).to(processes.device)

    def on_device(generator: torch.Generator) -> Batch:
        return tuple(part.to(processes.device) for part in batches(generator))

    schedule = warmup_cosine(recipe.peak, recipe.warmup, recipe.steps)
    return Trainer(model, on_device, schedule, generator=generator, processes=processes, **options)
