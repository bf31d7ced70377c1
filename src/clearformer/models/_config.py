"""What the configs of the named models share."""

from collections.abc import Mapping
from typing import Any, TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def require_sizes(config: Mapping[str, Any]) -> None:
    """Refuse sizes that are not positive."""
    for name, size in config.items():
        if isinstance(size, int) and not isinstance(size, bool) and size < 1:
            raise ValueError(f"{name}={size} must be at least 1")


def placed(model: Model, generator: torch.Generator | None) -> Model:
    """Put the parts that nothing was drawn for beside those that were."""
    return model if generator is None else model.to(generator.device)
