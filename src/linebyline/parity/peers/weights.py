"""Two models with the same weights: drawn for theirs, and copied to ours by the rules of a checkpoint."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from clearformer.models.tensor_names import Rule, convert
from clearformer.nn import ACTIVATIONS, RotaryEncoding, SinusoidalEncoding

# Modules of theirs that ask for float32 whatever their weights are.
ROUNDING = ("BloomAttention", "LlamaRMSNorm", "T5LayerNorm")


class Pair(NamedTuple):
    """Our model, theirs with the same weights, and the rules by which one came from the other."""

    ours: Any
    theirs: Any
    rules: list[Rule]


@torch.no_grad()
def same_weights(ours: Any, theirs: Any, rules: list[Rule], stds: Mapping[str, float] | None = None) -> Pair:
    """Draw every weight of theirs anew, copy them to ours by the rules, and put both models in evaluation mode.

    Weights are drawn near the start of training, but none is trivial: matrices divided by the root of their columns,
    gains around 1, biases around 0, and others by the standard deviations ``stds``. A ValueError says that a weight of
    one model has no place in the other.
    """
    generator = torch.Generator().manual_seed(0)
    gains = {name for rule in rules if rule.ours.endswith("gamma") for name in rule.theirs}
    # A weight that its rule multiplies is drawn smaller by as much, so that no softmax is saturated.
    factors = {rule.theirs[0]: rule.factor for rule in rules}
    for name, parameter in theirs.named_parameters():
        usual = 0.25 if parameter.ndim < 2 else parameter.shape[-1] ** -0.5
        std = (stds or {}).get(name, usual / factors.get(name, 1.0))
        parameter.copy_(std * torch.randn(parameter.shape, generator=generator) + (name in gains))
    _fill(ours, theirs, rules)
    return Pair(ours.eval(), theirs.eval(), rules)


def in_float64(pair: Pair) -> Pair:
    """Return both models in float64, and theirs without the operations that round whatever its weights are.

    These are the RMS norms of Llama and T5 and the softmax of Bloom, which compute in float32; the angles of Llama's
    rotation, which it takes from ours; and Bloom's GELU, whose constants have eight digits. A table of sines, which
    ``torch.nn.Transformer`` shares with ours, was rounded as well, and is made anew.
    """
    ours, theirs = pair.ours.double(), pair.theirs.double()
    for module in ours.modules():
        if isinstance(module, SinusoidalEncoding):
            module.table = SinusoidalEncoding(*module.table.shape, dtype=torch.float64).table
    for module in theirs.modules():
        name = type(module).__name__
        if name in ROUNDING:
            module.forward = partial(_unrounded, module.forward)
        elif name == "LlamaRotaryEmbedding":
            module.forward = partial(_angles, ours.blocks[0].attention.rotary)
        elif name == "BloomGelu":
            module.forward = ACTIVATIONS["gelu_tanh"]
    _fill(ours, theirs, pair.rules)
    return pair


@torch.no_grad()
def _fill(ours: Any, theirs: Any, rules: list[Rule]) -> None:
    converted, parameters = convert(rules, dict(theirs.named_parameters())), dict(ours.named_parameters())
    if unmatched := converted.keys() ^ parameters.keys():
        raise ValueError(f"{sorted(unmatched)[:5]} have no rule, or no place")
    for name, parameter in parameters.items():
        parameter.copy_(converted[name])


class _Float64(TorchFunctionMode):
    """Replace float32 by float64 wherever an operation asks for it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        positional = [torch.float64 if each is torch.float32 else each for each in args]
        named = {name: torch.float64 if each is torch.float32 else each for name, each in (kwargs or {}).items()}
        return func(*positional, **named)


def _unrounded(forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with _Float64():
        return forward(*args, **kwargs)


def _angles(rotary: RotaryEncoding, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """The cosines and sines in the layout of theirs, which has each of them twice."""
    cos, sin = (torch.cat([table, table], dim=-1)[position_ids].to(x.dtype) for table in (rotary.cos, rotary.sin))
    return cos, sin
