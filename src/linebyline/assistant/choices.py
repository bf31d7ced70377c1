"""Multiple choice in the small world: four sentences about a person, of which one is true, scored by a model."""

import random
from collections.abc import Sequence
from dataclasses import dataclass

from clearformer.evaluation import option_log_probs
from clearformer.models import Decoder

from .world import END, FACTS, NAMES, TOLD, VALUES, WORDS

NEUTRAL = ("Dan", "Eve", "Paul")  # people who take the place of the person when a sentence is scored without the fact


@dataclass(frozen=True)
class Choice:
    """Four sentences about a person, one of each kind of fact, of which one is true."""

    name: str
    options: tuple[str, ...]
    right: int  #: Which option is true


def choices(seed: int = 0) -> list[Choice]:
    """Draw four questions for each person; wordings, and with them lengths, are drawn too.

    Example:
        >>> first = choices()[0]
        >>> first.name, len(first.options), len(choices())
        ('Dan', 4, 160)
    """
    draw, made, kinds = random.Random(seed), list[Choice](), list(TOLD)
    for name in NAMES * 4:
        true, options = draw.randrange(len(kinds)), []
        for i, kind in enumerate(kinds):
            fact = FACTS[name][kind]
            value = fact if i == true else draw.choice([other for other in VALUES[kind] if other != fact])
            options.append(draw.choice(TOLD[kind]).format(n=name, v=value))
        made.append(Choice(name, tuple(options), true))
    return made


def log_probs(model: Decoder, each: Choice, name: str = "") -> list[float]:
    """Compute the log-probability of each sentence as a text, or of the same sentence about somebody else."""
    options = [WORDS.encode(text.replace(each.name, name or each.name).split()) for text in each.options]
    return option_log_probs(model, [END], options)


def log_probs_after(model: Decoder, each: Choice, n: int) -> list[float]:
    """Compute the log-probability of what follows the first n tokens of each sentence."""
    options = [WORDS.encode(text.split()) for text in each.options]
    return [option_log_probs(model, [END, *ids[:n]], [ids[n:]])[0] for ids in options]


def neutral_log_probs(model: Decoder, each: Choice, names: Sequence[str] = NEUTRAL) -> list[float]:
    """Compute the mean log-probability of each sentence about a few other people, who give no reason to believe it."""
    by_name = [log_probs(model, each, name) for name in names if name != each.name]
    return [sum(scores) / len(by_name) for scores in zip(*by_name, strict=True)]
