"""The loop, and checkpoints that survive being interrupted."""

import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from clearformer.tensor_files import load_tensors, require_same, save_tensors
from clearformer.training.batches import Batch, Batches
from clearformer.training.loss import Loss, next_token_loss
from clearformer.training.optimizer import MakeOptimizer, adamw
from clearformer.training.processes import Processes
from clearformer.training.schedule import Schedule


class Trainer:
    """A model and all that its training needs to go on: the optimizer, the number of steps made, the generator.

    Args:
        model: Any model that the loss can ask.
        batches: Draws a batch with the generator.
        schedule: The learning rate of each step.
        generator: Where batches come from; its state is part of a checkpoint.
        loss: The mean loss of the model on a batch.
        optimizer: Makes the optimizer from the named parameters; its state may hold tensors only.
        clip: The longest gradient that is followed; a longer one is shortened to it.
        accumulate: Batches in one step, one after the other, where memory holds no larger one.
        count: How many targets of some rows count in their mean; as many in each row when left out. With it, all
            rows of a step are one batch of all their targets, whatever is ignored, and however they are divided.
        autocast: The context of the forward pass, such as ``bfloat16_if_native()``.
        processes: Those that train together. Each has a trainer like this one, and takes its rows of each batch.

    Raises:
        ValueError: no batch in a step.

    Source: Pascanu et al. (2013) for clipping; Li et al. (2020) for adding gradients up.

    Example:
        >>> from clearformer.training import token_windows
        >>> bigram = nn.Embedding.from_pretrained(torch.zeros(9, 9), freeze=False)
        >>> batches = token_windows(torch.arange(9).repeat(20), batch=8, length=4)
        >>> trainer = Trainer(bigram, batches, lambda step: 0.1, generator=torch.Generator().manual_seed(0))
        >>> losses = list(trainer.run(50))
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
        self.loss, self.clip, self.accumulate, self.count = loss, clip, accumulate, count
        self.autocast = nullcontext() if autocast is None else autocast
        self.optimizer = optimizer(model.named_parameters())
        self.processes = Processes.alone() if processes is None else processes
        self.generator.set_state(self.processes.first(self.generator.get_state))
        self._ask = self.processes.ask(model, loss)
        self.step = 0

    def run(self, steps: int, progress: Callable[[Iterable[int]], Iterable[int]] = iter) -> Iterator[float]:
        """Train for some steps, and give the loss of each, which is that of the rows of all processes.

        Args:
            steps: Steps to make from here.
            progress: Wraps the numbers of the steps, such as ``tqdm``.

        Raises:
            ValueError: a batch is empty, or a learning rate is negative, not finite, or 0 in every step so far.
            FloatingPointError: the loss or its gradient is not finite; the weights are those before the step.
        """
        self._require_learning(self.step + steps)
        for _ in progress(range(steps)):
            yield self._step()

    def _step(self) -> float:
        rate = self._rate()
        batches = [self.batches(self.generator) for _ in range(self.accumulate)]
        self.optimizer.zero_grad(set_to_none=True)
        loss = self._add_gradients(batches)
        norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self._require_finite(loss, norm)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        self.optimizer.step()
        self.step += 1
        return loss

    def _add_gradients(self, batches: Sequence[Batch]) -> float:
        """Add up the gradients of some batches in all processes, each by its share of the targets."""
        shares = [self.processes.shares(batch) for batch in batches]
        # Every process knows the rows of all: nobody has to be asked how many targets there are.
        counts = [[int(self.count(share)) if len(share[0]) else 0 for share in parts] for parts in shares]
        n = sum(map(sum, counts)) or 1
        self.processes.seed(self._default_generator(), self.generator.initial_seed(), self.step)
        loss, rank, last = 0.0, self.processes.rank, self.accumulate - 1
        for number, (batch, parts, counted) in enumerate(zip(batches, shares, counts, strict=True)):
            # Who has no rows reads one that weighs nothing, as all must take part when gradients are added up.
            share = parts[rank] if len(parts[rank][0]) else tuple(part[:1] for part in batch)
            with nullcontext() if number == last else self.processes.keeping(self._ask):
                loss += self._add_gradient(share, counted[rank] / n)
        self._require_gradients()
        return self.processes.sum(loss)

    def _add_gradient(self, batch: Batch, share: float) -> float:
        with self.autocast:
            loss = self._ask(batch)
        loss = share * loss
        # Adding up gives the mean over processes, and each holds a share of the whole already.
        (loss * self.processes.world_size).backward()  # type: ignore[no-untyped-call]
        return loss.item()

    def _require_gradients(self) -> None:
        """Refuse what the loss does not depend on: several processes would wait for its gradient."""
        if self.processes.world_size == 1:
            return
        idle = [name for name, p in self.model.named_parameters() if p.requires_grad and p.grad is None]
        if idle:
            raise ValueError(
                f"{len(idle)} parameters get no gradient, {idle[0]} among them: "
                "requires_grad_(False) leaves them out, as several processes need"
            )

    def _require_finite(self, loss: float, norm: Tensor) -> None:
        """Refuse a step along what is no gradient."""
        if not (math.isfinite(loss) and math.isfinite(norm)):
            raise FloatingPointError(
                f"at step {self.step} the loss is {loss} and its gradient has length {norm:.6g}: "
                "the weights are those before the step, and a checkpoint is as it was"
            )

    def _rate(self) -> float:
        rate = self.schedule(self.step)
        if not 0 <= rate < math.inf:
            raise ValueError(f"the learning rate of step {self.step} is {rate}, and must be finite and not negative")
        return rate

    def _require_learning(self, end: int) -> None:
        """Refuse a schedule of zeros; a single 0, as before the first step or after the last, is no fault."""
        if not any(self.schedule(step) for step in range(end + 1)):
            raise ValueError(f"the learning rate of steps 0 to {end} is 0 throughout: nothing would be learned")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint from which training goes on as if it had never stopped, with any number of processes.

        Process 0 writes, and the others wait. The file is complete or not there at all: whoever is killed while
        writing leaves the last one as it was.

        Raises:
            TypeError: the optimizer remembers something else than tensors.
            OSError: the file cannot be written, because the disk is full for one.
        """
        self.processes.first(lambda: self._write(path))

    def _write(self, path: str | os.PathLike[str]) -> None:
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        names = self._names()
        for number, state in self.optimizer.state_dict()["state"].items():
            for key, value in state.items():
                if not isinstance(value, Tensor):
                    raise TypeError(f"{self._kind()} remembers {key}={value!r} of {names[number]}, which is no tensor")
                tensors[f"optimizer.{names[number]}.{key}"] = value
        tensors |= {name: generator.get_state() for name, generator in self._generators().items()}
        save_tensors(path, tensors, {"step": str(self.step), "optimizer": self._kind()})

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint.

        Raises:
            ValueError: it belongs to another model or optimizer; nothing has been changed then.
        """
        tensors, facts = load_tensors(path)
        weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
        require_same(path, self.model, weights)
        if facts["optimizer"] != self._kind():
            raise ValueError(f"{path} holds the memory of {facts['optimizer']}, not of {self._kind()}")
        states = self._states(path, tensors)
        self.model.load_state_dict(weights)
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": states})
        for parameter, state in self.optimizer.state.items():
            for key, tensor in state.items():
                if tensor.shape == parameter.shape:
                    # Fused kernels go through both in the order of memory, and a file holds rows alone.
                    state[key] = torch.empty_like(parameter).copy_(tensor)
        for name, generator in self._generators().items():
            generator.set_state(tensors[name])
        self.step = int(facts["step"])

    def _states(self, path: str | os.PathLike[str], tensors: Mapping[str, Tensor]) -> dict[int, dict[str, Tensor]]:
        numbers = {name: number for number, name in enumerate(self._names())}
        states: dict[int, dict[str, Tensor]] = {}
        for place, tensor in tensors.items():
            if place.startswith("optimizer."):
                name, _, key = place.removeprefix("optimizer.").rpartition(".")
                if name not in numbers:
                    raise ValueError(f"{path} holds the memory of {name}, which this optimizer does not train")
                states.setdefault(numbers[name], {})[key] = tensor
        return states

    def _names(self) -> list[str]:
        """The names of the parameters in the order in which the optimizer numbers them."""
        names = {parameter: name for name, parameter in self.model.named_parameters()}
        return [names[p] for group in self.optimizer.param_groups for p in group["params"]]

    def _kind(self) -> str:
        return type(self.optimizer).__name__

    def _generators(self) -> dict[str, torch.Generator]:
        return {"generator": self.generator, "default_generator": self._default_generator()}

    def _default_generator(self) -> torch.Generator:
        """Where dropout draws from: the default generator of its device, as its kernels take no other."""
        device = next(self.model.parameters()).device
        return torch.cuda.default_generators[device.index] if device.type == "cuda" else torch.default_generator
