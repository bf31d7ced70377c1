"""The models that are kept with the course: each is declared once, and all are trained, written and loaded in one way.

The weights are kept in half precision, at most 2 MB a model, with the record of the training run: the recipe, the hash
of the text and the losses. The first losses are computed in float32, so a test computes them again on any machine.
After a change of a recipe, of a part of a model or of the text that test fails until the model is trained again.
"""

import json
import math
import os
import statistics
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import torch
from filelock import FileLock, Timeout
from torch import nn
from tqdm import tqdm

from clearformer import tensor_files
from clearformer.training import Batch, Batches, Processes, Trainer, bfloat16_if_native, warmup_cosine
from linebyline import corpora

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

WEIGHTS = Path(__file__).parent / "weights"
EXACT = 20  # losses that are kept step by step, to compare a training run elsewhere with
MOST_MEANS = 240  # how many means of the losses are kept, at most
AnyRecipe = TypeVar("AnyRecipe", bound="DataclassInstance")


@dataclass(frozen=True)
class Record(Generic[AnyRecipe]):
    """The record of a training run.

    Args:
        recipe: Sizes, batches and rates.
        text: Hash of the text that was read.
        source: Where the text comes from.
        first: Loss of each of the first steps in float32, in nats per token.
        losses: Mean loss of each ``every`` steps.
        every: Number of steps in each mean.
        checks: Numbers of steps made, each with what was measured then on known and on unseen text.
    """

    recipe: AnyRecipe
    text: str = ""
    source: str = ""
    first: list[float] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    every: int = 1
    checks: list[tuple[int, float, float]] = field(default_factory=list)

    def to_metadata(self) -> dict[str, str]:
        """Return the record as the metadata of a safetensors file, whose values are strings."""
        return {name: json.dumps(value) for name, value in asdict(self).items()}

    @classmethod
    def from_metadata(cls, metadata: dict[str, str], kind: type[AnyRecipe]) -> "Record[AnyRecipe]":
        """Read a record whose recipe is of the given kind."""
        values = {name: json.loads(value) for name, value in metadata.items()}
        recipe, checks = kind(**values.pop("recipe")), [tuple(check) for check in values.pop("checks")]
        return cls(recipe, checks=checks, **values)

    def thinned(self) -> "Record[AnyRecipe]":
        """Return the record with means of consecutive losses in place of all losses.

        Example:
            >>> from linebyline.pretrained import Recipe
            >>> record = Record(Recipe(), losses=[float(step) for step in range(961)]).thinned()
            >>> record.every, len(record.losses), record.losses[:2], record.losses[-1]
            (5, 193, [2.0, 7.0], 960.0)
        """
        losses, every = self.losses, math.ceil(len(self.losses) / MOST_MEANS)
        means = [statistics.fmean(losses[i : i + every]) for i in range(0, len(losses), every)]
        return replace(self, losses=means, every=every)


class TrainedModel(Protocol):
    """A model, its vocabulary and the record of its training run."""

    @property
    def model(self) -> nn.Module:
        """The model."""

    @property
    def record(self) -> Record[Any]:
        """The record of its training run."""


Trained = TypeVar("Trained", bound=TrainedModel)


