"""The translator that is kept with the course: its recipe, its parts, and its weights."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import torch

from clearformer import training
from clearformer.models import EncoderDecoder, TransformerConfig, transformer
from linebyline.corpora.translations import ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Split, translation_split
from linebyline.kept_models import KeptModel, recipe_trainer
from linebyline.training_run import Record

from .data import Words, batches, loss, n_targets, rows
from .decoding import exact, reader, translate

GRAMMARS = (ENGLISH_SWEDISH, FRENCH_ENGLISH)


@dataclass(frozen=True)
class Recipe:
    """All that the trained weights depend on, besides the code and the grammars."""

    pairs: int = 120_000  # of each grammar
    context: int = 64
    d_model: int = 96
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 384
    batch: int = 64
    steps: int = 10_000
    peak: float = 4e-3
    warmup: int = 400
    label_smoothing: float = 0.1
    seed: int = 0

    def config(self, vocab_size: int) -> TransformerConfig:
        """The sizes of the model."""
        return TransformerConfig(vocab_size, self.context, self.d_model, self.n_heads, self.n_layers, self.d_ff)


@dataclass(frozen=True)
class Translator:
    """A trained encoder-decoder, its vocabulary, and the record of its training run."""

    model: EncoderDecoder
    words: Words
    record: Record[Recipe]

    def translate(self, grammar: Grammar, text: str, *, n_beams: int = 1) -> str:
        """Translate a text of one sentence, as the function ``translate`` does."""
        return translate(reader(self.model), self.words, grammar, text, n_beams=n_beams)


def translator() -> Translator:
    """Load the translator of the course, as it was trained once and is kept with the package.

    Example:
        >>> kept = translator()
        >>> kept.translate(ENGLISH_SWEDISH, "Dan loves ice cream.")
        'Dan älskar glass.'
        >>> kept.translate(FRENCH_ENGLISH, "Jane visite l'Afrique en septembre.", n_beams=4)
        'Jane visits Africa in September.'
    """
    return TRANSLATOR.load()


def sentences(grammar: Grammar, n_train: int, n_validation: int) -> Split:
    """Draw sentences as all translators of the course know them."""
    return translation_split(grammar, n_train, n_validation, seed=0)


def sample() -> str:
    """Return a thousand sentences of each grammar, whose hash says what weights were trained on."""
    pairs = (pair for grammar in GRAMMARS for pair in sentences(grammar, 1000, 0).train)
    return "\n".join(" ".join((*pair.source, *pair.target)) for pair in pairs)


def trainer(recipe: Recipe, words: Words, **options: Any) -> training.Trainer:
    """Make the trainer of a recipe, on sentences of all grammars."""
    known = [rows(words, grammar, sentences(grammar, recipe.pairs, 0).train) for grammar in GRAMMARS]
    draw, mean = batches(known, batch=recipe.batch), loss(recipe.label_smoothing)
    return recipe_trainer(
        recipe, partial(transformer, recipe.config(len(words))), draw, loss=mean, count=n_targets, **options
    )


def accuracy(trained: Translator, n: int = 200) -> tuple[float, float]:
    """Measure the fraction of translations that are right word for word: of new sentences, of new combinations."""
    parts = [(grammar, sentences(grammar, 0, n)) for grammar in GRAMMARS]

    def right(kind: int) -> float:
        hits = [exact(reader(trained.model), trained.words, grammar, split[kind]) for grammar, split in parts]
        return torch.cat(hits).float().mean().item()

    return right(1), right(2)


TRANSLATOR = KeptModel(
    name="translator",
    recipe=Recipe(),
    corpus=lambda: (sample(), ""),
    vocabulary=lambda recipe, text: Words.of(GRAMMARS),
    build=lambda recipe, words: transformer(recipe.config(len(words))),
    trainer=lambda recipe, words, text, **options: trainer(recipe, words, **options),
    trained=Translator,
    measure=lambda trained, corpus: accuracy(trained),
)
