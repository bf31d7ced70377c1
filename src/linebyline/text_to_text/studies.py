"""Two experiments on what a text-to-text model learns from: plain text before few examples, and several tasks."""

import copy
import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, cast

import torch
from torch import Tensor

from clearformer import training
from clearformer.models import EncoderDecoder, t5
from linebyline.translation import END, PAD, Words, batches, greedy, loss, reader

from .model import Recipe, trainer
from .tasks import SENTINELS, START, TASKS, Task, rows, seeded

Progress = Callable[[Iterable[int]], Iterable[int]]
Practice = Callable[[Tensor, Tensor, Sequence[int]], tuple[Tensor, Tensor]]
# A clause or a little more, so that training runs are short.
SHORT = {prefix: replace(task, longest=9) for prefix, task in TASKS.items()}
RATE, MEAN_LENGTH = 0.3, 2.0  # more than T5 hides, in shorter spans: a sentence has half a dozen words
FEW = SHORT["plural:"]
EXAMPLES, TUNED_BATCH, TUNED_PEAK = 1000, 20, 3e-3
MARKS = (60, 120, 200, 300, 400, 500, 600)  # steps of fine-tuning after which the words are counted
LONGER = 1200  # steps of a longer fine-tuning, with a schedule of its own
READ = Recipe(batch=48, steps=600, warmup=100, label_smoothing=0.0)  # the training run on plain text
TOGETHER = Recipe(batch=40, steps=1200, warmup=100)  # all tasks; one alone reads as many of its sentences
AS_MUCH_WORK = ("translate English to Swedish:",)  # tasks that one model learns with all the sentences of a step
UNSEEN = 300
SAMPLE = "Dan loves ice cream."


def whole_text(ids: Tensor, hidden: Tensor, sentinels: Sequence[int]) -> tuple[Tensor, Tensor]:
    """Hide spans of a text, and have all of it written, what remains visible as well."""
    return training.corrupt_spans(ids, hidden, sentinels)[0], ids


# What a model has practiced before it sees the task; the sentences are the same.
PRACTICES: dict[str, Practice] = {
    "after hidden spans": training.corrupt_spans,
    "after whole sentences": whole_text,
}


