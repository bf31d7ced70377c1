"""Our model as a function of its weights, in a dictionary: what the exercises of the project are compared with."""

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from .mistakes import decoder

Weights = Mapping[str, Tensor]


def start(vocab_size: int, d_model: int, n_layers: int, *, seed: int = 0) -> dict[str, Tensor]:
    """Draw weights for a decoder: matrices (in, out), and those of all blocks of a kind stacked in one tensor.

    Example:
        >>> w = start(1024, 64, 2)
        >>> tuple(w["w_1"].shape), sum(tensor.numel() for tensor in w.values())
        ((2, 64, 256), 231680)
    """
    generator, L, d = torch.Generator().manual_seed(seed), n_layers, d_model
    shapes = {**{f"w_{name}": (L, d, d) for name in "qkvo"}, "w_1": (L, d, 4 * d), "w_2": (L, 4 * d, d)}
    w = {"embedding": torch.randn(vocab_size, d, generator=generator)}
    for name, shape in {**shapes, "w_out": (d, vocab_size)}.items():
        w[name] = (2 * torch.rand(shape, generator=generator) - 1) / math.sqrt(shape[-2])  # as nn.Linear does
    w |= {"b_1": torch.zeros(L, 4 * d), "b_2": torch.zeros(L, d), "b_out": torch.zeros(vocab_size)}
    for end, size in {"_1": (L, d), "_2": (L, d), "": (d,)}.items():
        w |= {f"gain{end}": torch.ones(size), f"shift{end}": torch.zeros(size)}
    return w


class Given(nn.Module):
    """Our model, or one with a mistake, with weights from a dictionary, which are its parameters."""

    def __init__(self, w: Weights, n_heads: int, **mistake: Any) -> None:
        super().__init__()
        self.w = nn.ParameterDict({name: tensor.clone() for name, tensor in w.items()})
        self.n_heads, self.n_layers = n_heads, len(w["w_q"])
        # The model computes, and its own weights are not used: it is no part of this module.
        vocab_size, d_model = w["embedding"].shape
        self._model = [decoder(vocab_size, d_model, n_heads, self.n_layers, **mistake)]

    def forward(self, ids: Tensor) -> Tensor:
        """Compute logits, (B, T, vocab_size)."""
        logits: Tensor = torch.func.functional_call(self._model[0], self._named(), (ids,))
        return logits

    def block(self, x: Tensor) -> Tensor:
        """Pass vectors through the first block, (B, T, d_model)."""
        for i in (1, 2):
            part = {name[2:]: tensor for name, tensor in self._named().items() if name.startswith(f"{i}.")}
            x = torch.func.functional_call(self._model[0][i], part, (x,))  # type: ignore[index]
        return x

    def trained(self) -> dict[str, Tensor]:
        """Return the weights as they are now."""
        return {name: tensor.detach().clone() for name, tensor in self.w.items()}

    def _named(self) -> dict[str, Tensor]:
        """The weights by the names that our model has for them; its matrices are (out, in), a head's by themselves."""
        w, named = self.w, {"0.weight": self.w["embedding"]}
        for i in range(self.n_layers):
            for part, number in ((2 * i + 1, 1), (2 * i + 2, 2)):
                named |= {f"{part}.0.weight": w[f"gain_{number}"][i], f"{part}.0.bias": w[f"shift_{number}"][i]}
                named[f"{2 * i + 2}.1.{2 * number - 2}.weight"] = w[f"w_{number}"][i].mT
                named[f"{2 * i + 2}.1.{2 * number - 2}.bias"] = w[f"b_{number}"][i]
            for name in ("w_q", "w_k", "w_v"):
                heads = w[name][i].mT.chunk(self.n_heads)  # (d_k, d_model) each
                named |= {f"{2 * i + 1}.1.heads.{h}.{name}.weight": head for h, head in enumerate(heads)}
            named[f"{2 * i + 1}.1.w_o.weight"] = w["w_o"][i].mT
        norm, head = 2 * self.n_layers + 1, 2 * self.n_layers + 2
        named |= {f"{norm}.weight": w["gain"], f"{norm}.bias": w["shift"]}
        return named | {f"{head}.weight": w["w_out"].mT, f"{head}.bias": w["b_out"]}
