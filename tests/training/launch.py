"""Two processes that train together, started (and restarted after a kill) as ``torchrun`` does it.

``python -m tests.training.launch FOLDER`` writes what they find into the folder.
"""

import json
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from clearformer.training import Processes, Trainer, cross_entropy, token_windows, warmup_cosine
from tests.training.toys import TEXT, Tied, trainer, weights

IGNORE, STEPS, EVERY = -1, 30, 3
MOMENTS = ("batches", "loss", "optimizer", "replace", "replaced")


def launch(work: Callable, *arguments: object, max_restarts: int = 0) -> None:
    """Call ``work(*arguments)`` in two processes."""
    sizes = {"min_nodes": 1, "max_nodes": 1, "nproc_per_node": 2, "max_restarts": max_restarts}
    store = {"rdzv_backend": "c10d", "rdzv_endpoint": "localhost:0", "start_method": "forkserver"}
    elastic_launch(LaunchConfig(**sizes, **store, monitor_interval=0.05), work)(*arguments)


def some_ignored(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Draw five rows with fewer targets the further down."""
    inputs, targets = token_windows(TEXT, batch=5, length=7)(generator)
    ignored = torch.rand(targets.shape, generator=generator) < torch.arange(5)[:, None] / 4
    return inputs, targets.masked_fill(ignored, IGNORE)


def loss(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    inputs, targets = batch
    return cross_entropy(model(inputs), targets, ignore_index=IGNORE)


def counted(processes: Processes | None = None, **options) -> Trainer:
    generator = torch.Generator().manual_seed(3)
    options = {"loss": loss, "count": lambda batch: (batch[1] != IGNORE).sum(), "processes": processes, **options}
    return Trainer(Tied(generator), some_ignored, lambda step: 0.01, generator=generator, **options)


KINDS = {
    "whole rows": trainer,
    "an odd number of rows": lambda **options: trainer(batch=5, **options),
    "fewer rows than processes": lambda **options: trainer(batch=1, **options),
    "targets are counted": counted,
    "two batches in a step, clipped": lambda **options: counted(accumulate=2, clip=0.01, **options),
}


def everything(folder: Path) -> None:
    with Processes.from_environment() as processes:
        made = {name: make(processes=processes) for name, make in KINDS.items()}
        of_one, leaving = counted(processes), counted(processes)
        of_one.load(folder / "of_one.safetensors")
        leaving.run(10)
        leaving.save(folder / "of_two.safetensors")
        results = {
            "trained": {name: (ours.run(20), weights(ours).tolist()) for name, ours in made.items()},
            "other seed": trainer(seed=processes.rank, processes=processes).run(3),
            "same seed": trainer(processes=processes).run(3),
            "continued": of_one.run(10),
            "dropout": dropout(processes, folder / "dropout.safetensors"),
            "NaN": nan_in_one(processes),
            "result": processes.on_rank_0(lambda: os.getpid()) == os.getpid(),
        }
        torch.save(results, folder / f"{processes.rank}.pt")


def dropout(processes: Processes, path: Path) -> tuple[list[float], list[float], int]:
    """Return the losses of a run, those of a run continued from a checkpoint, and the last seed of dropout."""
    whole, first = (trainer(dropout=0.5, processes=processes) for _ in range(2))
    expected, losses = whole.run(8), first.run(3)
    first.save(path)
    second = trainer(seed=9, dropout=0.5, processes=processes)
    second.load(path)
    return expected, losses + second.run(5), torch.initial_seed()


def nan_in_one(processes: Processes) -> str:
    """Make the loss of process 1 NaN, and return the error; the weights must not change."""
    ours = trainer(
        processes=processes, loss=lambda model, batch: loss(model, batch) * (torch.nan if processes.rank else 1)
    )
    before = weights(ours)
    try:
        ours.run(1)
    except FloatingPointError as error:
        return str(error) if torch.equal(weights(ours), before) else "the weights have changed"
    return "no error"


def leave_first() -> None:
    """End the group before the model that trains in it is freed, while no other thread gets a turn in Python."""
    sys.setswitchinterval(60)
    with Processes.from_environment() as processes:
        ours = counted(processes)
        ours.run(2)
        processes.on_rank_0(os.getpid)
    del ours


def train(folder: Path, n_kills: int) -> None:
    """Train from the last checkpoint on, write down each loss, and be killed once after each of some starts."""
    path, start = folder / "checkpoint.safetensors", int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    generator = torch.Generator().manual_seed(0)
    with Processes.from_environment() as processes:
        model, batches = Tied(generator, dropout=0.2), token_windows(TEXT, batch=5, length=7)
        ours = Trainer(model, batches, warmup_cosine(0.03, 3, STEPS), generator=generator, processes=processes)
        if processes.on_rank_0(path.exists):
            ours.load(path)
        if start < n_kills and processes.rank == (
            start % 2 if MOMENTS[start] in ("batches", "loss", "optimizer") else 0
        ):
            _arm(ours, MOMENTS[start], ours.step + 4)
        while ours.step < STEPS:
            (value,) = ours.run(1)
            if processes.rank == 0:
                with open(folder / "losses.jsonl", "a") as file:
                    print(json.dumps([ours.step, value]), file=file)
            if ours.step % EVERY == 0:
                ours.save(path)


def _arm(ours: Trainer, moment: str, step: int) -> None:
    """Kill this process before it draws, asks for the loss or updates the weights, or before or after it saves."""

    def lethal(function: Callable) -> Callable:
        def called(*arguments: object) -> object:
            result = function(*arguments) if moment == "replaced" else None
            if ours.step >= step:
                os.kill(os.getpid(), signal.SIGKILL)
            return result if moment == "replaced" else function(*arguments)

        return called

    if moment == "batches":
        ours.batches = lethal(ours.batches)
    elif moment == "loss":
        ours._loss.module.loss = lethal(ours._loss.module.loss)
    elif moment == "optimizer":
        ours.optimizer.step = lethal(ours.optimizer.step)
    else:
        os.replace = lethal(os.replace)


if __name__ == "__main__":
    # Processes are forked from one that has already imported what takes seconds.
    multiprocessing.get_context("forkserver").set_forkserver_preload(["torch._dynamo", "tests.training.launch"])
    place = Path(sys.argv[1])
    launch(everything, place)
    launch(leave_first)
    launch(train, place / "whole", 0)
    launch(train, place / "killed", len(MOMENTS), max_restarts=len(MOMENTS))
