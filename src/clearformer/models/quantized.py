"""A model whose large matrices are whole numbers of one byte."""

from typing import TypeVar

from torch import nn

from clearformer.models.heads import LinearHead, TiedLMHead
from clearformer.nn.int8 import Int8Matrix

Model = TypeVar("Model", bound=nn.Module)


def quantize(model: Model) -> Model:
    """Round the matrices of a model to int8, each output with a step of its own, one after the other in place.

    Tables of embeddings stay as they are, since a step reads one row of them; a table that is read a second time as
    output is rounded for that. Norms and biases stay. What comes out computes, and cannot be trained.

    Args:
        model: A stack of parts from ``clearformer.nn``.

    Returns:
        The model.

    Example:
        >>> import torch
        >>> from clearformer.models import GPT2Config, gpt2
        >>> config = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32)
        >>> model = quantize(gpt2(config, torch.Generator().manual_seed(0)))
        >>> model.blocks[0].feed_forward.w_in.codes.dtype, model(torch.tensor([[3, 1]])).shape
        (torch.int8, torch.Size([1, 2, 11]))
    """
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if isinstance(child, TiedLMHead):
                setattr(module, name, _untied(child))
        if isinstance(module, Int8Matrix):
            continue
        for name, parameter in list(module.named_parameters(recurse=False)):
            if parameter.ndim == 2 and name.startswith("w"):
                delattr(module, name)
                setattr(module, name, Int8Matrix.of(parameter))
    return model


def _untied(tied: TiedLMHead) -> LinearHead:
    """Give a read-out with a matrix of its own."""
    head = LinearHead(1, 1, generator=None)
    del head.w
    head.w = Int8Matrix.of(tied.embedding.table.T * tied.scale)  # type: ignore[assignment]
    return head
