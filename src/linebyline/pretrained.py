"""The language model of the course: its recipe, its parts, and the weights that are kept with the package.

It reads windows of 256 tokens, four at a time: with windows of 128 and the same text, unseen text cost 1.60 bits per
byte, not 1.57, and 120 more tokens of context were worth 0.41 nats, not 0.57.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer import nn, training
from clearformer.models import Decoder, GPT2Config, TiedLMHead
from clearformer.nn import Block, Embedding, FeedForward, LayerNorm, MultiHeadAttention, PostNormBlock, RotaryEncoding
from clearformer.tokenizers import BPETokenizer
from linebyline import corpora
from linebyline.kept_models import KeptModel, recipe_trainer
from linebyline.training_run import EXACT, Record

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
    """A trained decoder, its tokenizer, and the record of its training run."""

    model: Decoder
    tokenizer: BPETokenizer
    record: Record[Recipe]

    @property
    def config(self) -> GPT2Config:
        """The sizes of the model."""
        return self.record.recipe.config()


def language_model() -> LanguageModel:
    """Load the language model of the course, as it was trained once and is kept with the package."""
    return LANGUAGE_MODEL.load()


def rotary_decoder(
    config: GPT2Config, generator: torch.Generator | None = None, *, kind: type[Block] = Block
) -> Decoder:
    """Put GPT-2's blocks together with positions that turn queries and keys, in place of those that are added.

    After blocks of the kind ``Block``, whose norms are before the layers, one more norm ends the stack.

    Source: Radford et al. (2019) for the blocks; Su et al. (2024) for the positions.

    Example:
        >>> model = rotary_decoder(Recipe().config(), torch.Generator().manual_seed(0))
        >>> sum(parameter.numel() for parameter in model.parameters())
        924416
    """
    rotary = RotaryEncoding(config.context, config.d_model // config.n_heads)
    norm = partial(LayerNorm, config.d_model, eps=config.eps)
    embedding = Embedding(config.vocab_size, config.d_model, generator=generator)

    heads = partial(MultiHeadAttention, bias=True, rotary=rotary)
    layers = partial(FeedForward, activation=nn.ACTIVATIONS[config.activation])

    def block() -> Block:
        d_model, n_heads, d_ff = config.d_model, config.n_heads, config.d_ff
        attention = heads(d_model, n_heads, generator=generator)
        feed_forward = layers(d_model, d_ff, generator=generator)
        return kind(attention, feed_forward, norm)

    blocks = [block() for _ in range(config.n_layers)]
    last = None if issubclass(kind, PostNormBlock) else norm()
    lm_head = TiedLMHead(embedding)
    return Decoder(embedding, blocks, norm=last, lm_head=lm_head, config=config)


def untrained(recipe: Recipe, generator: torch.Generator) -> Decoder:
    """Make the decoder that the training run starts from."""
    return zero_init(rotary_decoder(recipe.config(), generator))


def zero_init(model: Decoder) -> Decoder:
    """Make a randomly drawn decoder predict almost uniformly at first, and return it.

    The last matrices of each block become zero, so a block adds what it has learned and no noise. The rows of the
    table become short, or else every token would predict itself as the next one: the first loss is near that of
    a uniform prediction, the logarithm of the size of the vocabulary.
    """
    with torch.no_grad():
        cast(Embedding, model.embedding).table.mul_(SHORT)
        for block in cast(Iterable[Block], model.blocks):
            block.attention.w_o.zero_()
            [*_, last] = (weights for weights in block.feed_forward.parameters() if weights.ndim == 2)
            last.zero_()
    return model


def trainer(recipe: Recipe, ids: Int[Tensor, " n"], *, start: Start = untrained, **options: Any) -> training.Trainer:
    """Make the trainer of a recipe."""
    batches = training.token_windows(ids, batch=recipe.batch, length=recipe.context)
    return recipe_trainer(recipe, partial(start, recipe), batches, **options)


def train(
    recipe: Recipe,
    tokenizer: BPETokenizer,
    text: str,
    *,
    steps: int | None = None,
    progress: Callable[[Iterable[int]], Iterable[int]] = iter,
) -> LanguageModel:
    """Train a decoder to predict the next token of a text, without checkpoints."""
    made = trainer(recipe, torch.tensor(tokenizer.encode(text)))
    losses = made.run(recipe.steps if steps is None else steps, progress)
    record = Record(recipe, corpora.text_hash(text), "", losses[:EXACT], losses)
    return LanguageModel(cast(Decoder, made.model).eval(), tokenizer, record)


def _measure(trained: LanguageModel, corpus: tuple[str, str]) -> tuple[float, float]:
    """Bits per byte of the end of the known text and of the unseen text."""
    from linebyline import evaluation  # which evaluates any ``LanguageModel``

    known, unseen = corpus[0][-len(corpus[1]) :], corpus[1]
    return evaluation.bits_per_byte(trained, known), evaluation.bits_per_byte(trained, unseen)


LANGUAGE_MODEL = KeptModel(
    name="language_model",
    recipe=Recipe(),
    corpus=lambda: corpora.docstrings_split(),
    source=lambda: corpora.docstrings_versions(),
    vocabulary=lambda recipe, text: BPETokenizer.train(text, recipe.vocab_size),
    build=lambda recipe, _: rotary_decoder(recipe.config()),
    trainer=lambda recipe, tokenizer, text, **options: trainer(recipe, torch.tensor(tokenizer.encode(text)), **options),
    trained=LanguageModel,
    measure=_measure,
    tokenizer=BPETokenizer,
)
