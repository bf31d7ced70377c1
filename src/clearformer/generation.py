"""From text to text: a model, its tokenizer and a decoding strategy."""

import math
from collections.abc import Collection
from typing import Any

import torch
from torch import nn

from clearformer.decoding import Sampler
from clearformer.models import Decoder, EncoderDecoder, Memory
from clearformer.tokenizers import PublishedTokenizer, Tokenizer


@torch.inference_mode()
def generate(
    model: nn.Module,
    tokenizer: Tokenizer,
    text: str,
    *,
    max_new_tokens: int,
    sampler: Sampler | None = None,
    stop_ids: Collection[int] = (),
    start_id: int = 0,
) -> str:
    """Continue a text with a decoder, or transform it with an encoder-decoder, and return the new text alone.

    The model is in evaluation mode while it writes, and the text ends where its context ends. A copy made by
    ``inference.prepare(model)`` writes the same text faster. A text without tokens, or with more than the context has
    room for, is a ValueError.

    Args:
        model: A ``Decoder`` or an ``EncoderDecoder``.
        tokenizer: The tokenizer of the model.
        text: The prompt of a decoder, or the source of an encoder-decoder.
        max_new_tokens: The largest number of new tokens.
        sampler: Chooses each token, such as ``decoding.sampler(generator=...)`` with a logits processor; by default,
            the most likely one.
        stop_ids: Tokens that end the text; they are not part of it.
        start_id: The first token of an encoder-decoder's output; for T5 that is the padding token, 0.

    Example:
        >>> from clearformer.models import GPT2Config, gpt2
        >>> from clearformer.tokenizers import CharacterTokenizer
        >>> tokenizer = CharacterTokenizer.train("to be or not to be")
        >>> config = GPT2Config(tokenizer.vocab_size, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32)
        >>> model = gpt2(config, torch.Generator().manual_seed(0))
        >>> len(generate(model, tokenizer, "to be", max_new_tokens=7))
        7
    """
    if not isinstance(model, Decoder | EncoderDecoder):
        raise TypeError(f"model must be a Decoder or an EncoderDecoder, got {type(model).__name__}")
    if max_new_tokens < 1:
        raise ValueError(f"max_new_tokens={max_new_tokens} must be at least 1")
    special: dict[str, Any] = {"add_special": True} if isinstance(tokenizer, PublishedTokenizer) else {}
    ids = torch.tensor([tokenizer.encode(text, **special)], device=next(model.parameters()).device)  # (1, T)
    if not ids.numel():
        raise ValueError(f"text={text!r} has no tokens, and at least 1 is needed")
    was_training = model.training
    model.eval()
    try:
        decoder: Decoder = model if isinstance(model, Decoder) else model.decoder
        memory: Memory | None = None
        if isinstance(model, EncoderDecoder):
            memory, ids = model.encode(ids), torch.full_like(ids[:, :1], start_id)
        context = getattr(decoder.config, "context", math.inf)
        if ids.shape[1] > context:
            raise ValueError(f"the prompt has {ids.shape[1]} tokens, and the context of the model is {context}")
        caches, new, written = decoder.new_caches(), ids, list[int]()
        while len(written) < max_new_tokens and len(caches[0]) < context:
            hidden_states = decoder.hidden_states(new, memory, caches=caches)
            logits = decoder.lm_head(hidden_states[:, -1]).float()  # (1, vocab_size)
            if logits.isnan().any():
                raise ValueError(f"the logits after {len(caches[0])} tokens hold NaN")
            new = logits.argmax(dim=-1, keepdim=True) if sampler is None else sampler(logits, ids)[:, None]  # (1, 1)
            if int(new) in stop_ids:
                break
            written.append(int(new))
            ids = torch.cat([ids, new], dim=-1)  # (1, T + 1)
    finally:
        model.train(was_training)
    return tokenizer.decode(written)
