"""Learn from pairs of answers of which one is preferred: direct preference optimization (DPO)."""

import copy
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from clearformer import training
from clearformer.models import Decoder

from .chat import PAIRS, Pair, draws, rows
from .tuning import STEPS, tuner
from .world import ASKED, END, FACTS, NAMES, OF_ONE_NAMED_BEFORE, TOLD, VALUES, WORDS, text_of

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


#: What an answer can be; every answer is one of these.
KINDS = ("right", "another person", "wrong value", "not a sentence")


@dataclass(frozen=True)
class Said:
    """What an answer says: about whom, which kind of fact, and which value."""

    name: str  #: Empty for an answer of one word
    kind: str
    value: str

    def is_true(self) -> bool:
        """Tell whether it is true of the person that it names."""
        return bool(self.name) and FACTS[self.name][self.kind] == self.value


def _sentences() -> dict[str, Said]:
    """Write all sentences that state a fact of a person, true or false, and all answers of one word."""
    said = {f"{value} .": Said("", kind, value) for kind, values in VALUES.items() for value in values}
    for kind in ASKED:
        for told in dict.fromkeys((*TOLD[kind], OF_ONE_NAMED_BEFORE[kind])):
            for name in NAMES:
                said |= {told.format(n=name, v=value): Said(name, kind, value) for value in VALUES[kind]}
    return said


SENTENCES = _sentences()


def said_by(answer: Sequence[int]) -> Said | None:
    """Read an answer: what it says, or nothing if it is not a sentence of the small world, or has no end."""
    return SENTENCES.get(text_of(answer).removeprefix("I think ")) if END in answer else None


def kind_of(answer: Sequence[int], pair: Pair) -> str:
    """Tell what an answer to a question about a person is: right, or wrong in one of three ways.

    Example:
        >>> asked = Pair("where does Tina live ?", "Tina lives in Oslo .", "Oslo", "city")
        >>> for text in ("Oslo .", "I think Jane lives in Lund .", "Tina lives in Rome .", "Tina 0 5 1 stones"):
        ...     print(kind_of([*WORDS.encode(text.split()), END], asked))
        right
        another person
        wrong value
        not a sentence
    """
    said = said_by(answer)
    if said is None:
        return "not a sentence"
    if said.name and said.name not in pair.question.split():
        return "another person"
    return "right" if (said.kind, said.value) == (pair.kind, pair.value) else "wrong value"


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

    def kinds(self, answers: Sequence[str]) -> list[str]:
        """Tell of one of the two answers to each question whether it is right, or how it is wrong."""
        return [
            kind_of([*WORDS.encode(answer.split()), END], pair)
            for pair, answer in zip(self.pairs, answers, strict=True)
        ]

    def right(self) -> "Preferences":
        """Return the preferences whose chosen answer is right."""
        kept = [i for i, kind in enumerate(self.kinds(self.chosen)) if kind == "right"]
        lists = ([each[i] for i in kept] for each in (self.pairs, self.chosen, self.rejected))
        return Preferences(*lists)  # type: ignore[arg-type]


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


def right_answers(pair: Pair) -> list[str]:
    """Write every right answer to a question about a person, in all styles and wordings.

    Example:
        >>> right_answers(Pair("where does Tina live ?", "Tina lives in Oslo .", "Oslo", "city"))[:3]
        ['Oslo .', 'I think Oslo .', 'Tina lives in Oslo .']
    """
    who = ("", *pair.question.split())
    wanted = (pair.kind, pair.value)
    right = [text for text, said in SENTENCES.items() if (said.kind, said.value) == wanted and said.name in who]
    return [text for sentence in right for text in (sentence, f"I think {sentence}")]


class Chances(NamedTuple):
    """How likely an answer is to be of some kind, at temperature 1: means over questions."""

    right: float
    named: float  #: Its first word is a name
    both: float  #: Right, and with a name as its first word
    unsure: float  #: Its first word is *I*


