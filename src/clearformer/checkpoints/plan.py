"""What a ``config.json`` asks for: a model of some sizes, and where each tensor of the file belongs in it."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from clearformer.checkpoints.rules import Rule
from clearformer.models._config import ActivationName

# Files have several names for one; the first is written.
ACTIVATIONS: Mapping[str, ActivationName] = {
    "gelu": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
}


def published_name(activation: ActivationName) -> str:
    """Give the name of an activation in a ``config.json``.

    Example:
        >>> published_name("gelu_tanh")
        'gelu_new'
    """
    return next(name for name, ours in ACTIVATIONS.items() if ours == activation)


@dataclass(frozen=True)
class Plan:
    """How a file becomes a model.

    Args:
        config: The sizes, such as a ``GPT2Config``.
        rules: Where each parameter comes from.
        prefix: What may stand before the names of tensors, as the file was written with a head or without.
        copies: Tensors that a file may hold a second time, and the names of the first ones.
        beside: What published files carry besides the parameters, as a regular expression of whole names.
        tied: Whether the table of embeddings is read a second time as output.
        reads: What is read from the states of an encoder, as its architecture is named: ``"MaskedLM"`` and the like.
        n_outputs: Number of classes, if it is classes.
    """

    config: Any
    rules: list[Rule]
    prefix: str = ""
    copies: Mapping[str, str] = field(default_factory=dict)
    beside: str = r"(?!)"
    tied: bool = False
    reads: str = "Model"
    n_outputs: int = 2

    def places(self, names: Iterable[str], source: str) -> dict[str, str]:
        """Give each name that the rules or copies ask for the name that it has in the file.

        Args:
            names: Of the tensors in the file.
            source: What messages call it.

        Raises:
            ValueError: tensors are missing, or have no place, or two have the same.
        """
        needed = {theirs for rule in self.rules for theirs in rule.theirs}
        known, found, strange = needed | self.copies.keys(), dict[str, str](), list[str]()
        for name in names:
            short = self._known(name, known)
            if short in found:
                raise ValueError(f"{source}: {found[short]} and {name} have the same place")
            if short:
                found[short] = name
            elif not re.fullmatch(self.beside, name.removeprefix(self.prefix)):
                strange.append(name)
        for what, which in (("missing", needed - found.keys()), ("without a place", strange)):
            if which:
                raise ValueError(f"{source}: {len(which)} tensors are {what}: {', '.join(sorted(which)[:5])[:300]}")
        return found

    def published(self, name: str) -> str:
        """Give the name as a file of the whole model has it, with the prefix unless it belongs to a head."""
        is_head = re.match(r"(lm_head|cls|classifier)\.", name)
        return name if is_head or name.startswith(self.prefix) else self.prefix + name

    def _known(self, name: str, known: Iterable[str]) -> str | None:
        """Find the name that is asked for, with the prefix or without, and with norms as old files call their parts."""
        modern = re.sub(r"(LayerNorm)\.gamma$", r"\1.weight", re.sub(r"(LayerNorm)\.beta$", r"\1.bias", name))
        forms = (modern, modern.removeprefix(self.prefix), self.prefix + modern)
        return next((form for form in forms if form in known), None)
