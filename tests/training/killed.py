"""A training of two processes that is killed again and again, at any step and any moment of it."""

import json
import os
import random
import signal
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import torch

from clearformer.training import Processes, Trainer, sole_writer, token_windows, warmup_cosine
from tests.training.toys import TEXT, Tied

STEPS, SAVED = 100, 3  # steps in all, and from one checkpoint to the next
MOMENTS = ("drawing", "asking", "following", "writing", "written")


def kill() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def planned(seed: int, restart: int, done: int) -> tuple[int, int, str]:
    """Which process is killed after this restart, in which step, and at which moment of it."""
    chance = random.Random(f"{seed} {restart}")
    rank, moment = chance.randrange(2), chance.choice(MOMENTS)
    step = done + chance.randrange(5)
    if moment in ("writing", "written"):  # process 0 writes, after each third step
        return 0, step + (SAVED - 1 - step) % SAVED, moment
    return rank, step, moment


def lethal(function: Callable, when: Callable[[], bool], *, after: bool = False) -> Callable:
    """The same function, by which the process is killed at the right time."""

    def called(*arguments: object) -> object:
        if when() and not after:
            kill()
        result = function(*arguments)
        if when():
            kill()
        return result

    return called


def train(processes: Processes, restart: int, folder: Path, n_kills: int, seed: int) -> None:
    """Train to the end from the last checkpoint, writing each loss down, and be killed on the way."""
    path, losses = folder / "checkpoint.safetensors", folder / "losses.jsonl"
    generator = torch.Generator().manual_seed(0)
    ours = Trainer(
        Tied(generator, dropout=0.2),
        token_windows(TEXT, batch=5, length=7),
        warmup_cosine(0.03, 3, STEPS),
        generator=generator,
        processes=processes,
    )
    with ExitStack() as stack:
        processes.first(lambda: stack.enter_context(sole_writer(path)))
        if processes.first(path.exists):
            ours.load(path)
        rank, step, moment = planned(seed, restart, ours.step)
        if restart < n_kills and processes.rank == rank:
            _arm(ours, step, moment)
        while ours.step < STEPS:
            (loss,) = ours.run(1)
            if processes.rank == 0:
                with open(losses, "a") as file:
                    print(json.dumps([restart, ours.step, loss]), file=file)
            if ours.step % SAVED == 0:
                ours.save(path)


def _arm(ours: Trainer, step: int, moment: str) -> None:
    now = lambda: ours.step == step  # noqa: E731
    if moment == "drawing":
        ours.batches = lethal(ours.batches, now)
    elif moment == "asking":
        ours._ask.module.loss = lethal(ours._ask.module.loss, now)
    elif moment == "following":
        ours.optimizer.step = lethal(ours.optimizer.step, now)
    else:
        os.replace = lethal(os.replace, lambda: ours.step == step + 1, after=moment == "written")
