"""The loop, and checkpoints that survive being interrupted."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor, nn

from clearformer.tensor_files import load_tensors, require_same, save_tensors
from clearformer.training.batches import Batch, Batches
from clearformer.training.loss import Loss, next_token_loss
from clearformer.training.optimizer import MakeOptimizer, adamw
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
        count: How many targets of a batch count in its mean. With it, the batches of a step are one batch of all
            their targets; without, their means count alike, which is the same if all have as many.
        autocast: The context of the forward pass, such as ``bfloat16_if_native()``.

    Raises:
        ValueError: no batch in a step.

    Source: Pascanu et al. (2013) for clipping.

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
        count: Callable[[Batch], int | Tensor] = lambda batch: 1,
        autocast: AbstractContextManager[object] | None = None,
    ) -> None:
        if accumulate < 1:
            raise ValueError(f"accumulate={accumulate} must be at least 1")
        self.model, self.batches, self.schedule, self.generator = model, batches, schedule, generator
        self.loss, self.clip, self.accumulate, self.count = loss, clip, accumulate, count
        self.autocast = nullcontext() if autocast is None else autocast
        self.optimizer = optimizer(model.named_parameters())
        self.step = 0

    def run(self, steps: int, progress: Callable[[Iterable[int]], Iterable[int]] = iter) -> Iterator[float]:
        """Train for some steps, and give the loss of each.

        Args:
            steps: Steps to make from here.
            progress: Wraps the numbers of the steps, such as ``tqdm``.
        """
        for _ in progress(range(steps)):
            yield self._step()

    def _step(self) -> float:
        draw = self.batches
        batches = [draw(self.generator) for _ in range(self.accumulate)]
        counts = [int(self.count(batch)) for batch in batches]
        n = sum(counts) or 1
        self.optimizer.zero_grad(set_to_none=True)
        loss = 0.0
        for batch, count in zip(batches, counts, strict=True):
            loss += self._add_gradient(batch, count / n)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule(self.step)
        self.optimizer.step()
        self.step += 1
        return loss

    def _add_gradient(self, batch: Batch, share: float) -> float:
        with self.autocast:
            loss = self.loss(self.model, batch)
        loss = share * loss
        loss.backward()  # type: ignore[no-untyped-call]
        return loss.item()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint from which training goes on as if it had never stopped.

        The file is complete or not there at all: whoever is killed while writing leaves the last one as it was.

        Raises:
            TypeError: the optimizer remembers something else than tensors.
        """
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
        device = next(self.model.parameters()).device
        # Dropout draws from the default generator of its device, and takes no other.
        default = torch.cuda.default_generators[device.index] if device.type == "cuda" else torch.default_generator
        return {"generator": self.generator, "default_generator": default}
