"""From GPT-2 to Llama in five changes of a part: each decoder is the one before it with another part.

Both ends are then models that people published, and each step is one change between neighbors. All decoders have as
many parameters: what a change saves goes into the width of the feed-forward layers. All train with the rate that suits
GPT-2: after 500 steps with 2e-3, 4e-3 and 8e-3 it had 2.74, 2.62 and 2.75 bits per byte. The Llama would take twice
that rate (2.40, not 2.44), so the record understates what the changes bring.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import fmean, stdev
from typing import Any, NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer import nn, training
from clearformer.models import Decoder, TiedLMHead
from linebyline import corpora, evaluation, pretrained
from linebyline.pretrained import LanguageModel, Recipe

N_KV_HEADS = 2  # after the last change
RECIPE = Recipe(context=128, d_model=64, n_heads=4, batch=8, steps=500, peak=4e-3, warmup=50)
Generator = torch.Generator | None
Progress = Callable[[Iterable[int]], Iterable[int]]
# What is added to the embedding, and what turns in attention.
Positions = tuple[torch.nn.Module | None, nn.RotaryEncoding | None]


def learned(recipe: Recipe, generator: Generator) -> Positions:
    """Add a learned vector for each position."""
    return nn.LearnedEncoding(recipe.context, recipe.d_model, generator=generator), None


def rotary(recipe: Recipe, generator: Generator) -> Positions:
    """Turn queries and keys by their positions."""
    return None, nn.RotaryEncoding(recipe.context, recipe.d_model // recipe.n_heads)


@dataclass(frozen=True)
class Parts:
    """The functions that make the parts of a decoder."""

    norm: Callable[[int], torch.nn.Module]
    attention: Callable[..., nn.MultiHeadAttention]
    feed_forward: Callable[..., torch.nn.Module]
    positions: Callable[[Recipe, Generator], Positions]


GPT2 = Parts(
    norm=nn.LayerNorm,
    attention=partial(nn.MultiHeadAttention, bias=True),
    feed_forward=nn.FeedForward,
    positions=learned,
)
RMS = replace(GPT2, norm=nn.RMSNorm)
PLAIN = partial(nn.FeedForward, bias=False)
NO_BIASES = replace(RMS, attention=nn.MultiHeadAttention, feed_forward=PLAIN)
SWIGLU = replace(NO_BIASES, feed_forward=nn.GatedFeedForward)
ROPE = replace(SWIGLU, positions=rotary)
GROUPED = partial(nn.MultiHeadAttention, n_kv_heads=N_KV_HEADS)
LLAMA = replace(ROPE, attention=GROUPED)

LADDER = {"GPT-2": GPT2, "RMSNorm": RMS, "no biases": NO_BIASES, "SwiGLU": SWIGLU, "RoPE": ROPE, "shared keys": LLAMA}


def decoder(parts: Parts, recipe: Recipe, d_ff: int, generator: Generator = None) -> Decoder:
    """Put a decoder together from its parts."""
    d_model = recipe.d_model
    added, turned = parts.positions(recipe, generator)
    embedding = nn.Embedding(recipe.vocab_size, d_model, position=added, generator=generator)

    def block() -> nn.Block:
        return nn.Block(
            parts.attention(d_model, recipe.n_heads, rotary=turned, generator=generator),
            parts.feed_forward(d_model, d_ff, generator=generator),
            partial(parts.norm, d_model),
        )

    blocks = [block() for _ in range(recipe.n_layers)]
    return Decoder(embedding, blocks, norm=parts.norm(d_model), lm_head=TiedLMHead(embedding))


def parameters(parts: Parts, recipe: Recipe, d_ff: int) -> int:
    """Count the parameters of a decoder, on a device that holds shapes only."""
    with torch.device("meta"):
        return sum(p.numel() for p in decoder(parts, recipe, d_ff).parameters())


def equal_width(parts: Parts, recipe: Recipe) -> int:
    """Return the width of the feed-forward layers with which a decoder has as many parameters as the first one.

    Example:
        >>> [equal_width(parts, Recipe(context=128, d_model=96)) for parts in LADDER.values()]
        [384, 385, 390, 260, 270, 302]
    """
    wanted = parameters(GPT2, recipe, 4 * recipe.d_model)
    least, next_one = (parameters(parts, recipe, d_ff) for d_ff in (1, 2))
    return 1 + round((wanted - least) / (next_one - least))


def trainer(parts: Parts, recipe: Recipe, ids: Int[Tensor, " n"]) -> training.Trainer:
    """Make a trainer; with one seed all decoders read the same windows in the same order."""

    def start(recipe: Recipe, _: torch.Generator) -> Decoder:
        # A generator of its own: a model that draws fewer weights would otherwise read other windows.
        generator = torch.Generator().manual_seed(recipe.seed)
        return pretrained.zero_init(decoder(parts, recipe, equal_width(parts, recipe), generator))

    return pretrained.trainer(recipe, ids, start=start)


def trained(parts: Parts, recipe: Recipe, ids: Tensor, like: LanguageModel, progress: Progress = iter) -> LanguageModel:
    """Train a decoder, and return it with the tokenizer of the language model ``like``."""
    made = trainer(parts, recipe, ids)
    made.run(recipe.steps, progress)
    model = made.model.eval()
    assert isinstance(model, Decoder)
    return replace(like, model=model, record=replace(like.record, recipe=recipe))


def compare(
    like: LanguageModel, texts: Sequence[str], seeds: Iterable[int], progress: Callable[[str], Progress]
) -> dict[str, Any]:
    """Train each decoder with several seeds on the first text, in tokens of ``like``, and measure it on the second."""
    ids, models = torch.tensor(like.tokenizer.encode(texts[0])), dict[str, Any]()
    for name, parts in LADDER.items():
        d_ff = equal_width(parts, RECIPE)
        models[name] = {"d_ff": d_ff, "parameters": parameters(parts, RECIPE, d_ff), "bits_per_byte": []}
    for seed in seeds:
        for name, parts in LADDER.items():
            made = trained(parts, replace(RECIPE, seed=seed), ids, like, progress(f"{name}, seed {seed}"))
            models[name]["bits_per_byte"].append(evaluation.bits_per_byte(made, texts[1]))
    return {"recipe": asdict(RECIPE), "text": corpora.text_hash(texts[0]), "models": models}


class Change(NamedTuple):
    """The effect of a change of a part: the mean over seeds, and its standard error."""

    mean: float
    error: float


def changes(models: Mapping[str, Mapping[str, Any]]) -> dict[str, Change]:
    """Compute what each change adds to the bits per byte, seed by seed, from the ``models`` of a comparison.

    Example:
        >>> found = {"a": {"bits_per_byte": [2.0, 2.5]}, "b": {"bits_per_byte": [1.9, 2.2]}}
        >>> change = changes(found)["b"]
        >>> round(change.mean, 3), round(change.error, 3)
        (-0.2, 0.1)
    """
    result = dict[str, Change]()
    for before, name in pairwise(models):
        pairs = zip(models[name]["bits_per_byte"], models[before]["bits_per_byte"], strict=True)
        apart = [after - earlier for after, earlier in pairs]
        result[name] = Change(fmean(apart), stdev(apart) / math.sqrt(len(apart)))
    return result