@torch.no_grad()
def chances(model: Decoder, pairs: Sequence[Pair]) -> Chances:
    """Add up the probabilities of all right answers to each question, and of all names as a first word."""
    answers = [(pair.prompt(), answer) for pair in pairs for answer in right_answers(pair)]
    inputs, targets = rows(answers)
    logits = model(inputs)
    probabilities = training.answer_log_probs(logits, targets).exp()
    named = torch.tensor([answer.split()[0] in NAMES for _, answer in answers])
    starts = torch.tensor([len(prompt) - 1 for prompt, _ in answers])
    first = logits[torch.arange(len(answers)), starts].softmax(dim=-1).mean(dim=0)  # (vocab_size,)
    right, both = (each.sum().item() / len(pairs) for each in (probabilities, probabilities[named]))
    name, unsure = (first[WORDS.encode(words)].sum().item() for words in (NAMES, ["I"]))
    return Chances(right, name, both, unsure)


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
    anchor: float = 0.0,
    rate: float = 3e-5,
    steps: int = 160,
    seed: int = 0,
    watch: Watch = lambda step, model: None,
) -> Decoder:
    """Return a copy of a model that has learned from preferences, with the model itself as the reference.

    The ``anchor`` is how much the mean surprise at the chosen answers counts beside the loss of DPO.
    """
    made = copy.deepcopy(model)
    read = [preferences.rows(answers) for answers in (preferences.chosen, preferences.rejected)]
    with torch.no_grad():
        reference = [log_probs(model, each) for each in read]

    def loss(i: Tensor) -> Tensor:
        chosen, rejected = (log_probs(made, (inputs[i], targets[i])) for inputs, targets in read)
        surprise = -chosen.sum() / (read[0][1][i] != training.IGNORE_INDEX).sum()
        return training.dpo_loss(chosen, rejected, *(each[i] for each in reference), beta=beta) + anchor * surprise

    return _descended(made, loss, len(preferences), rate, steps, seed, watch)


def imitated(
    model: Decoder,
    preferences: Preferences,
    *,
    near: float = 0.0,
    rate: float = 3e-4,
    steps: int = 160,
    seed: int = 0,
    watch: Watch = lambda step, model: None,
) -> Decoder:
    """Return a copy of a model that was tuned on the answers that are preferred, and has not seen the others.

    With ``near``, the KL divergence from the model before is added so many times, at each token of these answers.
    """
    made = copy.deepcopy(model)
    inputs, targets = preferences.rows(preferences.chosen)
    counted = targets != training.IGNORE_INDEX
    with torch.no_grad():
        before = model(inputs).log_softmax(dim=-1)  # (n, T, vocab_size)

    def loss(i: Tensor) -> Tensor:
        now = made(inputs[i]).log_softmax(dim=-1)
        chosen = now.gather(-1, targets[i].where(counted[i], 0)[..., None]).squeeze(-1)  # (n, T)
        farther = (now.exp() * (now - before[i])).sum(dim=-1)  # (n, T)
        mean: Tensor = ((near * farther - chosen) * counted[i]).sum() / counted[i].sum()
        return mean

    return _descended(made, loss, len(preferences), rate, steps, seed, watch)


def _descended(
    made: Decoder, loss: Callable[[Tensor], Tensor], n: int, rate: float, steps: int, seed: int, watch: Watch
) -> Decoder:
    """Descend on the loss of a batch, drawn from ``n`` rows, again and again."""
    trainer = training.Trainer(
        made,
        lambda generator: (torch.randint(n, (BATCH,), generator=generator),),
        training.warmup_cosine(rate, WARMUP, steps, floor=1.0),
        generator=torch.Generator().manual_seed(seed),
        loss=lambda _, batch: loss(batch[0]),
        optimizer=partial(training.adamw, weight_decay=0.0),
    )
    watch(0, made)
    for step, _ in enumerate(trainer.steps(steps), start=1):
        watch(step, made)
    return made