@dataclass(frozen=True)
class KeptModel(Generic[Trained]):
    """A model that is kept with the course.

    Args:
        name: Name of its files.
        recipe: Sizes, batches and rates.
        corpus: Returns the text that it is trained on, and unseen text; of a text made by rule, a sample.
        source: Returns where the text comes from.
        vocabulary: Makes the tokenizer, or the words, of a recipe and a text.
        build: Makes the model of a recipe and a vocabulary, to be filled with weights.
        trainer: Makes the trainer of a recipe, a vocabulary and a text.
        trained: Puts model, vocabulary and record together.
        measure: Measures a trained model on known text and on unseen text, given the corpus.
        tokenizer: Class of the tokenizer that is written beside the weights; None where words follow from the rules.
        every: Steps from one checkpoint, and one measurement, to the next.
    """

    name: str
    recipe: Any
    corpus: Callable[[], tuple[str, str]]
    vocabulary: Callable[[Any, str], Any]
    build: Callable[[Any, Any], nn.Module]
    trainer: Callable[..., Trainer]
    trained: Callable[..., Trained]
    measure: Callable[[Trained, tuple[str, str]], tuple[float, float]]
    source: Callable[[], str] = str
    tokenizer: Any = None
    every: int = 1000

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

    def save(self, trained: Trained, path: str | os.PathLike[str]) -> None:
        """Write the weights in half precision with the record, and beside them the tokenizer, if there is one."""
        if self.tokenizer:
            vars(trained)["tokenizer"].save(tokenizer_path(path))
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

    Args:
        recipe: It has a ``seed``, ``peak``, ``warmup`` and ``steps``.
        start: Makes the untrained model.
        batches: Draws batches on the processor.
        processes: The processes that train together, and their device; one on a processor by default.
        options: Other arguments of ``Trainer``, such as ``loss`` and ``autocast``.
    """
    processes, generator = processes or Processes(), torch.Generator().manual_seed(recipe.seed)
    model = start(generator).to(processes.device)

    def on_device(generator: torch.Generator) -> Batch:
        return tuple(part.to(processes.device) for part in batches(generator))

    schedule = warmup_cosine(recipe.peak, recipe.warmup, recipe.steps)
    return Trainer(model, on_device, schedule, generator=generator, processes=processes, **options)


class TrainingRun:
    """A training run that may be interrupted anywhere, and continues from its last checkpoint.

    Products are computed in bfloat16 where the device has it; the first losses are computed in float32.

    Args:
        prepare: Makes the trainer, before its first step.
        record: The record, which says nothing yet of the losses; it is part of a checkpoint.
        checkpoint: The file of the checkpoint; its record is beside it.
        processes: The processes that train together. Each measures for itself, and process 0 alone writes.
    """

    def __init__(
        self, prepare: Callable[..., Trainer], record: Record[Any], checkpoint: Path, processes: Processes
    ) -> None:
        self.prepare, self.record, self.checkpoint, self.processes = prepare, record, checkpoint, processes
        self.trainer = prepare(autocast=bfloat16_if_native(processes.device), processes=processes)

    def complete(self, measure: Callable[[], tuple[float, float]], every: int) -> None:
        """Train to the end of the recipe, with a measurement and a checkpoint every so many steps."""
        with ExitStack() as stack:
            if self.processes.rank == 0:
                self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
                try:
                    stack.enter_context(FileLock(self.checkpoint.with_suffix(".lock"), blocking=False))
                except Timeout:
                    raise RuntimeError(f"{self.checkpoint} is being written by another run") from None
            self._begin()
            self._continue(measure, every)
        self.trainer.model.eval().cpu()
        self.record = self.record.thinned()

    def delete_checkpoint(self) -> None:
        """Delete the checkpoint, its record and its lock."""
        for file in (self.checkpoint, self._record_path, self.checkpoint.with_suffix(".lock")):
            file.unlink(missing_ok=True)

    @property
    def _record_path(self) -> Path:
        return self.checkpoint.with_suffix(".record.safetensors")

    def _begin(self) -> None:
        """Load the checkpoint if there is one; drop what the record holds of later steps."""
        if not self.processes.on_rank_0(self.checkpoint.exists):
            alone = Processes(device=self.processes.device)
            self.record.first.extend(self.prepare(processes=alone).run(EXACT))
            return
        now = self.record
        record = Record.from_metadata(tensor_files.load_tensors(self._record_path)[1], type(now.recipe))
        if (record.recipe, record.text) != (now.recipe, now.text):
            message = f"{self.checkpoint} was begun with another recipe or text: delete it, and training starts anew"
            raise ValueError(message)
        self.trainer.load(self.checkpoint)
        checks = [check for check in record.checks if check[0] <= self.trainer.step]
        self.record = replace(record, losses=record.losses[: self.trainer.step], checks=checks)

    def _continue(self, measure: Callable[[], tuple[float, float]], every: int) -> None:
        record, trainer, steps = self.record, self.trainer, self.record.recipe.steps
        with tqdm(total=steps, initial=trainer.step, unit="step", disable=self.processes.rank > 0) as bar:
            while trainer.step < steps:
                for loss in trainer.steps(min(every, steps - trainer.step)):
                    record.losses.append(loss)
                    bar.set_postfix(loss=f"{loss:.2f}", refresh=False)
                    bar.update()
                record.checks.append((trainer.step, *measure()))
                # The record comes first: it may be ahead of the checkpoint, but never behind.
                metadata = record.to_metadata()
                self.processes.on_rank_0(partial(tensor_files.save_tensors, self._record_path, {}, metadata))
                trainer.save(self.checkpoint)
