"""The first Transformer against PyTorch's and Marian's, on the same weights: python -m benchmarks.translation.

A step of training, and translations of a batch; on two threads, each in five fresh processes, of which the one in the
middle counts. Before any timing the losses, or the tokens, of ours are compared with theirs.
"""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from benchmarks.harness import compare, run_parts
from benchmarks.lines import Comparison
from benchmarks.sizes import TRANSLATOR
from benchmarks.training import training_step
from clearformer import decoding
from clearformer.inference import prepare
from clearformer.models import CachedDecoder, TransformerConfig
from linebyline.parity.peers import marian_pair, transformer_pair

NOTE = (
    "32 sources of 6 to 24 tokens, padded, through a Transformer of width 256 with 3 + 3 blocks and a vocabulary of "
    "4,000; the same random weights on both sides, no dropout, two threads; of five processes the one in the middle. "
)
PAD = 0  # it starts a translation, too


def padded(config: TransformerConfig, B: int, T: int, seed: int) -> tuple[Tensor, Tensor]:
    """Random sequences that fill from a quarter of ``T`` places to all, in no order, and where they have tokens."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.linspace(T // 4, T, B).long()[torch.randperm(B, generator=generator)]
    there = torch.arange(T) < lengths[:, None]  # (B, T)
    ids = torch.randint(1, config.vocab_size, (B, T), generator=generator)
    return ids.masked_fill(~there, PAD), there


def training(config: TransformerConfig, rounds: int, B: int = 32, T: int = 24) -> Iterator[Comparison]:
    """A training step on pairs of at most ``T`` tokens, of which padding counts nowhere."""
    (ids, there), (targets, _) = padded(config, B, T, 1), padded(config, B, T, 2)
    so_far = nn.functional.pad(targets[:, :-1], (1, 0), value=PAD)

    def loss_of(model: nn.Module) -> Tensor:
        logits = model(ids, so_far, mask=there)
        return nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=PAD)

    models = [model.train() for model in transformer_pair(config)[:2]]
    torch.testing.assert_close(*(loss_of(model) for model in models))
    steps = [training_step(model, loss_of) for model in models]
    for step in (*steps, *steps):
        step()
    work = f"training step, encoder-decoder, {B} x {T}"
    yield compare(work, "torch.nn.Transformer", *steps, rounds=rounds, target=1.2)


def greedy(config: TransformerConfig, n: int, rounds: int, B: int = 32, S: int = 24) -> Iterator[Comparison]:
    """Translations of ``n`` tokens, of sources of at most ``S``."""
    ours, theirs, _ = marian_pair(config)
    ours = prepare(ours)
    ids, there = padded(config, B, S, 1)

    def we_write() -> list[list[int]]:
        with torch.inference_mode():
            memory = ours.encode(ids, there)
        return decoding.greedy_search(CachedDecoder(ours.decoder, memory), [[PAD]] * B, n)

    def they_write() -> list[list[int]]:
        written = theirs.generate(ids, attention_mask=there.long(), max_new_tokens=n, do_sample=False, use_cache=True)
        return written[:, 1:].tolist()

    assert we_write() == they_write(), "other tokens than theirs"
    work = f"{n} tokens for each of {B} sources, greedy"
    yield compare(work, "MarianMTModel generate", we_write, they_write, rounds=rounds, target=3.0)


PARTS: dict[str, Callable[[], Iterator[Comparison]]] = {
    "training": lambda: training(TRANSLATOR, 9),
    "greedy": lambda: greedy(TRANSLATOR, 32, 9),
}

if __name__ == "__main__":
    run_parts("translation", PARTS, ["torch", "transformers"], NOTE)
