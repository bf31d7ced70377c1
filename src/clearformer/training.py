"""Training: the loss, the learning rate over time, the loop, and checkpoints that survive being interrupted."""

import math
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

import safetensors
import safetensors.torch
import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Schedule = Callable[[int], float]
Batches = Callable[[torch.Generator], tuple[Tensor, Tensor]]


def cross_entropy(logits: Float[Tensor, "*batch vocab_size"], targets: Int[Tensor, "*batch"]) -> Float[Tensor, ""]:
    r"""Average the surprise at the right tokens, in nats.

    .. math::

        L = -\frac1n\sum_t \log\operatorname{softmax}(z_t)_{y_t}

    Args:
        logits: Scores of every token, (..., vocab_size).
        targets: The token that came, (...).

    Raises:
        ValueError: the shapes do not fit together.

    Example:
        >>> cross_entropy(torch.zeros(3, 4), torch.tensor([0, 1, 3])).exp().round(decimals=4)
        tensor(4.)
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"logits {tuple(logits.shape)} must be {(*targets.shape, 'vocab_size')} for these targets")
    chosen = logits.gather(-1, targets[..., None]).squeeze(-1)  # (...)
    return (logits.logsumexp(dim=-1) - chosen).mean()


def warmup_cosine(peak: float, warmup: int, steps: int, *, floor: float = 0.1) -> Schedule:
    r"""Raise the learning rate in a straight line, then lower it along half a cosine.

    .. math::

        \eta(i) = \eta_\text{peak}\cdot\begin{cases} (i + 1) / w & i < w \\
        f + \tfrac{1 - f}{2}\big(1 + \cos\pi\tfrac{i - w}{n - w}\big) & i \ge w \end{cases}

    Args:
        peak: The highest learning rate.
        warmup: Steps of the rise.
        steps: Steps in all; beyond them the rate stays at the floor.
        floor: Share of the peak at the end.

    Raises:
        ValueError: the peak is not positive, or the rise is longer than the whole.

    Source: Loshchilov and Hutter (2017), eq. 5, for the cosine.

    Example:
        >>> rate = warmup_cosine(1.0, 2, 10)
        >>> [round(rate(i), 2) for i in (0, 1, 2, 6, 10)]
        [0.5, 1.0, 1.0, 0.55, 0.1]
    """
    if not peak > 0 or not 0 <= warmup <= steps or steps < 1:
        raise ValueError(f"peak={peak} must be positive and warmup={warmup} lie between 0 and steps={steps}")

    def rate(step: int) -> float:
        if step < warmup:
            return peak * (step + 1) / warmup
        done = (step - warmup) / (steps - warmup) if step < steps else 1.0
        return peak * (floor + (1 - floor) * 0.5 * (1 + math.cos(math.pi * done)))

    return rate


def token_windows(ids: Int[Tensor, " n"], *, batch: int, length: int) -> Batches:
    """Cut windows at random places of a text; the targets are the same windows, one token later.

    Args:
        ids: The tokens of the text.
        batch: Windows at a time.
        length: Tokens in each.

    Returns:
        A function from a generator to inputs and targets, (batch, length) each.

    Raises:
        ValueError: the text is too short for a window and its targets.

    Example:
        >>> inputs, targets = token_windows(torch.arange(9), batch=2, length=3)(torch.Generator().manual_seed(0))
        >>> torch.equal(inputs + 1, targets), inputs.shape
        (True, torch.Size([2, 3]))
    """
    if batch < 1 or length < 1 or len(ids) <= length:
        raise ValueError(f"batch={batch} windows of length={length} need more than {length} tokens, got {len(ids)}")
    offsets = torch.arange(length + 1)  # (length + 1,)

    def draw(generator: torch.Generator) -> tuple[Tensor, Tensor]:
        starts = torch.randint(len(ids) - length, (batch, 1), generator=generator)  # (batch, 1)
        windows = ids[starts + offsets]  # (batch, length + 1)
        return windows[:, :-1], windows[:, 1:]

    return draw


class Trainer:
    """A model and all that its training needs to go on: the optimizer, the number of steps made, the generator.

    Args:
        model: Gives logits for inputs.
        batches: Draws inputs and targets with the generator.
        schedule: The learning rate of each step.
        generator: Where batches come from; its state is part of a checkpoint.
        weight_decay: Pull of matrices towards zero; vectors (biases, gains) are left alone.
        clip: The longest gradient that is followed; a longer one is shortened to it.

    Source: Loshchilov and Hutter (2019) for AdamW; Pascanu et al. (2013) for clipping.

    Example:
        >>> from clearformer.models import Decoder, DecoderConfig
        >>> config = DecoderConfig(vocab_size=9, context=4, d_model=8, n_heads=2, n_layers=1, d_ff=32)
        >>> generator = torch.Generator().manual_seed(0)
        >>> batches = token_windows(torch.arange(9).repeat(20), batch=8, length=4)
        >>> trainer = Trainer(Decoder(config, generator=generator), batches, lambda step: 0.01, generator=generator)
        >>> losses = list(trainer.run(100))
        >>> losses[-1] < 0.5 * losses[0]
        True
    """

    def __init__(
        self,
        model: nn.Module,
        batches: Batches,
        schedule: Schedule,
        *,
        generator: torch.Generator,
        weight_decay: float = 0.1,
        clip: float = 1.0,
    ) -> None:
        self.model, self.batches, self.schedule, self.generator, self.clip = model, batches, schedule, generator, clip
        parameters = dict(model.named_parameters())
        groups = [
            {"params": [p for p in parameters.values() if p.ndim >= 2], "weight_decay": weight_decay},
            {"params": [p for p in parameters.values() if p.ndim < 2], "weight_decay": 0.0},
        ]
        self.optimizer = torch.optim.AdamW(groups, lr=schedule(0), betas=(0.9, 0.99), fused=True)
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
        inputs, targets = self.batches(self.generator)
        for group in self.optimizer.param_groups:
            group["lr"] = self.schedule(self.step)
        self.optimizer.zero_grad(set_to_none=True)
        loss = cross_entropy(self.model(inputs), targets)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.step += 1
        return loss.item()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint from which training goes on as if it had never stopped.

        The file is complete or not there at all: whoever is killed while writing leaves the last one as it was.
        """
        tensors = {f"model.{name}": tensor for name, tensor in self.model.state_dict().items()}
        for number, state in self.optimizer.state_dict()["state"].items():
            tensors |= {f"optimizer.{number}.{name}": tensor for name, tensor in state.items()}
        tensors["generator"] = self.generator.get_state()
        save_tensors(path, tensors, {"step": str(self.step)})

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint.

        Raises:
            ValueError: it belongs to another model; nothing has been changed then.
        """
        tensors, facts = load_tensors(path)
        weights = {name.removeprefix("model."): t for name, t in tensors.items() if name.startswith("model.")}
        _require_same(path, self.model, weights)
        states: dict[int, dict[str, Tensor]] = {}
        for name, tensor in tensors.items():
            if name.startswith("optimizer."):
                _, number, key = name.split(".")
                states.setdefault(int(number), {})[key] = tensor
        self.model.load_state_dict(weights)
        self.optimizer.load_state_dict({**self.optimizer.state_dict(), "state": states})
        self.generator.set_state(tensors["generator"])
        self.step = int(facts["step"])


def save_tensors(path: str | os.PathLike[str], tensors: Mapping[str, Tensor], facts: Mapping[str, str]) -> None:
    """Write tensors to a safetensors file in one move: a reader sees the old file or the new one, whole."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=target.parent, suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(safetensors.torch.save({n: t.contiguous() for n, t in tensors.items()}, dict(facts)))
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # a shared folder serves others, too
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise


def load_tensors(path: str | os.PathLike[str]) -> tuple[dict[str, Tensor], dict[str, str]]:
    """Read tensors and facts from a safetensors file."""
    with safetensors.safe_open(path, framework="pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}, file.metadata() or {}  # noqa: SIM118


def load_weights(path: str | os.PathLike[str], model: nn.Module) -> None:
    """Fill a model with weights from a safetensors file.

    Raises:
        ValueError: the file belongs to another model; nothing has been changed then.
    """
    weights, _ = load_tensors(path)
    _require_same(path, model, weights)
    model.load_state_dict(weights)


def _require_same(path: str | os.PathLike[str], model: nn.Module, weights: Mapping[str, Tensor]) -> None:
    expected = {name: tuple(tensor.shape) for name, tensor in model.state_dict().items()}
    got = {name: tuple(tensor.shape) for name, tensor in weights.items()}
    if expected != got:
        differing = sorted(name for name in expected.keys() | got.keys() if expected.get(name) != got.get(name))
        first = differing[0]
        raise ValueError(
            f"{path} holds another model: {first} is {got.get(first, 'missing')} there and "
            f"{expected.get(first, 'missing')} here ({len(differing)} tensors differ)"
        )
