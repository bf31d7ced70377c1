"""What stands in the page before its model has started: computed with the book, as the page will compute it."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from clearformer import functional as F
from clearformer.decoding import pipeline
from clearformer.tokenizers import BPETokenizer

# Where the controls stand at first. Both below 1, because its unlikely tokens lead a small model astray.
TAU, TOP_P = 0.7, 0.9
SEED = 0
COUNT = 96  # tokens that it writes, if its context has room for them
LIKELY = 12  # tokens in the table of the most likely ones


def opening(
    weights: Mapping[str, np.ndarray], tokenizer: BPETokenizer, prompt: str, *, n_heads: int, context: int
) -> dict[str, Any]:
    """Let the model continue a prompt, with the settings and the generator that the page begins with.

    In float64, as the page computes: the same tokens are drawn there.

    Returns:
        The ``text`` it wrote, of ``count`` tokens, and the ``likely`` first ones with their probabilities.

    Raises:
        ValueError: the prompt leaves no room in the context.
    """
    ids = np.array(tokenizer.encode(prompt))
    if len(ids) >= context:
        raise ValueError(f"the first prompt has {len(ids)} tokens, which leaves no room in context={context}")
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    process, caches = pipeline(tau=TAU, p=TOP_P), None
    likely, written = list[list[Any]](), list[int]()
    for dart, _ in zip(darts(SEED), range(min(COUNT, context - len(ids))), strict=False):
        logits, caches = F.decoder(weights, ids, caches, n_heads=n_heads, rotary=F.rotary_encoding)
        likely = likely or _likely(F.softmax(logits), tokenizer)
        z = process(torch.from_numpy(logits)[None], torch.empty(1, 0, dtype=torch.int64))  # (1, vocab_size)
        ends = F.softmax(z[0].numpy()).cumsum()  # (vocab_size,)
        ids = np.searchsorted(ends, dart * ends[-1:], side="right")  # (1,)
        written.append(int(ids[0]))
    return {"text": tokenizer.decode(written), "count": len(written), "likely": likely}


def darts(seed: int) -> Iterator[float]:
    """Throw darts at [0, 1): Mulberry32 by Tommy Ettinger, as ``decoding.js`` does.

    Example:
        >>> [round(dart, 4) for dart, _ in zip(darts(0), range(3))]
        [0.2664, 0.0003, 0.2233]
    """
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        t = ((state ^ state >> 15) * (state | 1)) % 2**32
        t ^= (t + (t ^ t >> 7) * (t | 61)) % 2**32
        yield (t ^ t >> 14) / 2**32


def _likely(probabilities: np.ndarray, tokenizer: BPETokenizer) -> list[list[Any]]:
    """The most likely tokens, one character a byte, and their probabilities."""
    best = np.argsort(-probabilities, kind="stable")[:LIKELY]
    return [[tokenizer.decode_bytes([i]).decode("latin-1"), float(probabilities[i])] for i in best.tolist()]
