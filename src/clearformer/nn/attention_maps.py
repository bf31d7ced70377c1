"""What attends to what: the weights of every head of a model, taken down while it works."""

from functools import partial
from typing import Any

from torch import Tensor, nn

from clearformer.nn.attention import MultiHeadAttention


def attention_maps(model: nn.Module, *inputs: Any, **options: Any) -> dict[str, Tensor]:
    """Call a model, and give the attention weights of every head in every layer, by the names of the layers.

    Args:
        model: Any module in which ``MultiHeadAttention`` works.
        inputs: What it is called with.
        options: The same, by name.

    Returns:
        Weights of (..., n_heads, T, S) by name, in the order in which the layers worked. Rows of padding say nothing.

    Raises:
        ValueError: a layer attends more than once in one call.

    Example:
        >>> import torch
        >>> attention = MultiHeadAttention(8, 2, generator=torch.Generator().manual_seed(0))
        >>> {name: tuple(w.shape) for name, w in attention_maps(nn.Sequential(attention), torch.zeros(5, 8)).items()}
        {'0': (2, 5, 5)}
    """
    layers = {name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)}
    seen = dict[str, Tensor]()

    def take_down(name: str, weights: Tensor) -> None:
        if name in seen:
            raise ValueError(f"{name or 'the layer'} attends more than once in one call")
        seen[name] = weights

    for name, layer in layers.items():
        layer.watchers.append(partial(take_down, name))
    try:
        model(*inputs, **options)
    finally:
        for layer in layers.values():
            layer.watchers.pop()
    return seen
