"""From a model to its fast copy."""

from functools import cache
from typing import Any, TypeVar, cast

from torch import nn

from clearformer.inference.parts import FAST, Fast

Model = TypeVar("Model", bound=nn.Module)


def prepare(model: Model, *, int8: bool = False) -> Model:
    """Return a copy of a model for inference, which computes the same in less time.

    The copy is in evaluation mode, follows no gradient, and shares the memory of the weights wherever these are stored
    by columns. Prepare a model again after its weights, its device or its number type have changed. Parts that have
    hooks, or come from outside ``clearformer``, run as they are.

    Args:
        model: An ``Encoder``, a ``Decoder`` or an ``EncoderDecoder``.
        int8: Whether to round the matrices to whole numbers of one byte, with a step for each output. The rest is then
            float32. Tables of embeddings stay as they are; where one is used again as output weights, that use is
            rounded.

    Returns:
        The copy, of the same class, so ``CachedDecoder`` and ``encode`` work with it.

    Example:
        >>> import torch
        >>> from clearformer.models import GPT2Config, gpt2
        >>> model = gpt2(GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32))
        >>> ids = torch.tensor([[3, 1, 4]])
        >>> torch.allclose(prepare(model)(ids), model(ids), atol=1e-5)
        True
    """
    return cast(Model, _copied(model, int8, {}))


def _copied(module: nn.Module, int8: bool, copies: dict[int, nn.Module]) -> nn.Module:
    """Copy a module and the modules in it, each once however often it is used."""
    if id(module) in copies:
        return copies[id(module)]
    kind: Any = type(module)
    is_ours = kind.__module__.startswith("clearformer.") and not (module._forward_hooks or module._forward_pre_hooks)
    copy: nn.Module = object.__new__(_called_directly(kind) if is_ours else kind)
    copies[id(module)] = copy
    parts = {name: None if part is None else _copied(part, int8, copies) for name, part in module._modules.items()}
    weights = {name: None if p is None else p.detach() for name, p in module._parameters.items()}
    if int8:
        weights = {name: None if p is None else p.float() for name, p in weights.items()}
    vars(copy).update(vars(module), _modules=parts, training=False)
    vars(copy)["_parameters"] = {n: None if p is None else nn.Parameter(p, False) for n, p in weights.items()}
    if is_ours:  # found at once, without ``nn.Module.__getattr__``
        vars(copy).update(weights, _description=module.extra_repr())
        vars(copy).update(**module._buffers, **parts)
        if isinstance(copy, Fast):
            copy.prepare(int8=int8)
            for name in [name for name, p in weights.items() if int8 and p is not None and p.ndim == 2]:
                del vars(copy)["_parameters"][name], vars(copy)[name]
    return copy


@cache
def _called_directly(kind: Any) -> Any:
    """Return a subclass whose call is its forward pass: in a small model, asking for hooks takes as long as a step."""
    fast = FAST.get(kind, kind)
    return type(kind.__name__, (fast,), {"__call__": fast.forward, "extra_repr": lambda self: self._description})
