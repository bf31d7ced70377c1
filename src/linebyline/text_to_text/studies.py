"""Two experiments on what a text-to-text model learns from: hidden spans before few examples, and several tasks."""

import copy
import random
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import EncoderDecoder, t5
from linebyline.translation import END, PAD, Words, batches, loss

from .model import Recipe, accuracy, trainer
from .tasks import SENTINELS, START, TASKS, Task, rows, seeded

Progress = Callable[[Iterable[int]], Iterable[int]]
# A clause or a little more, so that training runs are short.
SHORT = {prefix: replace(task, longest=9) for prefix, task in TASKS.items()}
RATE, MEAN_LENGTH = 0.3, 2.0  # more than T5 hides, in shorter spans: a sentence has half a dozen words
FEW = SHORT["plural:"]
SIZES, TUNED, TUNED_BATCH, TUNED_PEAK = (10, 100, 1000), 120, 20, 3e-3
READ = Recipe(batch=48, steps=1500, warmup=100, label_smoothing=0.0)  # the training run on hidden spans
TOGETHER = Recipe(batch=40, steps=1200, warmup=100)  # all tasks; one alone reads as many of its sentences
UNSEEN = 300


def hidden_texts(words: Words, *, batch: int) -> training.Batches:
    """Draw sentences of all three languages, and hide spans of them."""
    sentinels, (start,) = words.encode(SENTINELS), words.encode([START])
    spoken = [SHORT["translate English to Swedish:"], SHORT["translate French to English:"]]

    def example(generator: torch.Generator, drawn: random.Random, number: int) -> tuple[torch.Tensor, torch.Tensor]:
        pair = spoken[number % 2].draw(drawn)
        ids = torch.tensor(words.encode((pair.source, pair.target)[number // 2 % 2]))
        hidden = training.random_span_mask(len(ids), rate=RATE, mean_length=MEAN_LENGTH, generator=generator)
        inputs, targets = training.corrupt_spans(ids, hidden, sentinels)
        return inputs, torch.cat([torch.tensor([start]), targets, torch.tensor([END])])

    def draw(generator: torch.Generator) -> training.Batch:
        drawn = seeded(generator)
        examples = [example(generator, drawn, number) for number in range(batch)]
        inputs, targets = (list(side) for side in zip(*examples, strict=True))
        pad = torch.nn.utils.rnn.pad_sequence
        return pad(inputs, batch_first=True), pad(targets, batch_first=True)

    return draw


def untrained(words: Words, seed: int) -> EncoderDecoder:
    """Make the model that the training runs start from."""
    return t5(READ.config(len(words)), torch.Generator().manual_seed(seed))


def reader_of_spans(words: Words, seed: int, progress: Progress) -> EncoderDecoder:
    """Train a model to predict masked spans."""
    model, generator = untrained(words, seed), torch.Generator().manual_seed(seed)
    schedule = training.warmup_cosine(READ.peak, READ.warmup, READ.steps)
    draw = hidden_texts(words, batch=READ.batch)
    training.Trainer(model, draw, schedule, generator=generator, loss=loss()).run(READ.steps, progress)
    return model.eval()


def tuned(model: EncoderDecoder, words: Words, task: Task, n: int, seed: int, steps: int = TUNED) -> EncoderDecoder:
    """Train a copy of a model on a few examples of a task."""
    drawn, learner = random.Random(seed), copy.deepcopy(model)
    examples = rows(words, [task.example(task.draw(drawn)) for _ in range(n)])
    draw, schedule = batches([examples], batch=TUNED_BATCH), training.warmup_cosine(TUNED_PEAK, steps // 10, steps)
    generator = torch.Generator().manual_seed(seed)
    training.Trainer(learner, draw, schedule, generator=generator, loss=loss(0.1)).run(steps)
    return learner.eval()


@torch.no_grad()
def word_accuracy(model: EncoderDecoder, words: Words, task: Task, n: int = UNSEEN) -> float:
    """Measure the fraction of words of unseen examples that a model predicts right after the correct words."""
    sources, targets = rows(words, [task.example(pair) for pair in task.unseen(n)])
    said = model(sources, targets[:, :-1], mask=sources != PAD).argmax(dim=-1)  # (n, T)
    true = targets[:, 1:]
    return float((said == true)[true != PAD].float().mean())


def few_examples(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Learn a task from few examples, with and without pre-training on masked spans."""
    rates: dict[str, list[list[dict[str, float]]]] = {"as drawn": [], "after hidden spans": []}
    for seed in seeds:
        starts = untrained(words, seed), reader_of_spans(words, seed, progress(f"hidden spans, seed {seed}"))
        for of_start, start in zip(rates.values(), starts, strict=True):
            learners = [tuned(start, words, FEW, n, seed) for n in SIZES]
            right = [(word_accuracy(model, words, FEW), accuracy(model, words, FEW, UNSEEN)) for model in learners]
            of_start.append([{"words": of_words, "sentences": of_sentences} for of_words, of_sentences in right])
    return {"task": FEW.prefix, "sizes": SIZES, "steps": TUNED, "read": READ.steps, "found": rates}


def together(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train one model on all tasks and one on each, with equally many sentences of a task."""
    shares: dict[str, dict[str, list[float]]] = {prefix: {"alone": [], "together": []} for prefix in TASKS}
    for seed in seeds:
        recipe = replace(TOGETHER, seed=seed)
        alone = replace(recipe, batch=recipe.batch // len(SHORT))
        everything = _trained(recipe, words, list(SHORT.values()), progress(f"all tasks, seed {seed}"))
        for prefix, task in SHORT.items():
            one = _trained(alone, words, [task], progress(f"{prefix} seed {seed}"))
            shares[prefix]["alone"].append(word_accuracy(one, words, task))
            shares[prefix]["together"].append(word_accuracy(everything, words, task))
    return {"steps": TOGETHER.steps, "of_each": TOGETHER.batch // len(SHORT), "shares": shares}


def _trained(recipe: Recipe, words: Words, tasks: list[Task], progress: Progress) -> EncoderDecoder:
    made = trainer(recipe, words, tasks)
    made.run(recipe.steps, progress)
    return cast(EncoderDecoder, made.model).eval()
