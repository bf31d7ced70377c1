"""A model that has learned nothing, beside one that has: the same numbers, in a random order.

No config is needed for it, and no number is as large or as small by chance.
"""

from copy import deepcopy
from typing import TypeVar

import torch
from torch import nn

Model = TypeVar("Model", bound=nn.Module)


def shuffled(model: Model, generator: torch.Generator) -> Model:
    """Copy a model, and put the numbers of each parameter in a random order.

    So each keeps the size of its numbers, and nothing of what they say together. Vectors are shuffled, too: rotated
    biases of queries and keys alone can make a head look back.
    """
    copy = deepcopy(model)
    for parameter in copy.parameters():
        order = torch.randperm(parameter.numel(), generator=generator)
        parameter.data.copy_(parameter.data.flatten()[order].reshape(parameter.shape))
    return copy
