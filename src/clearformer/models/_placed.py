"""Where a named model lies once it is put together."""

from typing import TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def placed(model: Model, generator: torch.Generator | None) -> Model:
    """Put the parts that nothing was drawn for beside those that were."""
    return model if generator is None else model.to(generator.device)
