"""Starts a few processes that train together, and what they do there."""

import itertools
import multiprocessing.connection
import os
import signal
import socket
import warnings
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from clearformer.training import Processes, Trainer, cross_entropy, token_windows
from tests.training.toys import TEXT, Tied, trainer, weights

IGNORE = -1
# Processes are copies of one that has imported what takes seconds, the compiler that optimizers ask for among it.
STARTER = multiprocessing.get_context("forkserver")
IMPORTED = ["torch._dynamo", "torch.nn.parallel", "clearformer.training"]


def in_processes(n: int, work: Callable, *arguments: object) -> list:
    """What ``work(processes, *arguments)`` gives in each of n processes, or the words of the error it ends with."""
    started = _started(n, work, *arguments)
    try:
        return [end.recv() if end.poll(60) else "nothing for a minute" for _, end in started]
    finally:
        for process, _ in started:
            process.join(10)
            process.kill()


def restarted(n: int, work: Callable, *arguments: object) -> int:
    """Start n processes with the number of the start, as often as one is killed, as torchrun does; how often it was."""
    for number in itertools.count():
        pairs = _started(n, work, number, *arguments)
        running = started = [process for process, _ in pairs]
        while running:
            ended = multiprocessing.connection.wait([process.sentinel for process in running], timeout=60)
            assert ended, "no process has ended for a minute"
            running = [process for process in running if process.sentinel not in ended]
            if any(process.exitcode == -signal.SIGKILL for process in started):
                for process in running:
                    process.kill()
                    process.join()
                break
        else:
            assert [end.recv() for _, end in pairs] == [None] * n
            return number
    raise AssertionError("unreachable")


def _started(n: int, work: Callable, *arguments: object) -> list:
    """Start n processes, and give each with the end of a pipe on which it says what came out."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    STARTER.set_forkserver_preload(IMPORTED)  # here, since other tests start copies of their own
    started = []
    for rank in range(n):
        mine, end = STARTER.Pipe(duplex=False)
        process = STARTER.Process(target=_process, args=(end, rank, n, port, work, arguments), daemon=True)
        process.start()
        end.close()
        started.append((process, mine))
    return started


def _process(end, rank: int, n: int, port: int, work: Callable, arguments: tuple) -> None:
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(n), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    torch.set_num_threads(1)
    warnings.simplefilter("error")
    try:
        with Processes.from_environment() as processes:
            end.send(work(processes, *arguments))
    except Exception as error:
        end.send("\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])]))


# --- what is trained there ---


def some_ignored(generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Five rows, with fewer targets the further down."""
    inputs, targets = token_windows(TEXT, batch=5, length=7)(generator)
    ignored = torch.rand(targets.shape, generator=generator) < torch.arange(5)[:, None] / 4
    return inputs, targets.masked_fill(ignored, IGNORE)


