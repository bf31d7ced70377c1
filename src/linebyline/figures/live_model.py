"""A trained language model that runs in the reader's browser."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch

from clearformer import functional as F
from clearformer.decoding import pipeline
from clearformer.models import GPT2Config
from clearformer.tokenizers import BPETokenizer
from clearformer.tokenizers.pre_tokenization import GPT2_PATTERN
from linebyline.pretrained import rotary_decoder

from .live import LiveModel, packed, quantized, weights_of

MIME_TYPE = "application/vnd.clearformer.live-model+json"
# The first positions of the controls. Both below 1, because unlikely tokens lead a small model astray.
TAU, TOP_P = 0.7, 0.9
SEED = 0
COUNT = 96  # tokens that it writes, if its context has room for them
LIKELY = 12  # tokens in the table of the most likely ones


def live_model(
    state: Mapping[str, np.ndarray],
    tokenizer: BPETokenizer,
    *,
    n_heads: int,
    context: int,
    prompts: Sequence[str],
    description: str,
    folded: bool = False,
) -> LiveModel:
    """A model that continues a reader's text and shows tokens, probabilities and attention, computed by the browser.

    The weights are those of a decoder with GPT-2's blocks and the positions of `F.rotary_encoding`, and are `quantized`
    for the page. A text longer than ``context`` tokens loses half of them at once. The page begins with the first of
    the prompts and the model's continuation. ``folded`` is for readers who do not know about temperature and attention
    yet: the next tokens are right below the text, the rest is folded, each token is drawn with the probability that
    the model gives it, and a started model waits to be asked.

    Raises:
        ValueError: The weights have other names than those of such a decoder, the tokenizer has another pattern, or
            the first prompt fills the context.
    """
    n_layers = sum(name.endswith(".w_o") for name in state)
    sizes = GPT2Config(1, 1, 2, 1, n_layers, 1)  # names do not depend on the others
    arrays = weights_of(state, lambda: rotary_decoder(sizes), "GPT-2's blocks without added positions")
    if tokenizer.pattern != GPT2_PATTERN:
        raise ValueError(f"the page splits text by the pattern of GPT-2, not by {tokenizer.pattern!r}")
    vocab_size, d_model = arrays["embedding.table"].shape
    ids = tokenizer.vocab
    model = {
        "sizes": {"context": context, "d_model": d_model, "n_heads": n_heads, "n_layers": n_layers},
        # The bytes of each token, one character (U+0000 to U+00FF) for each byte.
        "tokens": [tokenizer.decode_bytes([i]).decode("latin-1") for i in range(vocab_size)],
        # The ids of each merge, end to end: left, right, both joined.
        "merges": [ids[token] for left, right in tokenizer.merges for token in (left, right, left + right)],
        **packed(arrays),
    }
    page: dict[str, Any] = {"description": description.strip(), "prompts": list(prompts)}
    page |= {"folded": True} if folded else {}
    tau, p = settings(page)
    opening = _opening(quantized(arrays), tokenizer, prompts[0], (tau, p), n_heads=n_heads, context=context)
    return LiveModel(MIME_TYPE, page, {"model": model, "opening": opening})


def settings(page: Mapping[str, Any]) -> tuple[float, float]:
    """The temperature and the top-p with which a page begins: those that change nothing, if it is folded."""
    return (1.0, 1.0) if page.get("folded") else (TAU, TOP_P)


def _opening(
    weights: Mapping[str, np.ndarray],
    tokenizer: BPETokenizer,
    prompt: str,
    drawn: tuple[float, float],
    *,
    n_heads: int,
    context: int,
) -> dict[str, Any]:
    """The ``text`` that continues the prompt, of ``count`` tokens, and the ``likely`` first tokens."""
    ids = np.array(tokenizer.encode(prompt))
    if len(ids) >= context:
        raise ValueError(f"the first prompt has {len(ids)} tokens, which leaves no room in context={context}")
    weights = {name: array.astype(np.float64) for name, array in weights.items()}
    process, caches = pipeline(tau=drawn[0], p=drawn[1]), None
    likely, written = list[list[Any]](), list[int]()
    for number, _ in zip(random_numbers(SEED), range(min(COUNT, context - len(ids))), strict=False):
        logits, caches = F.decoder(weights, ids, caches, n_heads=n_heads, rotary=F.rotary_encoding)
        likely = likely or _likely(F.softmax(logits), tokenizer)
        z = process(torch.from_numpy(logits)[None], torch.empty(1, 0, dtype=torch.int64))  # (1, vocab_size)
        ends = F.softmax(z[0].numpy()).cumsum()  # (vocab_size,)
        ids = np.searchsorted(ends, number * ends[-1:], side="right")  # (1,)
        written.append(int(ids[0]))
    return {"text": tokenizer.decode(written), "count": len(written), "likely": likely}


def random_numbers(seed: int) -> Iterator[float]:
    """Random numbers in [0, 1): Mulberry32 by Tommy Ettinger, as in ``decoding.js``.

    Example:
        >>> [round(number, 4) for number, _ in zip(random_numbers(0), range(3))]
        [0.2664, 0.0003, 0.2233]
    """
    state = seed
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        t = ((state ^ state >> 15) * (state | 1)) % 2**32
        t ^= (t + (t ^ t >> 7) * (t | 61)) % 2**32
        yield (t ^ t >> 14) / 2**32


def _likely(probabilities: np.ndarray, tokenizer: BPETokenizer) -> list[list[Any]]:
    """The most likely tokens, one character for each byte, and their probabilities."""
    best = np.argsort(-probabilities, kind="stable")[:LIKELY]
    return [[tokenizer.decode_bytes([i]).decode("latin-1"), float(probabilities[i])] for i in best.tolist()]
