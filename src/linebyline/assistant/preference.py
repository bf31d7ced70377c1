"""Learn from pairs of answers of which one is preferred: direct preference optimization (DPO)."""

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor, nn

from clearformer import training
from clearformer.models import Decoder

from .chat import PAIRS, Pair, draws, rows
from .tuning import STEPS, tuner
from .world import END, NAMES, text_of

SAMPLES, BATCH, WARMUP = 8, 32, 10
Rule = Callable[[Sequence[int], Pair], bool]


def full_sentence(answer: Sequence[int], pair: Pair) -> bool:
    """Prefer an answer that begins with the person and says the fact in a sentence."""
    words = text_of(answer).split()
    return END in answer and len(words) > 2 and words[0] in NAMES


def in_three_styles(pairs: Sequence[Pair]) -> list[Pair]:
    """Answer each question about a person in a full sentence, in one word, and with *I think*; sums in one way."""
    styles = ("{answer}", "{value} .", "I think {answer}")
    return [
        Pair(p.question, style.format(answer=p.answer, value=p.value), p.value, p.kind)
        for p in pairs
        for style in (styles if p.kind != "sum" else styles[:1])
    ]


def styles_tuner(model: Decoder, *, seed: int = 0) -> training.Trainer:
    """Make the trainer that tunes a copy of the base model to answer in all three styles."""
    return tuner(copy.deepcopy(model).train(), in_three_styles(PAIRS), rate=1e-3, seed=seed, text_rows=1)


def of_three_styles(model: Decoder, *, seed: int = 0) -> Decoder:
    """Return a copy of the base model that answers in all three styles: the reference of what follows."""
    run = styles_tuner(model, seed=seed)
    run.run(STEPS)
    return cast(Decoder, run.model).eval()


@dataclass(frozen=True)
class Preferences:
    """Questions, each with an answer that is preferred and one that is not."""

    pairs: list[Pair]
    chosen: list[str]
    rejected: list[str]

    def __len__(self) -> int:
        return len(self.pairs)

    def rows(self, answers: Sequence[str]) -> tuple[Tensor, Tensor]:
        """Write one of the two answers to each question as inputs and targets."""
        return rows((pair.prompt(), answer) for pair, answer in zip(self.pairs, answers, strict=True))


def sampled_preferences(model: Decoder, pairs: Sequence[Pair], rule: Rule = full_sentence, *, seed: int) -> Preferences:
    """Sample answers to each question, and take one that a rule prefers and one that it does not, if both exist."""
    generator, draw, found = torch.Generator().manual_seed(seed), random.Random(seed), Preferences([], [], [])
    answers = draws(model, [pair.prompt() for pair in pairs for _ in range(SAMPLES)], generator)
    for i, pair in enumerate(pairs):
        ended = [answer for answer in answers[SAMPLES * i : SAMPLES * (i + 1)] if END in answer]
        good = [text_of(answer) for answer in ended if rule(answer, pair)]
        bad = [text_of(answer) for answer in ended if not rule(answer, pair)]
        if good and bad:
            found.pairs.append(pair)
            found.chosen.append(draw.choice(good))
            found.rejected.append(draw.choice(bad))
    return found


def log_probs(model: Decoder, read: tuple[Tensor, Tensor]) -> Tensor:
    """Compute the log-probability of each answer, in nats."""
    inputs, targets = read
    return training.answer_log_probs(model(inputs), targets)


Watch = Callable[[int, Decoder], Any]


def preferred(
    model: Decoder,
    preferences: Preferences,
    *,
    beta: float,
    rate: float = 3e-5,
    steps: int = 160,
    seed: int = 0,
    watch: Watch = lambda step, model: None,
) -> Decoder:
    """Return a copy of a model that has learned from preferences, with the model itself as the reference."""
    made = copy.deepcopy(model)
    read = [preferences.rows(answers) for answers in (preferences.chosen, preferences.rejected)]
    with torch.no_grad():
        reference = [log_probs(model, each) for each in read]

    def loss(i: Tensor) -> Tensor:
        now = [log_probs(made, (inputs[i], targets[i])) for inputs, targets in read]
        return training.dpo_loss(*now, *(each[i] for each in reference), beta=beta)

    return _descended(made, loss, len(preferences), rate, steps, seed, watch)


def imitated(
    model: Decoder,
    preferences: Preferences,
    *,
    rate: float = 3e-4,
    steps: int = 160,
    seed: int = 0,
    watch: Watch = lambda step, model: None,
) -> Decoder:
    """Return a copy of a model that was tuned on the answers that are preferred, and has not seen the others."""
    made = copy.deepcopy(model)
    inputs, targets = preferences.rows(preferences.chosen)

    def loss(i: Tensor) -> Tensor:
        return -log_probs(made, (inputs[i], targets[i])).sum() / (targets[i] != training.IGNORE_INDEX).sum()

    return _descended(made, loss, len(preferences), rate, steps, seed, watch)


def _descended(
    made: Decoder, loss: Callable[[Tensor], Tensor], n: int, rate: float, steps: int, seed: int, watch: Watch
) -> Decoder:
    """Descend on the loss of a batch, drawn from ``n`` rows, again and again."""
    generator = torch.Generator().manual_seed(seed)
    optimizer = training.adamw(made.named_parameters(), weight_decay=0.0)
    for step in range(steps):
        watch(step, made)
        drawn = loss(torch.randint(n, (BATCH,), generator=generator))
        optimizer.zero_grad()
        drawn.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(made.parameters(), 1.0)
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1.0, (step + 1) / WARMUP)
        optimizer.step()
    watch(steps, made)
    return made
