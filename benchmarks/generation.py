"""Generation against transformers, on the same weights: python -m benchmarks.generation.

One sequence from a prompt of 16 tokens, with the plain model and with the copy that ``inference.prepare`` makes.
Before any timing the tokens of ours are compared with theirs.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

import torch
from torch import Tensor

from benchmarks.harness import Line, compare, main
from benchmarks.targets import TRANSFORMERS
from clearformer import decoding
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, GPT2Config, T5Config
from linebyline.parity.peers import gpt2_pair, t5_pair

NOTE = (
    "One sequence from 16 tokens, the same random weights on both sides, two threads. *Prepared* is the copy made by "
    "`clearformer.inference.prepare`, *plain* the model that the book explains. The course's model has a vocabulary of "
    "512, a width of 128 and 4 layers."
)
COURSE = GPT2Config(vocab_size=512, context=256, d_model=128, n_heads=4, n_layers=4, d_ff=512)


def prompt(vocab_size: int) -> Tensor:
    """Sixteen tokens."""
    return torch.randint(1, vocab_size, (1, 16), generator=torch.Generator().manual_seed(1))


def with_transformers(model: Any, ids: Tensor, n: int, **settings: Any) -> list[int]:
    """Generate n tokens with their model."""
    settings = {"attention_mask": torch.ones_like(ids), "do_sample": False, "pad_token_id": 0, **settings}
    return model.generate(ids, max_new_tokens=n, **settings)[0][-n:].tolist()


def decoder_only(name: str, config: GPT2Config, n: int, rounds: int) -> Iterator[Line]:
    """Greedy search and beam search with a decoder, prepared and plain."""
    plain, theirs, _ = gpt2_pair(config)
    ids, prepared = prompt(config.vocab_size), prepare(plain)

    def greedy(model: Any) -> list[int]:
        return decoding.greedy_search(CachedDecoder(model), ids, n)[0]

    def beam(model: Any) -> list[int]:
        return decoding.beam_search(CachedDecoder(model), ids[0], n, n_beams=4)[0].tokens

    their_greedy = partial(with_transformers, theirs, ids, n)
    for way, ours, peer in (("greedy", greedy, their_greedy), ("beam-4", beam, partial(their_greedy, num_beams=4))):
        for kind, model in (("prepared", prepared), ("plain", plain)):
            assert ours(model) == peer(), f"{name}, {way}, {kind}: other tokens than theirs"
            work = f"{n} tokens, {name}, {way}, {kind}"
            yield compare(work, TRANSFORMERS, partial(ours, model), peer, rounds=rounds)


def encoder_decoder(name: str, config: T5Config, n: int, rounds: int) -> Iterator[Line]:
    """Greedy search with an encoder-decoder, from a source of 16 tokens."""
    plain, theirs, _ = t5_pair(config)
    source = prompt(config.vocab_size)

    def greedy(model: Any) -> list[int]:
        with torch.inference_mode():
            memory = model.encode(source)
        return decoding.greedy_search(CachedDecoder(model.decoder, memory), [[0]], n)[0]

    peer = partial(with_transformers, theirs, source, n)
    for kind, model in (("prepared", prepare(plain)), ("plain", plain)):
        assert greedy(model) == peer(), f"{name}, {kind}: other tokens than theirs"
        yield compare(f"{n} tokens, {name}, greedy, {kind}", TRANSFORMERS, partial(greedy, model), peer, rounds=rounds)


PARTS = {
    "course": partial(decoder_only, "course model", COURSE, 128, 15),
    "gpt2": partial(decoder_only, "GPT-2 small", GPT2Config(), 32, 5),
    "t5": partial(encoder_decoder, "T5-small", T5Config(), 64, 7),
}

if __name__ == "__main__":
    main("generation", PARTS, ["torch", "transformers"], NOTE)
