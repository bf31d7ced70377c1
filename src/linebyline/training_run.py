"""A training run that may be interrupted anywhere, and its record."""

import json
import math
import statistics
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from filelock import FileLock, Timeout
from tqdm import tqdm

from clearformer import tensor_files
from clearformer.training import Processes, Trainer, bfloat16_if_native

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

EXACT = 20  # losses that are kept step by step, to compare a training run elsewhere with
MOST_MEANS = 240  # how many means of the losses are kept, at most
AnyRecipe = TypeVar("AnyRecipe", bound="DataclassInstance")


@dataclass(frozen=True)
class Record(Generic[AnyRecipe]):
    """The record of a training run."""

    recipe: AnyRecipe  #: Sizes, batches and rates
    text: str = ""  #: Hash of the text that was read
    source: str = ""  #: Where the text comes from
    first: list[float] = field(default_factory=list)  #: Loss of each of the first steps in float32, in nats per token
    losses: list[float] = field(default_factory=list)  #: Mean loss of each ``every`` steps
    every: int = 1  #: Number of steps in each mean
    #: Numbers of steps made, each with what was measured then on known and on unseen text.
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


class TrainingRun:
    """A training run that may be interrupted anywhere, and continues from its last checkpoint.

    Products are computed in bfloat16 where the device has it; the first losses are computed in float32.

    ``prepare`` makes the trainer, before its first step. The record says nothing yet of the losses; it is part of a
    checkpoint, in a file beside it. Each process measures for itself, and process 0 alone writes.
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
