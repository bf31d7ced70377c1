"""One of the processes of ``benchmarks.training``: makes steps of a training, and says how long each took."""

import json
import sys
import time

import torch

from benchmarks.sizes import COURSE
from clearformer.models import gpt2
from clearformer.training import Processes, Trainer


def main(steps: int) -> None:
    """Print, as process 0, the seconds that steps took, after a few that do not count."""
    torch.set_num_threads(1)
    generator = torch.Generator().manual_seed(2)
    ids = torch.randint(COURSE.vocab_size, (16, 129), generator=generator)
    with Processes.from_environment() as processes:
        model = gpt2(COURSE, generator)
        batch = ids[:, :-1], ids[:, 1:]
        trainer = Trainer(model, lambda _: batch, lambda _: 1e-3, generator=generator, processes=processes)
        trainer.run(3)
        start = time.perf_counter()
        trainer.run(steps)
        if processes.rank == 0:
            print(json.dumps(time.perf_counter() - start))


if __name__ == "__main__":
    main(int(sys.argv[1]))