def practice_texts(words: Words, practice: Practice = training.corrupt_spans, *, batch: int) -> training.Batches:
    """Draw sentences of all three languages, and turn each into what is read and what is written."""
    sentinels, (start,) = words.encode(SENTINELS), words.encode([START])
    spoken = [SHORT["translate English to Swedish:"], SHORT["translate French to English:"]]

    def example(generator: torch.Generator, drawn: random.Random, number: int) -> tuple[Tensor, Tensor]:
        pair = spoken[number % 2].draw(drawn)
        ids = torch.tensor(words.encode((pair.source, pair.target)[number // 2 % 2]))
        hidden = training.random_span_mask(len(ids), rate=RATE, mean_length=MEAN_LENGTH, generator=generator)
        inputs, targets = practice(ids, hidden, sentinels)
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


def pretrained(words: Words, practice: Practice, seed: int, progress: Progress) -> EncoderDecoder:
    """Train a model on plain text."""
    model, generator = untrained(words, seed), torch.Generator().manual_seed(seed)
    schedule = training.warmup_cosine(READ.peak, READ.warmup, READ.steps)
    draw = practice_texts(words, practice, batch=READ.batch)
    training.Trainer(model, draw, schedule, generator=generator, loss=loss()).run(READ.steps, progress)
    return model.eval()


def tuned(
    model: EncoderDecoder, words: Words, task: Task, n: int, seed: int, marks: Sequence[int] = MARKS
) -> Iterator[EncoderDecoder]:
    """Train a copy of a model on a few examples of a task, and yield it after some numbers of steps."""
    drawn, learner = random.Random(seed), copy.deepcopy(model)
    examples = rows(words, [task.example(task.draw(drawn)) for _ in range(n)])
    draw, schedule = (
        batches([examples], batch=TUNED_BATCH),
        training.warmup_cosine(TUNED_PEAK, marks[-1] // 10, marks[-1]),
    )
    generator = torch.Generator().manual_seed(seed)
    made = training.Trainer(learner, draw, schedule, generator=generator, loss=loss(0.1))
    for before, mark in pairwise((0, *marks)):
        made.run(mark - before)
        yield learner.eval()
        learner.train()


@torch.no_grad()
def word_accuracy(model: EncoderDecoder, words: Words, task: Task, n: int = UNSEEN) -> float:
    """Measure the fraction of words of unseen examples that a model predicts right after the correct words."""
    sources, targets = rows(words, [task.example(pair) for pair in task.unseen(n)])
    said = model(sources, targets[:, :-1], mask=sources != PAD).argmax(dim=-1)  # (n, T)
    true = targets[:, 1:]
    return float((said == true)[true != PAD].float().mean())


@torch.inference_mode()
def written(model: EncoderDecoder, words: Words, task: Task, text: str) -> str:
    """Return what a model writes for a sentence of a task."""
    sources, targets = rows(words, [task.example(task.grammar.translate(text))])
    (ids,) = greedy(reader(model), sources, int(targets[0, 0]))
    return " ".join(words.decode(ids))


@torch.inference_mode()
def repeated(model: EncoderDecoder, words: Words, task: Task, n: int = UNSEEN) -> float:
    """Measure the fraction of the words that a model writes for unseen sentences which it has read in them."""
    pairs = task.unseen(n)
    sources, targets = rows(words, [task.example(pair) for pair in pairs])
    said = [words.decode(ids) for ids in greedy(reader(model), sources, int(targets[0, 0]))]
    hits = [word in pair.source for pair, line in zip(pairs, said, strict=True) for word in line]
    return sum(hits) / len(hits)


def few_examples(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Learn a task from some examples, after each practice and after none: words right on the way."""
    found: dict[str, list[list[float]]] = {"as drawn": [], **{name: [] for name in PRACTICES}}
    says, repeats = list[str](), list[float]()  # in the end, of the models after hidden spans
    for seed in seeds:
        starts = {"as drawn": untrained(words, seed)}
        for name, practice in PRACTICES.items():
            starts[name] = pretrained(words, practice, seed, progress(f"{name}, seed {seed}"))
        for name, start in starts.items():
            found[name].append([])
            for learner in tuned(start, words, FEW, EXAMPLES, seed):
                found[name][-1].append(word_accuracy(learner, words, FEW))
            if name == "after hidden spans":
                says.append(written(learner, words, FEW, SAMPLE))
                repeats.append(repeated(learner, words, FEW))
    sizes = {"task": FEW.prefix, "examples": EXAMPLES, "steps": MARKS, "read": READ.steps}
    return sizes | {"found": found, "says": says, "repeats": repeats}


def longer(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Fine-tune for longer, after hidden spans and after no practice: does the first catch up?"""
    found: dict[str, list[float]] = {"as drawn": [], "after hidden spans": []}
    for seed in seeds:
        spans = pretrained(words, training.corrupt_spans, seed, progress(f"hidden spans, seed {seed}"))
        for name, start in zip(found, (untrained(words, seed), spans), strict=True):
            (learner,) = tuned(start, words, FEW, EXAMPLES, seed, (LONGER,))
            found[name].append(word_accuracy(learner, words, FEW))
    return {"steps": LONGER, "found": found}


def together(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train one model on all tasks, and others on one each: with as many of its sentences, or for as much work."""
    shares: dict[str, dict[str, list[float]]] = {prefix: {"alone": [], "together": []} for prefix in TASKS}
    as_much_work: dict[str, list[float]] = {prefix: [] for prefix in AS_MUCH_WORK}
    for seed in seeds:
        recipe = replace(TOGETHER, seed=seed)
        alone = replace(recipe, batch=recipe.batch // len(SHORT))
        everything = _trained(recipe, words, list(SHORT.values()), progress(f"all tasks, seed {seed}"))
        for prefix, task in SHORT.items():
            one = _trained(alone, words, [task], progress(f"{prefix} seed {seed}"))
            shares[prefix]["alone"].append(word_accuracy(one, words, task))
            shares[prefix]["together"].append(word_accuracy(everything, words, task))
        for prefix, found in as_much_work.items():
            one = _trained(recipe, words, [SHORT[prefix]], progress(f"{prefix} as much work, seed {seed}"))
            found.append(word_accuracy(one, words, SHORT[prefix]))
    steps, of_each = TOGETHER.steps, TOGETHER.batch // len(SHORT)
    return {"steps": steps, "of_each": of_each, "shares": shares, "as_much_work": as_much_work}


def again(words: Words, seeds: Iterable[int], progress: Callable[[str], Progress]) -> dict[str, Any]:
    """Train on one task alone, on as many sentences as it has in ``together``, read several times for as much work."""
    found: dict[str, list[float]] = {prefix: [] for prefix in AS_MUCH_WORK}
    n = TOGETHER.steps * TOGETHER.batch // len(SHORT)
    for seed in seeds:
        for prefix, of_task in found.items():
            task, drawn, generator = SHORT[prefix], random.Random(seed), torch.Generator().manual_seed(seed)
            examples = rows(words, [task.example(task.draw(drawn)) for _ in range(n)])
            draw, model = batches([examples], batch=TOGETHER.batch), untrained(words, seed)
            schedule = training.warmup_cosine(TOGETHER.peak, TOGETHER.warmup, TOGETHER.steps)
            made = training.Trainer(model, draw, schedule, generator=generator, loss=loss(TOGETHER.label_smoothing))
            made.run(TOGETHER.steps, progress(f"{prefix} again, seed {seed}"))
            of_task.append(word_accuracy(model.eval(), words, task))
    return {"examples": n, "found": found}


def _trained(recipe: Recipe, words: Words, tasks: list[Task], progress: Progress) -> EncoderDecoder:
    made = trainer(recipe, words, tasks)
    made.run(recipe.steps, progress)
    return cast(EncoderDecoder, made.model).eval()
