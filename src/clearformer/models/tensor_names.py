"""The tensors of published models: how each is renamed, transposed, joined or trimmed to become a parameter of ours."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Rule:
    """Where one of our parameters comes from.

    Args:
        ours: The name of the parameter.
        theirs: The names of the tensors that it consists of, side by side.
        transposed: Whether these are matrices (out, in), as in ``torch.nn.Linear``, where ours is (in, out).
        factor: What the first tensor is multiplied by.
        skip: Number of rows at the beginning that are left out.
        widths: Number of columns of each tensor, where there are several.
    """

    ours: str
    theirs: tuple[str, ...]
    transposed: bool = False
    factor: float = 1.0
    skip: int = 0
    widths: tuple[int, ...] = ()

    def apply(self, tensors: Mapping[str, Tensor]) -> Tensor:
        """Return the parameter, a view where the tensor is neither joined nor multiplied."""
        parts = [tensors[name] for name in self.theirs]
        if self.factor != 1:
            parts[0] = parts[0] * self.factor
        joined = parts[0] if len(parts) == 1 else torch.cat(parts, dim=0 if self.transposed else -1)
        return (joined.mT if self.transposed else joined)[self.skip :]

    def undo(self, parameter: Tensor) -> dict[str, Tensor]:
        """Return the tensors of the parameter; rows that were left out come back as zeros.

        Example:
            >>> rule = Rule("w", ("a.weight", "b.weight"), transposed=True, factor=2.0, widths=(2, 1))
            >>> tensors = {"a.weight": torch.ones(2, 3), "b.weight": torch.zeros(1, 3)}
            >>> all(tensor.equal(tensors[name]) for name, tensor in rule.undo(rule.apply(tensors)).items())
            True
        """
        if self.skip:
            parameter = torch.cat([parameter.new_zeros(self.skip, *parameter.shape[1:]), parameter])
        parts = list(torch.split(parameter, list(self.widths) or parameter.shape[-1], dim=-1))
        if self.factor != 1:
            parts[0] = parts[0] / self.factor
        return {name: part.mT if self.transposed else part for name, part in zip(self.theirs, parts, strict=True)}


@dataclass(frozen=True)
class Plan:
    """How a published file becomes a model.

    Args:
        config: The config of the model, such as a ``GPT2Config``.
        build: Makes the model, without arguments.
        rules: Where each parameter comes from.
        prefix: What may precede the names of tensors, as the file was written with a head or without.
        copies: Tensors that a file may hold a second time, and the names of the first ones.
        ignored: A regular expression of the tensors that no model needs.
        tied: Whether the table of embeddings also produces the logits.
    """

    config: Any
    build: Callable[[], nn.Module]
    rules: list[Rule]
    prefix: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)
    ignored: str = r"(?!)"
    tied: bool = False

    def places(self, names: Iterable[str], source: str) -> dict[str, str]:
        """Find the name in the file for each name in the rules and copies; ``source`` is the file, for messages.

        A tensor that is missing, or unknown, or there twice, is a ValueError.
        """
        needed = {theirs for rule in self.rules for theirs in rule.theirs}
        known, found, unknown = needed | self.copies.keys(), dict[str, str](), list[str]()
        for name in names:
            modern = re.sub(r"(LayerNorm)\.gamma$", r"\1.weight", re.sub(r"(LayerNorm)\.beta$", r"\1.bias", name))
            forms = (modern, modern.removeprefix(self.prefix), self.prefix + modern)
            form = next((form for form in forms if form in known), None)
            if form in found:
                raise ValueError(f"{source}: {found[form]} and {name} are the same tensor")
            if form:
                found[form] = name
            elif not re.fullmatch(self.ignored, name.removeprefix(self.prefix)):
                unknown.append(name)
        for what, which in (("missing", needed - found.keys()), ("unknown", unknown)):
            if which:
                raise ValueError(f"{source}: {len(which)} tensors are {what}: {', '.join(sorted(which)[:5])[:300]}")
        return found

    def published(self, name: str) -> str:
        """Return the name in a file of the whole model: with the prefix, unless it belongs to a head."""
        is_head = re.match(r"(lm_head|cls|classifier)\.", name)
        return name if is_head or name.startswith(self.prefix) else self.prefix + name


def convert(rules: Iterable[Rule], tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Return the parameters of a model from the tensors of another; a missing or unknown one is a ValueError.

    Example:
        >>> convert([Rule("w", ("a.weight", "b.weight"), transposed=True)], {"a.weight": torch.ones(2, 3),
        ...     "b.weight": torch.zeros(1, 3)})["w"][0]
        tensor([1., 1., 0.])
    """
    rules = list(rules)
    needed = {name for rule in rules for name in rule.theirs}
    for what, names in (("missing", needed - tensors.keys()), ("unknown", tensors.keys() - needed)):
        if names:
            raise ValueError(f"{len(names)} tensors are {what}: {', '.join(sorted(names)[:5])}")
    return {rule.ours: rule.apply(tensors) for rule in rules}


def within(prefix: str, rules: Iterable[Rule]) -> list[Rule]:
    """Return the rules for a file in which all names begin with a prefix."""
    return [replace(rule, theirs=tuple(prefix + name for name in rule.theirs)) for rule in rules]


def linear_rules(ours: str, theirs: str, *, w: str = "w", b: str | None = "b") -> list[Rule]:
    """Return the rules of a ``torch.nn.Linear``."""
    rules = [Rule(f"{ours}.{w}", (f"{theirs}.weight",), transposed=True)]
    return rules if b is None else [*rules, Rule(f"{ours}.{b}", (f"{theirs}.bias",))]


def norm_rules(ours: str, theirs: str, *, beta: bool = True) -> list[Rule]:
    """Return the rules of a layer norm, or of an RMS norm, which has no beta."""
    rules = [Rule(f"{ours}.gamma", (f"{theirs}.weight",))]
    return [*rules, Rule(f"{ours}.beta", (f"{theirs}.bias",))] if beta else rules


def attention_rules(
    ours: str,
    theirs: str,
    names: tuple[str, str, str, str],
    widths: tuple[int, int, int],
    *,
    bias: bool = False,
    factor: float = 1.0,
) -> list[Rule]:
    """Return the rules of attention with separate matrices for queries, keys, values and the output."""
    *qkv, o = (f"{theirs}.{name}" for name in names)
    weights, biases = (tuple(f"{name}.{kind}" for name in qkv) for kind in ("weight", "bias"))
    rules = [
        Rule(f"{ours}.w_qkv", weights, transposed=True, factor=factor, widths=widths),
        Rule(f"{ours}.w_o", (f"{o}.weight",), transposed=True),
    ]
    if bias:
        rules += [Rule(f"{ours}.b_qkv", biases, widths=widths), Rule(f"{ours}.b_o", (f"{o}.bias",))]
    return rules
