"""A decoder that writes: it remembers keys and values between calls, and sheds what modules do around each part."""

from functools import cache
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.models.decoder import Decoder
from clearformer.nn import KeyValueCache


class CachedDecoder:
    """The logits after the last token, computed for the positions that are new since the last call.

    Args:
        model: The decoder. What is held was computed with the parameters of its time: start anew with another
            ``CachedDecoder`` when they have changed.

    Example:
        >>> from clearformer.models import DecoderConfig
        >>> config = DecoderConfig(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> next_logits = CachedDecoder(Decoder(config, generator=torch.Generator().manual_seed(0)))
        >>> next_logits(torch.tensor([[3, 1]])).shape, next_logits(torch.tensor([[3, 1, 4]])).shape
        (torch.Size([1, 11]), torch.Size([1, 11]))
    """

    def __init__(self, model: Decoder) -> None:
        self._model: Decoder = _lean(model)
        self._ids = torch.empty(0, 0, dtype=torch.int64)
        self._caches: list[KeyValueCache] | None = None

    @torch.inference_mode()
    def __call__(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B vocab_size"]:
        """Continue from what is held if ``ids`` does, and start anew if not."""
        held = self._ids.shape[-1]
        if self._caches is None or held >= ids.shape[-1] or not torch.equal(ids[:, :held], self._ids):
            held, self._caches = 0, None
        # A single sequence goes without the axis of sequences: products of two axes are the quickest.
        new = ids[0, held:] if ids.shape[0] == 1 else ids[:, held:]  # (new,) or (B, new)
        x, caches = self._model.states(new, self._caches)
        # Both at once, so that a refusal or an interruption leaves no half of them; the caller may write into ids.
        self._caches, self._ids = caches, ids.clone()
        return self._model.read_out(x[-1:] if x.ndim == 2 else x[:, -1])

    def keep(self, rows: Int[Tensor, " n"]) -> None:
        """Put the given sequences in the place of those held, as beam search does."""
        caches = [cache.take(rows) for cache in self._caches or []]
        self._caches, self._ids = caches or None, self._ids[rows]


def _lean(module: nn.Module) -> Any:
    """Give an object with the same forward pass and the same parameters, which Python reaches at once.

    A module asks for hooks around each call, finds a parameter only after looking for an attribute in vain, and
    for that alone keeps Python from remembering where its attributes lie. In a small model all this takes as long
    as the arithmetic of a step. A part that has hooks, or comes from outside this package, stays as it is.
    """
    if isinstance(module, nn.ModuleList):
        return [_lean(part) for part in module]
    kind: Any = type(module)
    if module._forward_hooks or module._forward_pre_hooks or not kind.__module__.startswith("clearformer."):
        return module
    lean: Any = object.__new__(_plain(kind))
    parts = {name: part and _lean(part) for name, part in module._modules.items()}
    vars(lean).update(vars(module), **module._parameters, **module._buffers, **parts)
    return lean


@cache
def _plain(kind: type[nn.Module]) -> type:
    """Give a type with the methods of a kind of module, less those of every module; a call is its forward pass."""
    own = kind.__mro__[: kind.__mro__.index(nn.Module)]
    methods = {name: method for base in reversed(own) for name, method in vars(base).items()}
    return type(kind.__name__, (), methods | {"__call__": kind.forward})
