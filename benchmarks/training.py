"""Training against transformers, on the same weights, and with two processes: python -m benchmarks.training.

All take the same steps with PyTorch's fused AdamW, without dropout, on two threads, in five fresh processes, of which
the one in the middle counts. Two processes have one thread each, and are compared with one that has one thread.
"""

import json
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from benchmarks.harness import compare, run_parts
from benchmarks.lines import Comparison
from benchmarks.sizes import COURSE
from clearformer.models import GPT2Config
from clearformer.training import Trainer
from linebyline.parity.peers import gpt2_pair

NOTE = (
    "16 sequences of 128 tokens through the course's model, AdamW, no dropout; the same weights on both sides, "
    "two threads; of five processes the one in the middle. Two processes, of one thread each, share the sequences "
    "and are compared with one process of one thread."
)


def training_step(
    model: nn.Module, loss_of: Callable[[nn.Module], Tensor], clip: float | None = None
) -> Callable[[], Tensor]:
    """One step of AdamW against a loss, along its gradient of at most some length."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, fused=True)

    def step() -> Tensor:
        loss = loss_of(model)
        optimizer.zero_grad()
        loss.backward()
        if clip is not None:
            nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        return loss.detach()

    return step


def trainers_step(model: nn.Module, ids: Tensor) -> Callable[[], float]:
    """One step of the package's trainer, which clips the gradient and reads the loss."""
    batch, generator = (ids[:, :-1], ids[:, 1:]), torch.Generator().manual_seed(0)
    run = Trainer(model, lambda _: batch, lambda _: 1e-3, generator=generator).steps(1 << 30)
    return lambda: next(run)


def next_tokens(ids: Tensor, *, bfloat16: bool) -> Callable[[nn.Module], Tensor]:
    """The loss of a language model on a batch."""
    targets = ids[:, 1:].flatten()

    def loss_of(model: nn.Module) -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=bfloat16):
            output = model(ids[:, :-1])
            logits = output if isinstance(output, Tensor) else output.logits
        return nn.functional.cross_entropy(logits.flatten(0, 1).float(), targets)

    return loss_of


def training(config: GPT2Config, rounds: int) -> Iterator[Comparison]:
    """A training step on 16 sequences of 128 tokens."""
    ids = torch.randint(config.vocab_size, (16, 129), generator=torch.Generator().manual_seed(2))
    for ours_16, theirs_16, target in ((False, False, 1.15), (True, False, 1.6), (True, True, None)):
        ours, theirs = (model.train() for model in gpt2_pair(config)[:2])
        steps = [
            training_step(model, next_tokens(ids, bfloat16=narrow))
            for model, narrow in ((ours, ours_16), (theirs, theirs_16))
        ]
        for step in (*steps, *steps):
            step()
        kinds = [f"{'bfloat16' if narrow else 'float32'}" for narrow in (ours_16, theirs_16)]
        yield compare(
            f"training step, 16 x 128, {kinds[0]}",
            f"GPT2LMHeadModel, {kinds[1]}",
            *steps,
            rounds=rounds,
            target=target,
        )


def trained(config: GPT2Config, rounds: int) -> Iterator[Comparison]:
    """The same step as the trainer makes it; both models read the same losses."""
    ids = torch.randint(config.vocab_size, (16, 129), generator=torch.Generator().manual_seed(2))
    ours, theirs = (model.train() for model in gpt2_pair(config)[:2])
    steps = trainers_step(ours, ids), training_step(theirs, next_tokens(ids, bfloat16=False), clip=1.0)
    first, second = (float(step()) for step in steps)
    assert abs(first - second) < 1e-4 * first, f"losses {first} and {second}"
    work = "training step, 16 x 128, float32, by the trainer"
    yield compare(work, "GPT2LMHeadModel, gradient clipped", *steps, rounds=rounds, target=1.15)


def processes(rounds: int, steps: int = 20) -> Iterator[Comparison]:
    """Steps of two processes on two cores against those of one process on one core."""
    one = [sys.executable]
    two = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    times: dict[str, list[float]] = {"one": [], "two": []}
    for _ in range(rounds):
        for name, launch in (("one", one), ("two", two)):
            command = [*launch, "-m", "benchmarks.two_processes", str(steps)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            times[name].append(json.loads(printed) / steps)
    ours, theirs = statistics.median(times["two"]), statistics.median(times["one"])
    work = "training step, 16 x 128, two processes"
    yield Comparison(work, "one process, one core", ours, theirs, theirs / ours, 1.5, rounds)


if __name__ == "__main__":
    parts = {
        "course": lambda: training(COURSE, 15),
        "trainer": lambda: trained(COURSE, 15),
        "processes": lambda: processes(1),
    }
    run_parts("training", parts, ["torch", "transformers"], NOTE)
