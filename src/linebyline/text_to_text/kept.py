"""The text-to-text model that is kept with the course: its recipe, its parts, and its weights."""

import os
from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch

from clearformer import training
from clearformer.models import EncoderDecoder, T5Config, t5
from linebyline.corpora import text_hash
from linebyline.kept import WEIGHTS, Record, load_model, save_model
from linebyline.text_to_text.tasks import MIXTURE, START, TASKS, Task, batches, rows, translation, vocabulary
from linebyline.translation import LONGEST, Words, finds, greedy, loss, n_asked, reader, source_words


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
    """A trained T5, its vocabulary, and the record of its training."""

    model: EncoderDecoder
    words: Words
    record: Record[Recipe]

    def write(self, prefix: str, text: str) -> str:
        """Do with a sentence what a prefix says.

        Args:
            prefix: One of those in ``TASKS``.
            text: The sentence; its full stop may be left out.

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
    return load(WEIGHTS / "text_to_text.safetensors")


def load(path: str | os.PathLike[str]) -> TextToText:
    """Load a model that ``save`` has written.

    Raises:
        ValueError: the file holds no record of a training, or not the weights that the recipe asks for.
    """
    words = vocabulary()
    model, record = load_model(path, Recipe, lambda recipe: t5(recipe.config(len(words))))
    return TextToText(model, words, record)


def save(trained: TextToText, path: str | os.PathLike[str]) -> None:
    """Write the weights in half precision with the record; the vocabulary is that of the tasks."""
    save_model(trained.model, trained.record, path)


def tasks_hash() -> str:
    """Name the tasks by two hundred examples of each, so that weights can say what they were trained on."""
    examples = (task.example(pair) for task in TASKS.values() for pair in task.unseen(100))
    return text_hash("\n".join(" ".join((*source, "->", *target)) for source, target in examples))


def trainer(
    recipe: Recipe,
    words: Words,
    tasks: Sequence[Task] = MIXTURE,
    *,
    autocast: AbstractContextManager[object] | None = None,
    processes: training.Processes | None = None,
) -> training.Trainer:
    """Prepare a training by a recipe. Every sentence is new: none comes twice but by chance.

    Args:
        recipe: Sizes, batches and rates.
        words: The vocabulary.
        tasks: What is trained, each as often as it stands there.
        autocast: The context of the forward pass; float32 throughout when left out.
        processes: Those that train together, and where; one on a processor when left out.
    """
    processes = processes or training.Processes()
    generator = torch.Generator().manual_seed(recipe.seed)
    model = t5(recipe.config(len(words)), generator).to(processes.device)
    draw = batches(words, tasks, batch=recipe.batch)

    def drawn(generator: torch.Generator) -> training.Batch:
        return tuple(part.to(processes.device) for part in draw(generator))

    schedule = training.warmup_cosine(recipe.peak, recipe.warmup, recipe.steps)
    mean = loss(recipe.label_smoothing)
    return training.Trainer(
        model, drawn, schedule, generator=generator, loss=mean, count=n_asked, autocast=autocast, processes=processes
    )


def accuracy(model: EncoderDecoder, words: Words, task: Task, n: int = 100) -> float:
    """Measure the share of unseen sentences with which a model does what a task asks, word for word.

    Args:
        model: It.
        words: Its vocabulary.
        task: The task.
        n: How many unseen sentences of either kind are looked at, as ``Task.unseen`` does.
    """
    examples = [task.example(pair) for pair in task.unseen(n)]
    return finds(reader(model), *rows(words, examples)).float().mean().item()


def worst_and_mean(trained: TextToText, n: int = 80) -> tuple[float, float]:
    """Measure the share of unseen sentences done right: of the task where it is lowest, and over all tasks."""
    shares = [accuracy(trained.model, trained.words, task, n) for task in TASKS.values()]
    return min(shares), sum(shares) / len(shares)
