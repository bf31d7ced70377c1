"""Data-parallel training: each process takes its rows of every batch, and the gradients are summed."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar, cast

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from clearformer.training.loss import Batch, Loss

Result = TypeVar("Result")


@dataclass(frozen=True)
class Processes:
    """The processes of a training run, as one of them sees them; the default is a single one.

    All of them draw the same batch from one seed, so batches and checkpoints are the same for any number of processes.

    Args:
        rank: The number of this process; rank 0 writes files.
        world_size: How many processes there are.
        device: Where this process computes.

    Example:
        >>> with Processes.from_environment() as processes:
        ...     print(processes.rank, processes.world_size, processes.device)
        0 1 cpu
    """

    rank: int = 0
    world_size: int = 1
    device: str | torch.device = "cpu"
    _wrapped: list[DistributedDataParallel] = field(default_factory=list, init=False, repr=False, compare=False)

    @classmethod
    def from_environment(cls, device: str = "cpu") -> "Processes":
        """Join the process group that ``torchrun`` has started, by gloo on CPUs and by nccl on GPUs, or stay alone."""
        rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        if world_size == 1:
            return cls(device=device)
        if on_gpu := device.startswith("cuda"):
            device = f"cuda:{os.environ['LOCAL_RANK']}"
            torch.cuda.set_device(device)
        store, _, _ = next(rendezvous("env://"))
        # On one machine the store outlives a restart, with the addresses of the processes that were killed.
        attempt = os.environ["TORCHELASTIC_RESTART_COUNT"] if os.environ.get("GROUP_WORLD_SIZE") == "1" else "0"
        store = PrefixStore(f"attempt {attempt}", store)
        dist.init_process_group("nccl" if on_gpu else "gloo", store=store, rank=rank, world_size=world_size)
        return cls(rank, world_size, device)

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        # If one of these is the last to let go of the group, PyTorch 2.13 waits for a thread that waits for Python.
        for wrapped in self._wrapped:
            del wrapped.reducer, wrapped.logger
        if self.world_size > 1:
            dist.destroy_process_group()

    def split(self, batch: Batch) -> Sequence[Batch]:
        """Divide the rows of a batch among the processes, in rank order and as evenly as possible."""
        return list(zip(*(tensor.tensor_split(self.world_size) for tensor in batch), strict=True))

    def wrap(self, model: nn.Module, loss: Loss) -> Callable[[Batch], Tensor]:
        """Return a function from a batch to its loss, whose backward pass averages the gradients of all processes."""
        if self.world_size == 1:
            return partial(loss, model)
        self._wrapped.append(DistributedDataParallel(_WithLoss(model, loss), forward_sync_buffers=False))
        return self._wrapped[-1]

    def sum(self, value: float) -> float:
        """Return the sum of a number over all processes."""
        total = torch.tensor(value, dtype=torch.float64, device=self.device)
        if self.world_size > 1:
            dist.all_reduce(total)
        return total.item()

    def on_rank_0(self, work: Callable[[], Result]) -> Result:
        """Call a function in process 0, and return its result in all; if it raises, ``torchrun`` ends the others."""
        result = [work() if self.rank == 0 else None]
        if self.world_size > 1:
            dist.broadcast_object_list(result)
        return cast(Result, result[0])

    def seed(self, generator: torch.Generator, seed: int, step: int) -> None:
        """Seed a generator from seed, step and rank; a single process leaves its generator as it is."""
        if self.world_size > 1:
            (mixed,) = np.random.SeedSequence([seed, step, self.rank]).generate_state(1, np.uint64)
            generator.manual_seed(int(mixed >> np.uint64(1)))


def no_sync(wrapped: Callable[[Batch], Tensor]) -> AbstractContextManager[None]:
    """Postpone the exchange of gradients to the next backward pass outside this context."""
    return wrapped.no_sync() if isinstance(wrapped, DistributedDataParallel) else nullcontext()


class _WithLoss(nn.Module):
    """A model with its loss: gradients are summed around one module, and a loss may use any part of the model."""

    def __init__(self, model: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, batch: Batch) -> Tensor:
        return self.loss(self.model, batch)
