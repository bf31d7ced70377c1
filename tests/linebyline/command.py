"""The training command with a small recipe and a short text: command.py ONE TWO trains in one process, then in two."""

import multiprocessing
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from torch.distributed.launcher.api import LaunchConfig, elastic_launch

from clearformer.training import Trainer
from linebyline import corpora, train
from linebyline.pretrained import LANGUAGE_MODEL, Recipe

SMALL = Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=3, steps=30, warmup=2)
TEXTS = corpora.pydoc_topics()[:20_000], corpora.pydoc_topics()[20_000:22_000]
# Processes are copies of one that has imported what takes seconds, the compiler that optimizers ask for among it.
STARTER = multiprocessing.get_context("forkserver")


def main(folder: Path, *, kills: bool = False) -> None:
    step, restart = Trainer._step, int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))

    def lethal(self: Trainer) -> float:
        # Process 1 at first, before there is a checkpoint; process 0 next, which writes them.
        # Nobody while the first losses are made, by one process alone.
        kill = {0: (1, 2), 1: (0, 16)}.get(restart)
        if kills and kill == (self.processes.rank, self.step) and self.processes.world_size > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(self)

    with pytest.MonkeyPatch.context() as patch:
        small = replace(LANGUAGE_MODEL, recipe=SMALL, corpus=lambda: TEXTS, every=7)
        patch.setattr(train, "KEPT", [small])
        patch.setattr(Trainer, "_step", lethal)
        train.main(["language_model", "--folder", str(folder)])


def killed(folder: Path) -> None:
    main(folder, kills=True)


def launch(one: Path, two: Path) -> None:
    """Train in one process, and in two, which are started and started again as torchrun does it."""
    STARTER.set_forkserver_preload(["torch._dynamo", "linebyline.train"])
    alone = STARTER.Process(target=main, args=(one,))
    alone.start()
    alone.join()
    assert alone.exitcode == 0
    config = LaunchConfig(
        min_nodes=1,
        max_nodes=1,
        nproc_per_node=2,
        rdzv_backend="c10d",
        rdzv_endpoint="localhost:0",
        max_restarts=2,
        monitor_interval=0.1,
        start_method="forkserver",
    )
    elastic_launch(config, killed)(two)


if __name__ == "__main__":
    launch(*map(Path, sys.argv[1:]))
