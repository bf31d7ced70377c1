"""The training command with a small recipe and a short text: command.py FOLDER [KILL_AT] [N_KILLS]."""

import os
import signal
import sys

from clearformer.course import corpora, train
from clearformer.course.pretrained import Recipe
from clearformer.training import Trainer

SMALL = Recipe(vocab_size=300, context=16, d_model=8, n_heads=2, n_layers=1, batch=3, steps=30, warmup=2)
TEXTS = corpora.pydoc_topics()[:20_000], corpora.pydoc_topics()[20_000:22_000]


def main() -> None:
    train.Recipe = lambda: SMALL
    corpora.docstrings_split = lambda: TEXTS
    train.train.__kwdefaults__["every"] = 7
    step, restart = Trainer._step, int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0))

    def lethal(self: Trainer) -> float:
        # Process 1 at first, before there is a checkpoint; process 0 next, which writes them.
        kill = {0: (1, 2), 1: (0, 16)}.get(restart)
        if "--kills" in sys.argv and kill == (self.processes.rank, self.step) and self.processes.world_size > 1:
            os.kill(os.getpid(), signal.SIGKILL)
        return step(self)

    Trainer._step = lethal
    train.main(["language_model", "--folder", sys.argv[1]])


if __name__ == "__main__":
    main()
