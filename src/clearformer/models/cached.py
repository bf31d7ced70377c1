"""A decoder that writes: it remembers keys and values between calls, and computes new positions only."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.models.decoder import Decoder, Sources
from clearformer.models.lean import lean
from clearformer.nn import KeyValueCache

# A longer prompt is read piece by piece, so that what lies between the layers does not grow with it.
CHUNK = 2048


class CachedDecoder:
    """The logits after the last token, computed for the positions that are new since the last call.

    Args:
        model: The decoder. What is held was computed with the parameters of its time: start anew with another
            ``CachedDecoder`` when they have changed.
        sources: What it writes from, one source for each row of the first ids, as ``EncoderDecoder.encode`` gives it.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> config = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=3, d_ff=32)
        >>> next_logits = CachedDecoder(gpt2(config, torch.Generator().manual_seed(0)))
        >>> next_logits(torch.tensor([[3, 1]])).shape, next_logits(torch.tensor([[3, 1, 4]])).shape
        (torch.Size([1, 11]), torch.Size([1, 11]))
    """

    def __init__(self, model: Decoder, sources: Sources | None = None) -> None:
        self._model, self._given, self._sources = lean(model), sources, sources
        self._ids = torch.empty(0, 0, dtype=torch.int64)
        self._source_of = torch.empty(0, dtype=torch.int64)  # the number of the source of each row
        self._caches: list[KeyValueCache] | None = None

    @torch.inference_mode()
    def __call__(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B vocab_size"]:
        """Continue from what is held if ``ids`` does, and start anew if not."""
        held = self._ids.shape[-1]
        if self._caches is None or held >= ids.shape[-1] or not torch.equal(ids[:, :held], self._ids):
            held, self._caches, self._sources = 0, None, self._given
            self._source_of = torch.arange(len(ids), device=ids.device)
        # A single sequence goes without the axis of sequences: products of two axes are the quickest.
        new = ids[0, held:] if ids.shape[0] == 1 else ids[:, held:]  # (new,) or (B, new)
        caches = self._caches
        for part in torch.split(new, CHUNK, dim=-1):
            x, caches = self._model.states(part, caches, sources=self._sources)
        # Both at once, so that a refusal or an interruption leaves no half of them; the caller may write into ids.
        self._caches, self._ids = caches, ids.clone()
        logits: Tensor = self._model.lm_head(x[-1:] if x.ndim == 2 else x[:, -1])
        return logits

    def reorder_cache(self, rows: Int[Tensor, " n"]) -> None:
        """Put the given sequences in the place of those held, as beam search does."""
        caches = [cache.take(rows) for cache in self._caches or []]
        if self._given is not None:
            source_of = self._source_of[rows]
            if not torch.equal(source_of, self._source_of):
                self._sources, self._source_of = self._given.take(source_of), source_of
        self._caches, self._ids = caches or None, self._ids[rows]
