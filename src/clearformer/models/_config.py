"""What the configs of the named models share."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar, get_args

import torch
from torch import nn

from clearformer.nn._linear import require_positive

ActivationName = Literal["gelu", "gelu_tanh", "relu", "silu"]
Model = TypeVar("Model", bound=nn.Module)


def require_sizes(config: Mapping[str, Any]) -> None:
    """Refuse sizes that are not positive, and unknown activations."""
    require_positive(config)
    activation = config.get("activation", "gelu")
    if activation not in get_args(ActivationName):
        raise ValueError(f"activation={activation!r} is none of {', '.join(get_args(ActivationName))}")


def on_device_of(generator: torch.Generator | None, model: Model) -> Model:
    """Move the parts without random weights, such as norms, to where the others are."""
    return model if generator is None else model.to(generator.device)
