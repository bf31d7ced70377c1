"""How the tensors of a file become the parameters of a model: each is renamed, and some are turned, joined or cut."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from clearformer.checkpoints.late import Late

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = Late("torch"), Any


@dataclass(frozen=True)
class Rule:
    """Where one of our parameters comes from.

    Args:
        ours: Its name.
        theirs: The names of the tensors that it is made of; several are laid side by side.
        turned: Whether these are matrices (out, in), as ``torch.nn.Linear`` keeps them, where ours is (in, out).
        factor: What the first of them is multiplied by.
        skip: Rows at the beginning that are left out.
        widths: Columns of each tensor, where there are several.
    """

    ours: str
    theirs: tuple[str, ...]
    turned: bool = False
    factor: float = 1.0
    skip: int = 0
    widths: tuple[int, ...] = ()

    def apply(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Make the parameter: of a tensor that is neither joined nor multiplied it is a view."""
        parts = [tensors[name] for name in self.theirs]
        if self.factor != 1:
            parts[0] = parts[0] * self.factor
        joined = parts[0] if len(parts) == 1 else torch.cat(parts, dim=0 if self.turned else -1)
        return (joined.mT if self.turned else joined)[self.skip :]

    def undo(self, parameter: Tensor) -> dict[str, Tensor]:
        """Make the tensors of the parameter; rows that were left out come back as zeros.

        Example:
            >>> rule = Rule("w", ("a.weight", "b.weight"), turned=True, factor=2.0, widths=(2, 1))
            >>> tensors = {"a.weight": torch.ones(2, 3), "b.weight": torch.zeros(1, 3)}
            >>> all(tensor.equal(tensors[name]) for name, tensor in rule.undo(rule.apply(tensors)).items())
            True
        """
        if self.skip:
            parameter = torch.cat([parameter.new_zeros(self.skip, *parameter.shape[1:]), parameter])
        parts = list(torch.split(parameter, list(self.widths) or parameter.shape[-1], dim=-1))
        if self.factor != 1:
            parts[0] = parts[0] / self.factor
        return {name: part.mT if self.turned else part for name, part in zip(self.theirs, parts, strict=True)}


def convert(rules: Iterable[Rule], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Make the parameters of a model from the tensors of a file.

    Raises:
        ValueError: a rule asks for a tensor that is not there, or there is one that no rule asks for.

    Example:
        >>> convert([Rule("w", ("a.weight", "b.weight"), turned=True)], {"a.weight": torch.ones(2, 3),
        ...     "b.weight": torch.zeros(1, 3)})["w"][0]
        tensor([1., 1., 0.])
    """
    rules = list(rules)
    asked = {name for rule in rules for name in rule.theirs}
    for what, names in (("missing", asked - tensors.keys()), ("without a place", tensors.keys() - asked)):
        if names:
            raise ValueError(f"{len(names)} tensors are {what}: {', '.join(sorted(names)[:5])}")
    return {rule.ours: rule.apply(tensors) for rule in rules}


def within(prefix: str, rules: Iterable[Rule]) -> list[Rule]:
    """Give the rules for a file in which all names begin with a prefix."""
    return [replace(rule, theirs=tuple(prefix + name for name in rule.theirs)) for rule in rules]


def linear(ours: str, theirs: str, *, w: str = "w", b: str | None = "b") -> list[Rule]:
    """Give the rules of a layer that ``torch.nn.Linear`` computes there."""
    rules = [Rule(f"{ours}.{w}", (f"{theirs}.weight",), turned=True)]
    return rules if b is None else [*rules, Rule(f"{ours}.{b}", (f"{theirs}.bias",))]


def norm(ours: str, theirs: str, *, beta: bool = True) -> list[Rule]:
    """Give the rules of a norm."""
    rules = [Rule(f"{ours}.gamma", (f"{theirs}.weight",))]
    return [*rules, Rule(f"{ours}.beta", (f"{theirs}.bias",))] if beta else rules


def attention(
    ours: str,
    theirs: str,
    names: tuple[str, str, str, str],
    widths: tuple[int, int, int],
    *,
    bias: bool = False,
    factor: float = 1.0,
) -> list[Rule]:
    """Give the rules of attention with matrices of its own for queries, keys, values and the output."""
    *qkv, o = (f"{theirs}.{name}" for name in names)
    weights, biases = (tuple(f"{name}.{kind}" for name in qkv) for kind in ("weight", "bias"))
    rules = [
        Rule(f"{ours}.w_qkv", weights, turned=True, factor=factor, widths=widths),
        Rule(f"{ours}.w_o", (f"{o}.weight",), turned=True),
    ]
    if bias:
        rules += [Rule(f"{ours}.b_qkv", biases, widths=widths), Rule(f"{ours}.b_o", (f"{o}.bias",))]
    return rules
