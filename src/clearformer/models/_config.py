"""What the configs of the named models share."""

from typing import Literal, TypeVar, get_args

import torch
from torch import nn

from clearformer.nn._linear import require_positive

ActivationName = Literal["gelu", "gelu_tanh", "relu", "silu"]
Model = TypeVar("Model", bound=nn.Module)


class ModelConfig:
    """The sizes of a model; those below 1 and unknown activations are a ValueError."""

    def __post_init__(self) -> None:
        require_positive(vars(self))
        activation = getattr(self, "activation", "gelu")
        if activation not in get_args(ActivationName):
            raise ValueError(f"activation={activation!r} is none of {', '.join(get_args(ActivationName))}")


def on_device_of(generator: torch.Generator | None, model: Model) -> Model:
    """Move the parts without random weights, such as norms, to where the others are."""
    return model if generator is None else model.to(generator.device)
