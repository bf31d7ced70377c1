"""A training that is kept: it may be interrupted anywhere, and goes on from its last checkpoint."""

import math
import statistics
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Generic, Protocol

from filelock import FileLock, Timeout
from torch import nn
from tqdm import tqdm

from clearformer import tensor_files
from clearformer.training import Processes, Trainer, bfloat16_if_native
from linebyline.kept import EXACT, AnyRecipe, Record

SAVED = 1000  # steps from one checkpoint to the next
POINTS = 240  # how many means of the losses are kept, at most


class Prepare(Protocol):
    """Make a training anew, from its first step."""

    def __call__(
        self, *, autocast: AbstractContextManager[object] | None = None, processes: Processes | None = None
    ) -> Trainer:
        """Compute in float32 throughout when no context is given."""


class Training(Generic[AnyRecipe]):
    """A trainer and the record of what it has done, which is part of its checkpoints.

    Products are computed in bfloat16 where the device has it; the first losses are made in float32, so that they are
    the same on every machine.

    Args:
        recipe: The recipe; its ``steps`` are made in all.
        prepare: Makes the trainer of the recipe.
        text: Hash of the text that is read.
        source: Where the text comes from.
        processes: Those that train together, and where.
    """

    def __init__(
        self, recipe: AnyRecipe, prepare: Prepare, text: str, source: str = "", *, processes: Processes
    ) -> None:
        self.prepare, self.processes = prepare, processes
        self.trainer = prepare(autocast=bfloat16_if_native(processes.device), processes=processes)
        self.record = Record(recipe, text, source, [], [], every=1, checks=[])

    @property
    def model(self) -> nn.Module:
        """The model as it is now."""
        return self.trainer.model

    def complete(self, checkpoint: Path, measure: Callable[[], tuple[float, float]], every: int = SAVED) -> None:
        """Train to the end of the recipe, from where a checkpoint stands if there is one.

        Every few steps the model is measured, and the record and a checkpoint are written. At the end the model is
        ready to be asked, on the processor, and of the losses a few means are left.

        Args:
            checkpoint: The file; the record stands beside it.
            measure: What is noted on known and on unseen text.
            every: Steps from one checkpoint to the next.

        Of several processes each measures, for itself, and process 0 alone writes.

        Raises:
            ValueError: the checkpoint was begun with another recipe or text.
            RuntimeError: another run is writing this checkpoint.
        """
        with ExitStack() as stack:
            if self.processes.rank == 0:
                _lock(stack, checkpoint)
            self._begin(checkpoint)
            self._go_on(checkpoint, measure, every)
        self.model.eval().cpu()
        self.record = thinned(self.record)

    def _go_on(self, checkpoint: Path, measure: Callable[[], tuple[float, float]], every: int) -> None:
        record, trainer, steps = self.record, self.trainer, vars(self.record.recipe)["steps"]
        with tqdm(total=steps, initial=trainer.step, unit="step", disable=self.processes.rank > 0) as bar:
            while trainer.step < steps:
                for loss in trainer.steps(min(every, steps - trainer.step)):
                    record.losses.append(loss)
                    bar.set_postfix(loss=f"{loss:.2f}", refresh=False)
                    bar.update()
                record.checks.append((trainer.step, *measure()))
                # The record comes first: it may be ahead of the checkpoint, but never behind.
                self.processes.on_rank_0(lambda: tensor_files.save_tensors(_beside(checkpoint), {}, record.to_facts()))
                trainer.save(checkpoint)

    def _begin(self, checkpoint: Path) -> None:
        """Go on where the checkpoint stands; what the record holds beyond it is made again."""
        if not self.processes.on_rank_0(checkpoint.exists):
            alone = Processes(device=self.processes.device)
            self.record.first.extend(self.prepare(processes=alone).run(EXACT))
            return
        _, facts = tensor_files.load_tensors(_beside(checkpoint))
        record, now = Record.from_facts(facts, type(self.record.recipe)), self.record
        if (record.recipe, record.text) != (now.recipe, now.text):
            raise ValueError(f"{checkpoint} was begun with another recipe or text: delete it, and training starts anew")
        self.trainer.load(checkpoint)
        checks = [check for check in record.checks if check[0] <= self.trainer.step]
        self.record = replace(record, losses=record.losses[: self.trainer.step], checks=checks)


def _lock(stack: ExitStack, checkpoint: Path) -> None:
    """Hold a lock on a checkpoint, which ends with the process; refuse a second run."""
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    try:
        stack.enter_context(FileLock(checkpoint.with_suffix(".lock"), blocking=False))
    except Timeout:
        raise RuntimeError(f"{checkpoint} is being written by another run") from None


def thinned(record: Record[AnyRecipe]) -> Record[AnyRecipe]:
    """Keep the means of some losses in a row, in the place of all losses of a record.

    Example:
        >>> from linebyline.pretrained import Recipe
        >>> losses = [float(step) for step in range(961)]
        >>> record = thinned(Record(Recipe(steps=961), "", "", [], losses, every=1, checks=[]))
        >>> record.every, len(record.losses), record.losses[:2], record.losses[-1]
        (5, 193, [2.0, 7.0], 960.0)
    """
    losses, every = record.losses, math.ceil(len(record.losses) / POINTS)
    means = [statistics.fmean(losses[i : i + every]) for i in range(0, len(losses), every)]
    return replace(record, losses=means, every=every)


def checkpoint_of(path: Path) -> Path:
    """Name the checkpoint of the training that ends with a file."""
    return path.with_suffix(".checkpoint.safetensors")


def clear(path: Path) -> None:
    """Delete the checkpoint of a training run that has ended, with its record and its lock."""
    checkpoint = checkpoint_of(path)
    for file in (checkpoint, _beside(checkpoint), checkpoint.with_suffix(".lock")):
        file.unlink(missing_ok=True)


def _beside(checkpoint: Path) -> Path:
    return checkpoint.with_suffix(".record.safetensors")