def masked(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
    """A loss that asks a part of the model by its name."""
    assert isinstance(model, Tied)
    inputs, targets = batch
    return cross_entropy(model(inputs), targets, ignore=IGNORE)


def counted(batch: tuple[Tensor, ...]) -> Tensor:
    return (batch[1] != IGNORE).sum()


def some_ignored_trainer(processes: Processes | None, **options) -> Trainer:
    generator = torch.Generator().manual_seed(3)
    options = {"loss": masked, "count": counted, "processes": processes, **options}
    return Trainer(Tied(generator), some_ignored, lambda step: 0.01, generator=generator, **options)


KINDS = {
    "whole rows": trainer,
    "an odd row more": lambda **options: trainer(batch=5, **options),
    "fewer rows than processes": lambda **options: trainer(batch=1, **options),
    "as many targets as there are": some_ignored_trainer,
    "two batches in a step": lambda **options: some_ignored_trainer(accumulate=2, **options),
    "always clipped": lambda **options: some_ignored_trainer(clip=0.01, **options),
}


def trained(processes: Processes, steps: int = 50) -> dict[str, tuple[list[float], list[float]]]:
    """The losses and the weights of each kind."""
    found = {}
    for name, make in KINDS.items():
        ours = make(processes=processes)
        found[name] = list(ours.run(steps)), weights(ours).tolist()
    return found


def everything(processes: Processes, folder: Path) -> dict[str, object]:
    """What two processes are asked that need nothing but each other."""
    return {
        "trained": trained(processes),
        "other seeds": other_seeds(processes),
        "dropout": dropout(processes, folder / "dropout.safetensors"),
        "continued": continued(processes, folder / "of_one.safetensors", folder / "of_two.safetensors"),
        "writing": failed_write(processes, folder / "full.safetensors"),
        "sum": processes.sum(10.0**processes.rank),
    }


def other_seeds(processes: Processes) -> bool:
    """Whether a process that has begun with other weights and another seed trains what process 0 does."""
    ours = trainer(seed=processes.rank, processes=processes)
    return list(ours.run(5)) == list(trainer(processes=processes).run(5))


def dropout(processes: Processes, path: Path) -> tuple[list[float], list[float], int]:
    """The losses of one run, of another that went on from a checkpoint, and what dropout was drawn from at last."""
    whole = list(trainer(dropout=0.5, processes=processes).run(12))
    first = trainer(dropout=0.5, processes=processes)
    losses = list(first.run(5))
    first.save(path)
    torch.manual_seed(4)
    second = trainer(seed=9, dropout=0.5, processes=processes)
    second.load(path)
    return whole, losses + list(second.run(7)), torch.initial_seed()


def continued(processes: Processes, of_one: Path, of_two: Path) -> list[float]:
    """Go on from a checkpoint of one process for ten steps, and leave one of two processes after ten steps."""
    ours, other = some_ignored_trainer(processes), some_ignored_trainer(processes)
    ours.load(of_one)
    list(other.run(10))
    other.save(of_two)
    return list(ours.run(10))


def failed_write(processes: Processes, path: Path) -> str:
    """What each process hears when the file cannot be written."""
    ours = trainer(processes=processes)
    ours.save(path)
    before = path.read_bytes()
    list(ours.run(1))
    os.fsync, fsync = full, os.fsync
    try:
        ours.save(path)
    except Exception as error:
        same = path.read_bytes() == before and not list(path.parent.glob("*.part"))
        return "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", []), f"same: {same}"])
    finally:
        os.fsync = fsync
    return "written"


def full(_: int) -> None:
    raise OSError(28, "No space left on device")


def broken_batch(processes: Processes) -> None:
    """The last row of the third batch, which only the last process reads, makes the loss NaN."""
    scale, drawn = torch.ones(4, 1), []

    def batches(generator: torch.Generator) -> tuple[Tensor, ...]:
        drawn.append(scale.clone())
        if len(drawn) == 3:
            drawn[-1][-1] = torch.nan
        return *token_windows(TEXT, batch=4, length=7)(generator), drawn[-1]

    def scaled(model: nn.Module, batch: tuple[Tensor, ...]) -> Tensor:
        inputs, targets, scale = batch
        return cross_entropy(model(inputs), targets) * scale.mean()

    generator = torch.Generator().manual_seed(0)
    model = Tied(generator)
    ours = Trainer(model, batches, lambda step: 0.01, generator=generator, loss=scaled, processes=processes)
    list(ours.run(2))
    before = weights(ours)
    try:
        list(ours.run(1))
    finally:
        assert torch.equal(weights(ours), before)


def idle_parameter(processes: Processes) -> None:
    generator = torch.Generator().manual_seed(0)
    model = Tied(generator)
    model.pooler = nn.Linear(2, 3)
    batches = token_windows(TEXT, batch=4, length=7)
    list(Trainer(model, batches, lambda step: 0.01, generator=generator, processes=processes).run(1))


def uneven_parts(processes: Processes) -> None:
    processes.shares((torch.zeros(4, 3), torch.zeros(1, 3)))
