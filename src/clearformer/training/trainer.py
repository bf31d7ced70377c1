"""The training loop, and checkpoints from which an interrupted run continues bit by bit."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from clearformer.tensor_files import load_tensors, require_same, save_tensors
from clearformer.training.loss import Batch, Batches, Loss, next_token_loss
from clearformer.training.optimizer import MakeOptimizer, Schedule, adamw
from clearformer.training.processes import Processes, no_sync


class Trainer:
    """A model and everything its training needs to continue: optimizer, step count and random generator.

    Args:
        model: Any model that the loss accepts.
        batches: Draws a batch with the generator.
        schedule: The learning rate of each step.
        generator: The source of the batches; its state is part of a checkpoint.
        loss: The mean loss of the model on a batch.
        optimizer: Makes the optimizer from the named parameters; its state may hold tensors only.
        clip: The largest gradient norm; a longer gradient is scaled down to it.
        accumulate: Batches per step, at least 1, one after another, where memory holds no larger one.
        count: Counts the targets in the mean loss of some rows, so that the mean over a step is right however its
            rows are divided; by default, one per row.
        autocast: The context of the forward pass, such as ``bfloat16_if_native()``.
        processes: The processes that train together. Each has its own trainer and takes its rows of each batch.

    Source: Pascanu et al. (2013) for clipping; Li et al. (2020) for data-parallel training.

    Example:
        >>> from clearformer.training import token_windows
        >>> bigram = nn.Embedding.from_pretrained(torch.zeros(9, 9), freeze=False)
        >>> batches = token_windows(torch.arange(9).repeat(20), batch=8, length=4)
        >>> trainer = Trainer(bigram, batches, lambda step: 0.1, generator=torch.Generator().manual_seed(0))
        >>> losses = trainer.run(50)
        >>> round(losses[0], 3), losses[-1] < 0.1 * losses[0]
        (2.197, True)
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Batches,
        schedule: Schedule,
        *,
        generator: torch.Generator,
        loss: Loss = next_token_loss,
        optimizer: MakeOptimizer = adamw,
        clip: float = 1.0,
        accumulate: int = 1,
        count: Callable[[Batch], int | Tensor] = lambda batch: len(batch[0]),
        autocast: AbstractContextManager[object] | None = None,
        processes: Processes | None = None,
    ) -> None:
        if accumulate < 1:
            raise ValueError(f"accumulate={accumulate} must be at least 1")
        self.model, self.batches, self.schedule, self.generator = model, batches, schedule, generator
        self.clip, self.accumulate, self.count = clip, accumulate, count
        self.autocast = autocast or nullcontext()
        self.optimizer, self.step = optimizer(model.named_parameters()), 0
        self.processes = processes or Processes()
        self.generator.set_state(self.processes.on_rank_0(self.generator.get_state))
        self._loss = self.processes.wrap(model, loss)

    def run(self, n_steps: int, progress: Callable[[Iterable[int]], Iterable[int]] = iter) -> list[float]:
        """Train for some steps from here, and return the loss of each, over the rows of all processes.

        ``progress`` wraps the numbers of the steps, as ``tqdm`` does.

        Raises:
            ValueError: a batch is empty, or a learning rate is negative, not finite, or 0 in every step so far.
            FloatingPointError: the loss or its gradient is not finite; the weights are those before the step.
        """
        return list(self.steps(n_steps, progress))

    def steps(self, n_steps: int, progress: Callable[[Iterable[int]], Iterable[int]] = iter) -> Iterator[float]:
        """Train as ``run`` does, one step each time the iterator is asked for its next loss."""
        if not any(self.schedule(step) for step in range(self.step + n_steps + 1)):
            raise ValueError(f"the learning rate of steps 0 to {self.step + n_steps} is always 0: nothing is learned")
        for _ in progress(range(n_steps)):
            yield self._step()

    def _step(self) -> float:
        rate = self._rate()
        self.optimizer.zero_grad(set_to_none=True)
        draws = range(self.accumulate)
        loss = self._backward([self.batches(self.generator) for _ in draws])
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self._require_finite(loss, norm)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.step += 1
        return loss

    def _rate(self) -> float:
        rate = self.schedule(self.step)
        if not 0 <= rate < math.inf:
            raise ValueError(f"the learning rate of step {self.step} is {rate}, and must be finite and not negative")
        return rate

    def _require_finite(self, loss: float, norm: Tensor) -> None:
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise FloatingPointError(
                f"at step {self.step} the loss is {loss} and the norm of its gradient {norm:.6g}: "
                "the weights are those before the step, and no checkpoint has changed"
            )

    def _backward(self, batches: list[Batch]) -> float:
        """Add up the gradients of all batches and processes, each weighted by its fraction of the targets."""
        for batch in batches:
            if not batch or not batch[0].numel():
                raise ValueError(f"a batch of shapes {[tuple(tensor.shape) for tensor in batch]} is empty")
        splits = [self.processes.split(batch) for batch in batches]
        # Every process has the rows of all, so it knows how many targets there are without asking.
        counts = [[int(self.count(rows)) if len(rows[0]) else 0 for rows in split] for split in splits]
        n = sum(map(sum, counts)) or 1
        self.processes.seed(self._default_generator(), self.generator.initial_seed(), self.step)
        total, rank = 0.0, self.processes.rank
        for number, (batch, split, counted) in enumerate(zip(batches, splits, counts, strict=True), start=1):
            # All processes must take part in the sum of gradients: one without rows reads a row of weight 0.
            rows = split[rank] if len(split[rank][0]) else tuple(tensor[:1] for tensor in batch)
            with nullcontext() if number == self.accumulate else no_sync(self._loss):
                with self.autocast:
                    loss = self._loss(rows)
                loss = counted[rank] / n * loss
                # DistributedDataParallel averages over processes, and the fractions already sum to 1.
                (loss * self.processes.world_size).backward()  # type: ignore[no-untyped-call]
            total += loss.item()
        return self.processes.sum(total)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint from which training continues as if it had never stopped, with any number of processes.

        Process 0 writes, and the others wait. A process killed while writing leaves the previous file as it was.

        Raises:
            TypeError: the state of the optimizer holds something other than tensors.
            OSError: the file cannot be written, for example because the disk is full.
        """
        self.processes.on_rank_0(lambda: self._write(path))

    def _write(self, path: str | os.PathLike[str]) -> None:
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        names, kind = self._names(), type(self.optimizer).__name__
        for number, state in self.optimizer.state_dict()["state"].items():
            for key, value in state.items():
                if not isinstance(value, Tensor):
                    raise TypeError(f"the state of {kind} holds {key}={value!r} for {names[number]}, not a tensor")
                tensors[f"optimizer.{names[number]}.{key}"] = value
        tensors |= {name: generator.get_state() for name, generator in self._generators().items()}
        save_tensors(path, tensors, {"step": str(self.step), "optimizer": kind})

    def load(self, path: str | os.PathLike[str]) -> None:
        """Continue from a checkpoint; one of another model or optimizer is a ValueError, and changes nothing."""
        tensors, facts = load_tensors(path)
        weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
        require_same(path, self.model, weights)
        if facts["optimizer"] != (kind := type(self.optimizer).__name__):
            raise ValueError(f"{path} holds the state of {facts['optimizer']}, not of {kind}")
        states = self._optimizer_states(path, tensors)
        self.model.load_state_dict(weights)
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": states})
        for parameter, state in self.optimizer.state.items():
            for key, tensor in state.items():
                if tensor.shape == parameter.shape:
                    # Fused kernels need parameter and state in the same memory layout; a file has rows only.
                    state[key] = torch.empty_like(parameter).copy_(tensor)
        for name, generator in self._generators().items():
            generator.set_state(tensors[name])
        self.step = int(facts["step"])

    def _optimizer_states(self, path: object, tensors: Mapping[str, Tensor]) -> dict[int, dict[str, Tensor]]:
        numbers = {name: number for number, name in enumerate(self._names())}
        states: dict[int, dict[str, Tensor]] = {}
        for full_name, tensor in tensors.items():
            if full_name.startswith("optimizer."):
                name, _, key = full_name.removeprefix("optimizer.").rpartition(".")
                if name not in numbers:
                    raise ValueError(f"{path} holds the optimizer state of {name}, which is not trained here")
                states.setdefault(numbers[name], {})[key] = tensor
        return states

    def _names(self) -> list[str]:
        """Return the names of the parameters in the order in which the optimizer numbers them."""
        names = {parameter: name for name, parameter in self.model.named_parameters()}
        return [names[p] for group in self.optimizer.param_groups for p in group["params"]]

    def _generators(self) -> dict[str, torch.Generator]:
        return {"generator": self.generator, "default_generator": self._default_generator()}

    def _default_generator(self) -> torch.Generator:
        """Return the default generator of the model's device: dropout kernels draw from no other."""
        device = next(self.model.parameters()).device
        return torch.cuda.default_generators[device.index] if device.type == "cuda" else torch.default_generator
