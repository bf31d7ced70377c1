"""The text-to-text model that is kept with the course: its recipe, its parts, and its weights.

It draws its sentences as it needs them, which takes a twentieth of a step: no corpus is kept, hardly a sentence comes
twice, and its first losses are computed again in seconds. The sentences have at most twelve words: on those of up to
forty a training run of the same time did half as well on alphabetical order.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from clearformer import training
from clearformer.models import EncoderDecoder, T5Config, t5
from linebyline.kept_models import KeptModel, recipe_trainer
from linebyline.training_run import Record
from linebyline.translation import LONGEST, Words, finds, greedy, loss, n_targets, reader, source_words

from .tasks import MIXTURE, START, TASKS, Task, batches, rows, translation, vocabulary


@dataclass(frozen=True)
class Recipe:
    """All that the trained weights depend on, besides the code and the grammars."""

    d_model: int = 64
    n_heads: int = 4
    n_layers: int = 2
    d_ff: int = 256
    n_buckets: int = 32
    max_distance: int = 17  # what is read has at most 17 words, of prefix and sentence
    batch: int = 56
    steps: int = 6000
    peak: float = 6e-3
    warmup: int = 200
    label_smoothing: float = 0.1
    seed: int = 0

    def config(self, vocab_size: int) -> T5Config:
        """The sizes of the model."""
        d_k = self.d_model // self.n_heads
        sizes = (self.d_model, self.n_heads, d_k, self.n_layers, self.d_ff, self.n_buckets, self.max_distance)
        return T5Config(vocab_size, *sizes)


@dataclass(frozen=True)
class TextToText:
    """A trained T5, its vocabulary, and the record of its training run."""

    model: EncoderDecoder
    words: Words
    record: Record[Recipe]

    def write(self, prefix: str, text: str) -> str:
        """Do with a sentence what a prefix in ``TASKS`` says; the full stop may be left out.

        Raises:
            ValueError: there is no such prefix, a word is not in its language, or the words are too many.

        Example:
            >>> kept = text_to_text()
            >>> kept.write("translate English to Swedish:", "Dan loves ice cream.")
            'Dan älskar glass.'
            >>> kept.write("reverse:", "Dan loves ice cream.")
            'Cream ice loves Dan.'
        """
        if prefix not in TASKS:
            raise ValueError(f"there is no prefix {prefix!r}; there are {', '.join(map(repr, TASKS))}")
        task = TASKS[prefix]
        source = source_words(task.grammar, text)
        if len(source) >= LONGEST:
            raise ValueError(f"{len(source)} words are too many: at most {LONGEST - 1} and an end are written")
        sources, _ = rows(self.words, [((*task.words, *source), ())])
        (found,) = greedy(reader(self.model), sources, self.words.encode([START])[0])
        language = task.grammar.target if task.write is translation else task.grammar.source
        return language.detokenize(self.words.decode(found))


def text_to_text() -> TextToText:
    """Load the text-to-text model of the course, as it was trained once and is kept with the package."""
    return TEXT_TO_TEXT.load()


def sample() -> str:
    """Return some examples of each task, whose hash says what weights were trained on."""
    examples = (task.example(pair) for task in TASKS.values() for pair in task.unseen(100))
    return "\n".join(" ".join((*source, "->", *target)) for source, target in examples)


def trainer(recipe: Recipe, words: Words, tasks: Sequence[Task] = MIXTURE, **options: Any) -> training.Trainer:
    """Make the trainer of a recipe."""
    draw, mean = batches(words, tasks, batch=recipe.batch), loss(recipe.label_smoothing)
    return recipe_trainer(recipe, partial(t5, recipe.config(len(words))), draw, loss=mean, count=n_targets, **options)


def accuracy(model: EncoderDecoder, words: Words, task: Task, n: int = 100) -> float:
    """Measure the fraction of unseen sentences with which a model does what a task asks, word for word."""
    examples = [task.example(pair) for pair in task.unseen(n)]
    return finds(reader(model), *rows(words, examples)).float().mean().item()


def worst_and_mean(trained: TextToText, n: int = 80) -> tuple[float, float]:
    """Measure the fraction of unseen sentences done right: of the task where it is lowest, and over all tasks."""
    fractions = [accuracy(trained.model, trained.words, task, n) for task in TASKS.values()]
    return min(fractions), sum(fractions) / len(fractions)


TEXT_TO_TEXT = KeptModel(
    name="text_to_text",
    recipe=Recipe(),
    corpus=lambda: (sample(), ""),
    vocabulary=lambda recipe, text: vocabulary(),
    build=lambda recipe, words: t5(recipe.config(len(words))),
    trainer=lambda recipe, words, text, **options: trainer(recipe, words, **options),
    trained=TextToText,
    measure=lambda trained, corpus: worst_and_mean(trained),
    every=500,
)
