"""Two models with the same weights: drawn for theirs, and brought to ours by the rules of a checkpoint."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from clearformer.checkpoints.rules import Rule, convert
from clearformer.nn import ACTIVATIONS, RotaryEncoding, SinusoidalEncoding

# Parts of theirs that ask for float32 whatever their weights are.
ROUNDING = ("BloomAttention", "LlamaRMSNorm", "T5LayerNorm")


class Pair(NamedTuple):
    """Our model, theirs with the same weights, and the rules by which one came from the other."""

    ours: Any
    theirs: Any
    rules: list[Rule]


@torch.no_grad()
def pair(ours: Any, theirs: Any, rules: list[Rule], spreads: Mapping[str, float] | None = None) -> Pair:
    """Draw every weight of theirs anew, and copy them over; nobody drops anything.

    They are drawn near the start of training, but none is trivial: matrices divided by the root of their columns,
    gains around 1, biases around 0.

    Args:
        ours: Our model, whose weights may be empty.
        theirs: Their model.
        rules: How ours comes from theirs.
        spreads: Standard deviations of their weights where they are others, by name.

    Raises:
        ValueError: a weight of one of them has no place in the other.
    """
    generator = torch.Generator().manual_seed(0)
    gains = {name for rule in rules if rule.ours.endswith("gamma") for name in rule.theirs}
    # What is multiplied on its way to us starts as much smaller: scores stay where a softmax is not yet a maximum.
    factors = {rule.theirs[0]: rule.factor for rule in rules}
    for name, parameter in theirs.named_parameters():
        usual = 0.25 if parameter.ndim < 2 else parameter.shape[-1] ** -0.5
        spread = (spreads or {}).get(name, usual / factors.get(name, 1.0))
        parameter.copy_(spread * torch.randn(parameter.shape, generator=generator) + (name in gains))
    _fill(ours, theirs, rules)
    return Pair(ours.eval(), theirs.eval(), rules)


def in_float64(pair: Pair) -> Pair:
    """Give both in float64, and theirs without the places where it rounds whatever its weights are.

    These are the norms without means of Llama and T5 and the softmax of Bloom, which theirs computes in float32; the
    angles of Llama's rotation, which it takes from ours; and Bloom's GELU, whose constants have eight digits. A table
    of sines, which ``torch.nn.Transformer`` shares with ours, was rounded as well, and is made anew.
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
    made, parameters = convert(rules, dict(theirs.named_parameters())), dict(ours.named_parameters())
    if made.keys() != parameters.keys():
        raise ValueError(f"{sorted(made.keys() ^ parameters.keys())[:5]} have no rule, or no place")
    for name, parameter in parameters.items():
        parameter.copy_(made[name])


class _Float64(TorchFunctionMode):
    """Let who asks for float32 have float64."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        wider = {torch.float32: torch.float64}
        asked = [wider.get(each, each) if isinstance(each, torch.dtype) else each for each in args]
        named = {name: wider.get(each, each) if name == "dtype" else each for name, each in (kwargs or {}).items()}
        return func(*asked, **named)


def _unrounded(forward: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    with _Float64():
        return forward(*args, **kwargs)


def _angles(rotary: RotaryEncoding, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Give cosines and sines as theirs wants them: each pair of features twice."""
    cos, sin = (torch.cat([table, table], dim=-1)[position_ids].to(x.dtype) for table in (rotary.cos, rotary.sin))
    return cos, sin
