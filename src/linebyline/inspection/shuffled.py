"""An untrained control for a trained model: the same numbers in a random order.

It needs no config, and its parameters have exactly the distributions of the trained ones.
"""

from copy import deepcopy
from typing import TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def shuffled(model: Model, generator: torch.Generator) -> Model:
    """Copy a model, and put the numbers of each parameter in a random order.

    The sizes of the numbers stay, and what was learned is lost. Vectors are shuffled, too, because the rotated biases
    of queries and keys alone can make a head attend to the previous token.
    """
    copy = deepcopy(model)
    for parameter in copy.parameters():
        order = torch.randperm(parameter.numel(), generator=generator)
        parameter.data.copy_(parameter.data.flatten()[order].reshape(parameter.shape))
    return copy
