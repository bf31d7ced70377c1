"""What attends to what: the weights of every head of a model, captured while it runs."""

from functools import partial
from typing import Any

from torch import Tensor, nn

from clearformer.nn.attention import MultiHeadAttention


def attention_maps(model: nn.Module, *inputs: Any, **options: Any) -> dict[str, Tensor]:
    """Call a model, and return the attention weights of every head in every layer, by the names of the layers.

    Args:
        model: Any module that holds ``MultiHeadAttention``, or one itself, whose name is ``""``.
        inputs: What it is called with.
        options: The same, by name.

    Returns:
        Weights (..., n_heads, T, S) by name, in the order in which the layers ran. Rows of padding mean nothing.

    Raises:
        ValueError: a layer attends more than once in one call.

    Example:
        >>> import torch
        >>> {name: tuple(w.shape) for name, w in attention_maps(MultiHeadAttention(8, 2), torch.zeros(5, 8)).items()}
        {'': (2, 5, 5)}
    """
    layers = {name: module for name, module in model.named_modules() if isinstance(module, MultiHeadAttention)}
    captured = dict[str, Tensor]()

    def capture(name: str, weights: Tensor) -> None:
        if name in captured:
            raise ValueError(f"{name or 'the layer'} attends more than once in one call")
        captured[name] = weights

    for name, layer in layers.items():
        layer.weights_hook = partial(capture, name)
    try:
        model(*inputs, **options)
    finally:
        for layer in layers.values():
            layer.weights_hook = None
    return captured
