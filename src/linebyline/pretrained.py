"""The language model of the course: its recipe, its parts, and the weights that are kept with the package."""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import cast

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer import training
from clearformer.models import Decoder, GPT2Config, TiedLMHead
from clearformer.nn import (
    ACTIVATIONS,
    Block,
    Embedding,
    FeedForward,
    LayerNorm,
    MultiHeadAttention,
    PostNormBlock,
    RotaryEncoding,
)
from clearformer.tokenizers import BPETokenizer
from linebyline import corpora
from linebyline.kept import EXACT, WEIGHTS, Record, load_model, save_model, tokenizer_path, warn_of_other_text

SHORT = 0.25  # what the rows of the table are scaled by at the start


@dataclass(frozen=True)
class Recipe:
    """All that the trained weights depend on, besides the code and the text."""

    vocab_size: int = 1024
    context: int = 256
    d_model: int = 128
    n_heads: int = 4
    n_layers: int = 4
    batch: int = 4
    steps: int = 32000
    peak: float = 2e-3
    warmup: int = 400
    seed: int = 0

    def config(self) -> GPT2Config:
        """The sizes of the model, which has the exact GELU."""
        sizes = (self.vocab_size, self.context, self.d_model, self.n_heads, self.n_layers)
        return GPT2Config(*sizes, d_ff=4 * self.d_model, activation="gelu")


Start = Callable[[Recipe, torch.Generator], Decoder]


@dataclass(frozen=True)
class LanguageModel:
    """A trained decoder, its sizes, its tokenizer, and the record of its training."""

    config: GPT2Config
    model: Decoder
    tokenizer: BPETokenizer
    record: Record[Recipe]


def language_model() -> LanguageModel:
    """Load the language model of the course, as it was trained once and is kept with the package.

    Its weights are kept in half precision, and computed with in single. The losses in its record belong to the
    versions of NumPy and SciPy that its text comes from; others give a warning.
    """
    trained = load(WEIGHTS / "language_model.safetensors")
    warn_of_other_text(trained.record, "language model")
    return trained


def load(path: str | os.PathLike[str]) -> LanguageModel:
    """Load a language model that ``save`` has written.

    Raises:
        ValueError: the file holds no record of a training, or not the weights that the recipe asks for.
    """
    model, record = load_model(path, Recipe, lambda recipe: rotary_decoder(recipe.config()))
    return LanguageModel(record.recipe.config(), model, BPETokenizer.load(tokenizer_path(path)), record)


def save(trained: LanguageModel, path: str | os.PathLike[str]) -> None:
    """Write the weights in half precision with the record, and beside them the tokenizer."""
    trained.tokenizer.save(tokenizer_path(path))
    save_model(trained.model, trained.record, path)


def rotary_decoder(
    config: GPT2Config, generator: torch.Generator | None = None, *, kind: type[Block] = Block
) -> Decoder:
    """Put GPT-2's blocks together with positions that turn queries and keys, in place of those that are added.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.
        kind: The kind of block; with ``Block``, whose norms stand before the layers, one more norm ends the stack.

    Source: Radford et al. (2019) for the blocks; Su et al. (2024) for the positions.

    Example:
        >>> model = rotary_decoder(Recipe().config(), torch.Generator().manual_seed(0))
        >>> sum(parameter.numel() for parameter in model.parameters())
        924416
    """
    rotary = RotaryEncoding(config.context, config.d_model // config.n_heads)
    norm = partial(LayerNorm, config.d_model, eps=config.eps)
    embedding = Embedding(config.vocab_size, config.d_model, generator=generator)

    def block() -> Block:
        d_model, n_heads, d_ff = config.d_model, config.n_heads, config.d_ff
        attention = MultiHeadAttention(
            d_model,
            n_heads,
            bias=True,
            rotary=rotary,
            generator=generator,
        )
        feed_forward = FeedForward(
            d_model,
            d_ff,
            activation=ACTIVATIONS[config.activation],
            generator=generator,
        )
        return kind(attention, feed_forward, norm)

    blocks = [block() for _ in range(config.n_layers)]
    last = None if issubclass(kind, PostNormBlock) else norm()
    return Decoder(embedding, blocks, norm=last, lm_head=TiedLMHead(embedding))


def untrained(recipe: Recipe, generator: torch.Generator) -> Decoder:
    """Make the decoder that the training starts from."""
    return zero_init(rotary_decoder(recipe.config(), generator))


def zero_init(model: Decoder) -> Decoder:
    """Let a decoder that is as it was drawn say nothing yet, and give it back.

    The last matrices of each block become zero, so a block adds what it has learned and no noise. The rows of the
    table become short, or else every token would be sure of itself as the next one: the first loss is near that of
    a blind guess, the logarithm of the size of the vocabulary.
    """
    with torch.no_grad():
        cast(Embedding, model.embedding).table.mul_(SHORT)
        for block in cast(Iterable[Block], model.blocks):
            block.attention.w_o.zero_()
            [*_, last] = (weights for weights in block.feed_forward.parameters() if weights.ndim == 2)
            last.zero_()
    return model


def trainer(
    recipe: Recipe,
    ids: Int[Tensor, " n"],
    *,
    start: Start = untrained,
    autocast: AbstractContextManager[object] | None = None,
    processes: training.Processes | None = None,
) -> training.Trainer:
    """Prepare a training by a recipe.

    The start and the batches are drawn on the processor, so that they are the same for every device.

    Args:
        recipe: Sizes, batches and rates.
        ids: The tokens of the text.
        start: Makes the untrained model.
        autocast: The context of the forward pass; float32 throughout when left out.
        processes: Those that train together, and where; one on a processor when left out.
    """
    processes = processes or training.Processes()
    generator = torch.Generator().manual_seed(recipe.seed)
    model = start(recipe, generator).to(processes.device)
    draw = training.token_windows(ids, batch=recipe.batch, length=recipe.context)

    def batches(generator: torch.Generator) -> training.Batch:
        return tuple(part.to(processes.device) for part in draw(generator))

    schedule = training.warmup_cosine(recipe.peak, recipe.warmup, recipe.steps)
    return training.Trainer(model, batches, schedule, generator=generator, autocast=autocast, processes=processes)


def train(
    recipe: Recipe,
    tokenizer: BPETokenizer,
    text: str,
    *,
    steps: int | None = None,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> LanguageModel:
    """Train a decoder to predict the next token of a text, in one go, and keep nothing.

    Args:
        recipe: Sizes, batches and rates.
        tokenizer: Makes tokens of the text.
        text: What it reads.
        steps: How many steps of the recipe to make; all of them when left out.
        progress: Wraps the numbers of the steps, such as ``tqdm``.
    """
    made = trainer(recipe, torch.tensor(tokenizer.encode(text)))
    losses = made.run(recipe.steps if steps is None else steps, progress)
    record = Record(recipe, corpora.text_hash(text), "", losses[:EXACT], losses, every=1, checks=[])
    return LanguageModel(recipe.config(), cast(Decoder, made.model).eval(), tokenizer, record)
