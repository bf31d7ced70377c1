"""The base model of the small world, kept with the course: it continues texts, and has seen no answer."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import torch

from clearformer import training
from clearformer.models import Decoder, GPT2Config
from linebyline.kept_models import KeptModel, recipe_trainer
from linebyline.pretrained import rotary_decoder, zero_init
from linebyline.training_run import Record
from linebyline.translation import Words

from .chat import greedy
from .world import END, WORDS, digits, draw_sums, stream, texts

SEEN, UNSEEN = 100, 99  # seeds of the texts that are trained on, and of those that are not
LENGTH = 64  # of the windows that are trained on and measured


@dataclass(frozen=True)
class Recipe:
    """All that the trained weights depend on, besides the code and the world."""

    context: int = 128
    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 3
    batch: int = 24
    steps: int = 3000
    peak: float = 5e-3
    warmup: int = 100
    seed: int = 0
    n_tokens: int = 3_000_000

    def config(self) -> GPT2Config:
        """The sizes of the model."""
        sizes = (len(WORDS), self.context, self.d_model, self.n_heads, self.n_layers)
        return GPT2Config(*sizes, d_ff=4 * self.d_model, activation="gelu")


@dataclass(frozen=True)
class BaseModel:
    """A trained decoder, the words of its world, and the record of its training run."""

    model: Decoder
    words: Words
    record: Record[Recipe]


def base_model() -> Decoder:
    """Load the base model of the small world, as it was trained once and is kept with the package."""
    return BASE_MODEL.load().model


def trainer(recipe: Recipe, **options: Any) -> training.Trainer:
    """Make the trainer of a recipe."""
    ids = stream(SEEN + recipe.seed, recipe.n_tokens)
    batches = training.token_windows(ids, batch=recipe.batch, length=LENGTH)

    def start(generator: torch.Generator) -> Decoder:
        return zero_init(rotary_decoder(recipe.config(), generator))

    return recipe_trainer(recipe, start, batches, **options)


@torch.no_grad()
def text_loss(model: Decoder, seed: int = UNSEEN, n: int = 10_000) -> float:
    """Compute the loss of a model on texts of the world, in nats a token."""
    ids = stream(seed, n)
    n_windows = (len(ids) - 1) // LENGTH
    inputs, targets = (ids[i : i + n_windows * LENGTH].view(n_windows, LENGTH) for i in (0, 1))
    return training.cross_entropy(model(inputs), targets).item()


def continued_sums(model: Decoder, pairs: Sequence[tuple[int, int]]) -> float:
    """Measure how often a model continues texts such as *3 7 + 4 8 =* with the right digits."""
    prompts = [[END, *WORDS.encode(f"{digits(a)} + {digits(b)} =".split())] for a, b in pairs]
    continued = greedy(model, prompts, 4)
    wanted = [WORDS.encode(f"{digits(a + b)} .".split()) for a, b in pairs]
    return sum(ids[: len(ends)] == ends for ids, ends in zip(continued, wanted, strict=True)) / len(pairs)


def measured(trained: BaseModel) -> tuple[float, float]:
    """Measure the loss on unseen texts, and the fraction of unseen sums that are continued right."""
    return text_loss(trained.model), continued_sums(trained.model, draw_sums(5, 400, held_out=True))


BASE_MODEL = KeptModel(
    name="assistant",
    recipe=Recipe(),
    corpus=lambda: (" ".join(islice(texts(random.Random(0)), 200)), ""),
    vocabulary=lambda recipe, text: WORDS,
    build=lambda recipe, words: rotary_decoder(recipe.config()),
    trainer=lambda recipe, words, text, **options: trainer(recipe, **options),
    trained=BaseModel,
    measure=lambda trained, corpus: measured(trained),
)
