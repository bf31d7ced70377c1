"""Generate text with a model: it is printed as it comes."""

import sys
import time
from argparse import Namespace
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from clearformer.checkpoints import Checkpoint, load_model, open_checkpoint
from clearformer.checkpoints.loading import Model
from clearformer.cli.text import TextStream
from clearformer.decoding import Sampler, argmax, beam_search, pipeline, sampler, stream
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, Decoder, EncoderDecoder
from clearformer.tokenizers import PublishedTokenizer

DRAWS = ("temperature", "top_k", "top_p", "min_p")
NEUTRAL = {"frequency_penalty": 0.0, "presence_penalty": 0.0, "repetition_penalty": 1.0}


def generate(arguments: Namespace) -> None:
    """Print what a model writes, and its speed on stderr, with the arguments of ``clearformer generate``.

    A model or an argument that is not supported is a ValueError; errors of files are those of ``load``.
    """
    _require_one_way(arguments)
    choose = _sampler(arguments)
    checkpoint = open_checkpoint(arguments.model)
    tokenizer = checkpoint.tokenizer()
    ids = _prompt(arguments, tokenizer, checkpoint.tokenizer_config() if arguments.chat else {})
    model = _model(checkpoint, arguments.dtype)
    begin = time.perf_counter()
    next_logits, start = _start(model, checkpoint.generation(), ids)
    ends = _ends(checkpoint.generation())
    before = ids if isinstance(model, Decoder) else []
    hidden = {*tokenizer.special_tokens.values(), *ends}
    text = TextStream(tokenizer.decode, before, hidden=hidden, stops=arguments.stop)
    if arguments.beams > 1:
        options = {"n_beams": arguments.beams, "length_penalty": arguments.length_penalty, "stop_ids": ends}
        best = beam_search(next_logits, start, arguments.max_new_tokens, **options)[0]
        _print(best.tokens, text, len(ids), begin)
    else:
        steps = stream(next_logits, [start], arguments.max_new_tokens, sampler=choose, stop_ids=ends)
        _print((int(step[0]) for step in steps), text, len(ids), begin)


def _require_one_way(arguments: Namespace) -> None:
    """Refuse arguments for two ways of choosing tokens."""
    if arguments.beams < 1:
        raise ValueError(f"--beams {arguments.beams} must be at least 1")
    given = [name for name in DRAWS if getattr(arguments, name) is not None]
    given += [name for name, value in NEUTRAL.items() if getattr(arguments, name) != value]
    if arguments.beams > 1 and given:
        raise ValueError(f"--beams searches, and takes no --{given[0].replace('_', '-')}")


def _sampler(arguments: Namespace) -> Sampler:
    """The sampler that the arguments ask for; a temperature of 0 is greedy."""
    tau = arguments.temperature
    is_drawn = tau != 0 and any(getattr(arguments, name) is not None for name in DRAWS)
    process = pipeline(
        frequency=arguments.frequency_penalty,
        presence=arguments.presence_penalty,
        repetition=arguments.repetition_penalty,
        tau=tau or 1.0,
        k=arguments.top_k,
        p=arguments.top_p,
        min_p=arguments.min_p,
    )
    if not is_drawn:
        return argmax(processor=process)
    return sampler(generator=torch.Generator().manual_seed(arguments.seed), processor=process)


def _prompt(arguments: Namespace, tokenizer: PublishedTokenizer, config: dict[str, Any]) -> list[int]:
    """The ids of the prompt; a chat template contains special tokens by their names."""
    if not arguments.chat:
        return tokenizer.encode(arguments.prompt, add_special=True)
    from clearformer.cli.chat import chat_prompt  # needs the extra chat

    written = chat_prompt(config, [{"role": "user", "content": arguments.prompt}])
    return tokenizer.encode(written, allowed_special=tokenizer.special_tokens)


def _model(checkpoint: Checkpoint, dtype: str | None) -> Model:
    """The prepared model with parameters of a type; with int8, its matrices are rounded and the rest is float32."""
    loaded = getattr(torch, "float32" if dtype == "int8" else dtype) if dtype else None
    model: Model = prepare(load_model(checkpoint, dtype=loaded), int8=dtype == "int8")
    return model


def _start(model: Model, settings: dict[str, Any], ids: list[int]) -> tuple[CachedDecoder, list[int]]:
    """The logits and the tokens to start from: a decoder continues the prompt, an encoder-decoder writes a new text."""
    if not ids:
        raise ValueError("the prompt has no tokens; at least 1 is needed")
    if isinstance(model, Decoder):
        return CachedDecoder(model), ids
    if isinstance(model, EncoderDecoder):
        start = settings.get("decoder_start_token_id", settings.get("pad_token_id", 0))
        with torch.inference_mode():
            memory = model.encode(torch.tensor([ids]))
        return CachedDecoder(model.decoder, memory), [start]
    raise ValueError(f"an {type(model).__name__} cannot generate text; clearformer info shows its sizes")


def _ends(settings: dict[str, Any]) -> set[int]:
    """The tokens that end a text: files have one, several or none."""
    ends = settings.get("eos_token_id")
    return {end for end in (ends if isinstance(ends, list) else [ends]) if type(end) is int and end >= 0}


def _print(tokens: Iterator[int] | Sequence[int], text: TextStream, n_prompt: int, begin: float) -> None:
    """Print text as it becomes certain, then how fast it came."""
    n, first = 0, begin
    for token in tokens:
        n += 1
        first = time.perf_counter() if n == 1 else first
        print(text.add(token), end="", flush=True)
        if text.ended:
            break
    print(text.rest(), flush=True)
    end = time.perf_counter()
    speed = f"{n_prompt:,} tokens read in {first - begin:.2f} s"
    if isinstance(tokens, Sequence):
        speed = f"{n_prompt:,} tokens read and {n:,} searched in {end - begin:.2f} s"
    elif n > 1:
        speed += f", then {(n - 1) / (end - first):,.1f} tokens a second"
    print(speed, file=sys.stderr)
