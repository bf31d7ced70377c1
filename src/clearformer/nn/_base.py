"""What the parts share: their sizes, their initial weights, activations, and the linear map x W + b."""

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, TypeVar

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn

Module = TypeVar("Module", bound=nn.Module)
Activation = Callable[[Tensor], Tensor]
ActivationName = Literal["gelu", "gelu_tanh", "relu", "silu"]
# By the names that configs use.
ACTIVATIONS: Mapping[str, Activation] = {
    "gelu": torch.nn.functional.gelu,
    "gelu_tanh": partial(torch.nn.functional.gelu, approximate="tanh"),
    "relu": torch.nn.functional.relu,
    "silu": torch.nn.functional.silu,
}


class Part(nn.Module):
    """A module that shows its sizes when it is printed; whole numbers below 1 are a ValueError."""

    def __init__(self, **sizes: Any) -> None:
        super().__init__()
        require_positive(sizes)
        self._sizes = sizes

    def extra_repr(self) -> str:
        """Return the sizes, for ``print(model)``."""
        return ", ".join(f"{name}={size!r}" for name, size in self._sizes.items())


class ModelConfig:
    """The sizes of a model; those below 1 and unknown activations are a ValueError."""

    def __post_init__(self) -> None:
        require_positive(vars(self))
        activation = getattr(self, "activation", "gelu")
        if activation not in ACTIVATIONS:
            raise ValueError(f"activation={activation!r} is none of {', '.join(ACTIVATIONS)}")


def require_positive(sizes: Mapping[str, Any]) -> None:
    """Refuse whole numbers below 1."""
    for name, size in sizes.items():
        if type(size) is int and size < 1:
            raise ValueError(f"{name}={size} must be at least 1")


def normal(
    shape: tuple[int, ...], std: float, generator: torch.Generator | None, dtype: torch.dtype | None
) -> nn.Parameter:
    """Draw weights from a normal distribution around 0, on the device of the generator."""
    device = None if generator is None else generator.device
    return nn.Parameter(std * torch.randn(shape, generator=generator, dtype=dtype, device=device))


def on_device_of(generator: torch.Generator | None, model: Module) -> Module:
    """Move the parts without random weights, such as norms, to where the others are."""
    return model if generator is None else model.to(generator.device)


def matrix(n_in: int, widths: list[int], generator: torch.Generator | None, dtype: torch.dtype | None) -> nn.Parameter:
    """Draw matrices (n_in, width) of variance 1 / n_in one by one, and return them side by side, (n_in, sum(widths)).

    In memory each column is contiguous, as in ``nn.Linear.weight`` and published files.
    """
    parts = [normal((n_in, width), 1 / math.sqrt(n_in), generator, dtype).detach() for width in widths]
    return nn.Parameter(torch.cat([part.T for part in parts]).T)


def linear(
    x: Float[Tensor, "*batch n_in"], w: Float[Tensor, "n_in n_out"], b: Float[Tensor, " n_out"] | None = None
) -> Float[Tensor, "*batch n_out"]:
    """Compute x W + b; rows of x that have another width than W has rows are a ValueError."""
    if not x.ndim or x.shape[-1] != len(w):
        raise ValueError(f"x must be (..., {len(w)}), got shape {tuple(x.shape)}")
    return torch.nn.functional.linear(x, w.T, b)
