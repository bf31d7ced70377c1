"""From text to text: a model, its tokenizer and a decoding strategy."""

from collections.abc import Collection

import torch
from torch import nn

from clearformer.decoding import Sampler, argmax, stream
from clearformer.decoding.streaming import collect
from clearformer.models import CachedDecoder, Decoder, EncoderDecoder
from clearformer.tokenizers import PublishedTokenizer, Tokenizer


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
    if isinstance(tokenizer, PublishedTokenizer):
        ids = tokenizer.encode(text, add_special=True)
    else:
        ids = tokenizer.encode(text)
    if not ids:
        raise ValueError(f"text={text!r} has no tokens, and at least 1 is needed")
    was_training, device = model.training, next(model.parameters()).device
    model.eval()
    try:
        prompt = torch.tensor([ids], device=device)  # (1, S)
        if isinstance(model, Decoder):
            next_logits = CachedDecoder(model)
        else:
            with torch.inference_mode():
                next_logits = CachedDecoder(model.decoder, model.encode(prompt))
            prompt = torch.full((1, 1), start_id, device=device)
        steps = stream(next_logits, prompt, max_new_tokens, sampler=sampler or argmax(), stop_ids=stop_ids)
        (new,) = collect(steps)
    finally:
        model.train(was_training)
    return tokenizer.decode(new[:-1] if new[-1] in stop_ids else new)
