"""Several processes that train one model: each takes its rows of every batch, and gradients are added up."""

import os
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TypeVar, cast

import numpy as np
import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.distributed_c10d import PrefixStore
from torch.distributed.rendezvous import rendezvous
from torch.nn.parallel import DistributedDataParallel

from clearformer.training.batches import Batch
from clearformer.training.loss import Loss

Done = TypeVar("Done")
Ask = Callable[[Batch], Tensor]


@dataclass(frozen=True)
class Processes:
    """The processes of a training, as one of them sees them.

    All of them draw the same batches from one seed, and each takes its rows. So a batch is the same for any number of
    processes, and nothing that is kept depends on the number. As a context it closes the group at the end.

    Args:
        rank: The number of this process; 0 is the one that writes.
        world_size: How many there are.
        device: Where this one computes.

    Example:
        >>> with Processes.from_environment() as processes:
        ...     print(processes.rank, processes.world_size, processes.device)
        0 1 cpu
    """

    rank: int
    world_size: int
    device: torch.device

    @classmethod
    def alone(cls, device: str | torch.device = "cpu") -> "Processes":
        """Make the one process of a training that has no others."""
        return cls(0, 1, torch.device(device))

    @classmethod
    def from_environment(cls, device: str = "cpu") -> "Processes":
        """Join the group that ``torchrun`` has started, or stay alone where it has not.

        Processes on processors speak by gloo. Those on GPUs speak by nccl, and each takes the GPU of its number on its
        machine.

        Args:
            device: The kind of device, such as ``cuda``.

        Raises:
            ValueError: there are more processes on this machine than GPUs.
        """
        rank, world_size = int(os.environ.get("RANK", 0)), int(os.environ.get("WORLD_SIZE", 1))
        if world_size == 1:
            return cls.alone(device)
        place = torch.device(device)
        if place.type == "cuda":
            number, n_gpus = int(os.environ["LOCAL_RANK"]), torch.cuda.device_count()
            if number >= n_gpus:
                raise ValueError(f"process {number} of this machine needs a GPU of its own, and there are {n_gpus}")
            place = torch.device("cuda", number)
            torch.cuda.set_device(place)
        store, rank, world_size = next(rendezvous("env://"))
        # A store outlives a restart on one machine: the addresses of the dead must not be taken for those of today.
        start = os.environ.get("TORCHELASTIC_RESTART_COUNT", "0") if os.environ.get("GROUP_WORLD_SIZE") == "1" else "0"
        place_to_meet = PrefixStore(f"start {start}", store)
        backend = "nccl" if place.type == "cuda" else "gloo"
        dist.init_process_group(backend, store=place_to_meet, rank=rank, world_size=world_size)
        return cls(rank, world_size, place)

    def __enter__(self) -> "Processes":
        return self

    def __exit__(self, *_: object) -> None:
        if self.world_size > 1:
            dist.destroy_process_group()

    def shares(self, batch: Batch) -> Sequence[Batch]:
        """Divide the rows of a batch among the processes, in their order, as evenly as can be.

        Raises:
            ValueError: the batch is empty, or its parts have different numbers of rows.

        Example:
            >>> ids = torch.arange(5)
            >>> [part.tolist() for part, in Processes(1, 2, torch.device("cpu")).shares((ids,))]
            [[0, 1, 2], [3, 4]]
        """
        if not batch or not batch[0].numel():
            raise ValueError(f"a batch of shapes {_shapes(batch)} is empty")
        if self.world_size == 1:
            return [batch]
        if len({part.shape[:1] for part in batch}) > 1:
            raise ValueError(f"a batch of shapes {_shapes(batch)} has no rows to divide: its parts differ in number")
        divided = (part.tensor_split(self.world_size) for part in batch)
        return list(zip(*divided, strict=True))

    def ask(self, model: nn.Module, loss: Loss) -> Ask:
        """Make a function from a batch to its loss, whose way back adds up the gradients of all processes.

        The model takes over the weights of process 0.

        Raises:
            ValueError: the model is on another device than this process.
        """
        if self.world_size == 1:
            return partial(loss, model)
        if (place := next(model.parameters()).device) != self.device:
            raise ValueError(f"process {self.rank} computes on {self.device}, and its model is on {place}")
        return DistributedDataParallel(_Asked(model, loss), forward_sync_buffers=False)

    def keeping(self, ask: Ask) -> AbstractContextManager[None]:
        """Keep gradients to oneself in this context: the next way back outside of it adds them up."""
        return ask.no_sync() if isinstance(ask, DistributedDataParallel) else nullcontext()

    def sum(self, value: float) -> float:
        """Add up a number of each process."""
        if self.world_size == 1:
            return value
        total = torch.tensor(value, dtype=torch.float64, device=self.device)
        dist.all_reduce(total)
        return total.item()

    def first(self, work: Callable[[], Done]) -> Done:
        """Let process 0 do something, such as writing a file, and tell all others what came out.

        Raises:
            RuntimeError: in the others, where process 0 has failed; there the failure itself is raised.

        Example:
            >>> Processes.alone().first(lambda: 2 + 3)
            5
        """
        if self.world_size == 1:
            return work()
        result, failure = None, None
        if self.rank == 0:
            try:
                result = work()
            except Exception as error:
                failure = error
        told = [result, failure and f"{type(failure).__name__}: {failure}"]
        dist.broadcast_object_list(told)
        if failure is not None:
            raise failure
        if told[1] is not None:
            raise RuntimeError(f"process 0 has failed with {told[1]}")
        return cast(Done, told[0])

    def seed(self, generator: torch.Generator, seed: int, step: int) -> None:
        """Let a generator of this process go on from seed, step and rank alone, so that no state has to be kept.

        One process leaves it as it is.
        """
        if self.world_size > 1:
            (mixed,) = np.random.SeedSequence([seed, step, self.rank]).generate_state(1, np.uint64)
            generator.manual_seed(int(mixed >> np.uint64(1)))


class _Asked(nn.Module):
    """A model with its loss, since gradients are added up around a module, and a loss may ask any part of a model."""

    def __init__(self, model: nn.Module, loss: Loss) -> None:
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, batch: Batch) -> Tensor:
        return self.loss(self.model, batch)


def _shapes(batch: Batch) -> list[tuple[int, ...]]:
    return [tuple(part.shape) for part in batch]
