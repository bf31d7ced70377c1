"""Other translators: recurrent networks without attention and with it, and Transformers that lack a part.

These training runs are too long for a page, so they are recorded; the page trains the Transformer among them.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import torch
from jaxtyping import Float
from torch import Tensor

from clearformer import training
from clearformer.models import Encoder, EncoderDecoder, TransformerConfig, transformer
from clearformer.nn import Block, Embedding, attention_maps
from linebyline.alignment import alignment_error_rate
from linebyline.corpora.translations import ENGLISH_SWEDISH, Pair
from linebyline.recurrent import AttentiveTranslator, RecurrentTranslator

from .data import PAD, Words, batches, loss, rows
from .decoding import exact, reader
from .model import sentences

Model = EncoderDecoder | RecurrentTranslator
Maps = dict[str, list[Float[Tensor, "T S"]]]
Progress = Callable[[Iterable[int]], Iterable[int]]
PAIRS, UNSEEN, STEPS, BATCH, PEAK, WARMUP = 40_000, 1000, 600, 64, 5e-3, 60
TWICE = ", twice the rate"  # ends the name of a model that learns with twice the rate
LONGER = {"GRU, 1,500 steps": 1500, f"GRU, 1,500 steps{TWICE}": 1500}  # the steps of a model that needs more of them
FALL = 120  # steps in which a schedule is brought to 0 at its end
LENGTHS = (5, 8, 11, 14, 17, 40)  # up to how many words a sentence of each group has


def models(words: Words, seed: int) -> dict[str, Model]:
    """Make the rivals, untrained, of about as many parameters each."""
    config = TransformerConfig(len(words), context=64, d_model=64, n_heads=4, n_layers=2, d_ff=256)

    def generator() -> torch.Generator:
        return torch.Generator().manual_seed(seed)

    return {
        "GRU": RecurrentTranslator(len(words), 88, generator=generator()),
        "GRU, 1,500 steps": RecurrentTranslator(len(words), 88, generator=generator()),
        "GRU with attention": AttentiveTranslator(len(words), 80, generator=generator()),
        "Transformer": transformer(config, generator()),
        "the first schedule": transformer(config, generator()),
        "first schedule, to 0": transformer(config, generator()),
        "no encoder positions": without_encoder_positions(transformer(config, generator())),
        f"GRU, 1,500 steps{TWICE}": RecurrentTranslator(len(words), 88, generator=generator()),
        f"GRU with attention{TWICE}": AttentiveTranslator(len(words), 80, generator=generator()),
        f"Transformer{TWICE}": transformer(config, generator()),
    }


def without_encoder_positions(model: EncoderDecoder) -> EncoderDecoder:
    """Remove the position encoding of the encoder; the decoder keeps its own."""
    placed, blocks = cast(Embedding, model.encoder.embedding), cast(Iterable[Block], model.encoder.blocks)
    embedding = Embedding(*placed.table.shape, scale=placed.scale, generator=None)
    embedding.table = placed.table  # one table for all three of its uses, as before
    return EncoderDecoder(Encoder(embedding, list(blocks)), model.decoder)


def trainer(name: str, model: Model, words: Words, pairs: Sequence[Pair], seed: int) -> training.Trainer:
    """Make the trainer of a model, one for longer, two with the schedule of the first paper."""
    draw = batches([rows(words, ENGLISH_SWEDISH, pairs)], batch=BATCH)
    peak = 2 * PEAK if name.endswith(TWICE) else PEAK
    schedule = training.warmup_cosine(peak, WARMUP, LONGER.get(name, STEPS))
    if "first schedule" in name:
        schedule = training.inverse_square_root(d_model=64, warmup=STEPS // 3)
    if name == "first schedule, to 0":
        schedule = _ended(schedule)
    return training.Trainer(model, draw, schedule, generator=torch.Generator().manual_seed(seed), loss=loss(0.1))


def _ended(schedule: training.Schedule) -> training.Schedule:
    """Bring a schedule to 0 in a straight line over its last steps, as a control: all else stays the same."""
    return lambda step: schedule(step) * min(1.0, (STEPS - step) / FALL)


def cross_attention(model: EncoderDecoder, words: Words, pairs: Sequence[Pair]) -> Maps:
    """Return the weights of each head of each cross-attention while the true targets are written, by layer and head."""
    sources, targets = rows(words, ENGLISH_SWEDISH, pairs)
    with torch.no_grad():
        maps = attention_maps(model, sources, targets[:, :-1], mask=sources != PAD)
    by_head = {}
    for name, weights in maps.items():
        if name.endswith("cross"):
            for head, of_head in enumerate(weights.unbind(dim=1)):
                sizes = [(len(pair.target), len(pair.source)) for pair in pairs]
                by_head[f"{name.split('.')[2]}.{head}"] = [w[:T, :S] for w, (T, S) in zip(of_head, sizes, strict=True)]
    return by_head


def error_rates(model: EncoderDecoder, words: Words, pairs: Sequence[Pair]) -> dict[str, float]:
    """Measure how far each head of each cross-attention is from the true alignment."""
    alignments = [pair.alignment for pair in pairs]
    return {
        head: alignment_error_rate([w.numpy() for w in weights], alignments)
        for head, weights in cross_attention(model, words, pairs).items()
    }


def by_length(right: Float[Tensor, " n"], pairs: Sequence[Pair]) -> list[float]:
    """Average what was measured on each pair over pairs of about the same length."""
    group = torch.tensor([sum(len(pair.source) > longest for longest in LENGTHS) for pair in pairs])
    return [right[group == number].float().mean().item() for number in range(len(LENGTHS))]


def compare(seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train every rival with several seeds, and measure what it can do."""
    words, results = Words.of([ENGLISH_SWEDISH]), dict[str, Any]()
    split = sentences(ENGLISH_SWEDISH, PAIRS, UNSEEN)
    for seed in seeds:
        for name, model in models(words, seed).items():
            made, steps = trainer(name, model, words, split.train, seed), LONGER.get(name, STEPS)
            losses = made.run(steps, progress(f"{name}, seed {seed}"))
            new, combined = (exact(reader(model.eval()), words, ENGLISH_SWEDISH, part) for part in split[1:])
            result = results.setdefault(name, {"parameters": sum(p.numel() for p in model.parameters()), "seeds": []})
            rates = error_rates(model, words, split.unseen_sentences) if isinstance(model, EncoderDecoder) else {}
            right = {"new_sentences": new.float().mean().item(), "new_combinations": combined.float().mean().item()}
            more = {"by_length": by_length(new, split.unseen_sentences), "error_rates": rates}
            result["seeds"].append({"loss": sum(losses[-50:]) / 50, **right, **more})
    return {"lengths": LENGTHS, "steps": STEPS, "longer": LONGER, "batch": BATCH, "rivals": results}
