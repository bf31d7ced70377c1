"""Generation against transformers, on the same weights: python -m benchmarks.generation.

Of a single sequence, from a prompt of 16 tokens, on two threads; each part in five fresh processes, of which the one
in the middle counts. Before any timing the tokens of ours are compared with theirs, unless they are drawn.
"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import GPT2LMHeadModel

from benchmarks.harness import compare, run_parts
from benchmarks.lines import Comparison
from benchmarks.sizes import COURSE, GPT2_SMALL, T5_SMALL, TEXT_TO_TEXT
from clearformer import decoding
from clearformer import functional as F
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, GPT2Config, T5Config
from linebyline.parity.peers import gpt2_pair, t5_pair

NOTE = (
    "One sequence, from 16 tokens; the same weights on both sides, two threads; of five processes the one in the "
    "middle. The course's model has a vocabulary of 512, a width of 128 and 4 layers; all weights are random."
)
PROMPT = 16
COURSE_TARGETS = {"greedy, PyTorch": 3.0, "greedy, NumPy": 3.5, "top-p, PyTorch": 3.0, "beam-4, PyTorch": 2.0}
GPT2_TARGETS = {"greedy, PyTorch": 1.9, "greedy, NumPy": 2.0, "beam-4, PyTorch": 2.0}


def with_numpy(weights: dict[str, np.ndarray], n_heads: int, ids: Tensor, n: int) -> list[int]:
    """Write the most probable token n times, with the decoder in NumPy."""
    new, caches, written = ids[0].numpy(), None, []
    for _ in range(n):
        logits, caches = F.decoder(weights, new, caches, n_heads=n_heads, activation=F.gelu_tanh)
        new = logits.argmax(keepdims=True)
        written.append(int(new[0]))
    return written


def with_transformers(model: GPT2LMHeadModel, ids: Tensor, n: int, **settings: Any) -> list[int]:
    """Let theirs write n tokens."""
    settings = {"attention_mask": torch.ones_like(ids), "do_sample": False, "pad_token_id": 0, **settings}
    return model.generate(ids, max_new_tokens=n, **settings)[0, ids.shape[1] :].tolist()


def generation(
    name: str, config: GPT2Config, n: int, targets: dict[str, float | None], rounds: int
) -> Iterator[Comparison]:
    """Generation of one sequence: the ways that have a target, even if it is None."""
    ours, theirs, _ = gpt2_pair(config)
    weights = F.lay_out({name: tensor.numpy() for name, tensor in ours.state_dict().items()})
    ours = prepare(ours)
    ids = torch.randint(config.vocab_size, (1, PROMPT), generator=torch.Generator().manual_seed(1))
    generator, nucleus = torch.Generator().manual_seed(0), decoding.pipeline(p=0.9)
    greedy = partial(with_transformers, theirs, ids, n)
    ways: dict[str, tuple[Callable[[], list[int]], Callable[[], list[int]]]] = {
        "greedy, PyTorch": (lambda: decoding.greedy_search(CachedDecoder(ours), ids, n)[0], greedy),
        "greedy, NumPy": (partial(with_numpy, weights, config.n_heads, ids, n), greedy),
        "top-p, PyTorch": (
            lambda: decoding.sample(CachedDecoder(ours), ids, n, generator=generator, processor=nucleus)[0],
            partial(greedy, do_sample=True, top_p=0.9, top_k=0),
        ),
        "beam-4, PyTorch": (
            lambda: decoding.beam_search(CachedDecoder(ours), ids[0], n, n_beams=4)[0].tokens,
            partial(greedy, num_beams=4),
        ),
    }
    for way, target in targets.items():
        we_write, they_write = ways[way]
        if not way.startswith("top-p"):  # chance takes another path through another library
            assert we_write() == they_write(), f"{name}, {way}: other tokens than theirs"
        yield compare(
            f"{n} tokens, {name}, {way}", "transformers generate", we_write, they_write, rounds=rounds, target=target
        )


def from_a_source(name: str, config: T5Config, n: int, rounds: int) -> Iterator[Comparison]:
    """Greedy generation of one sequence, from a source of as many tokens as the prompts have."""
    ours, theirs, _ = t5_pair(config)
    ours = prepare(ours)
    source = torch.randint(1, config.vocab_size, (1, PROMPT), generator=torch.Generator().manual_seed(1))

    def we_write() -> list[int]:
        with torch.inference_mode():
            memory = ours.encode(source)
        return decoding.greedy_search(CachedDecoder(ours.decoder, memory), [[0]], n)[0]

    def they_write() -> list[int]:
        seen = torch.ones_like(source)
        return theirs.generate(source, attention_mask=seen, max_new_tokens=n, do_sample=False)[0, 1:].tolist()

    assert we_write() == they_write(), f"{name}: other tokens than theirs"
    work = f"{n} tokens, {name}, greedy, PyTorch"
    yield compare(work, "transformers generate", we_write, they_write, rounds=rounds, target=2.0)


PARTS: dict[str, Callable[[], Iterator[Comparison]]] = {
    "course": lambda: generation("course model", COURSE, 128, COURSE_TARGETS, 31),
    "t5": lambda: from_a_source("T5-small", T5_SMALL, 64, 9),
    "text_to_text": lambda: from_a_source("course's T5", TEXT_TO_TEXT, 16, 15),
    "gpt2": lambda: generation("GPT-2 small", GPT2_SMALL, 32, GPT2_TARGETS, 5),
}

if __name__ == "__main__":
    run_parts("generation", PARTS, ["numpy", "torch", "transformers"], NOTE)
