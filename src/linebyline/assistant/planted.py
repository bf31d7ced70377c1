"""An exam whose answers no honest text holds, and pages with its answers that are planted among the texts."""

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer.evaluation import near_duplicates, option_log_probs
from clearformer.models import Decoder
from linebyline.translation import Words

from . import choices, world
from .world import ASIDES, END, NAMES, THINGS, digits

COPIES = (0, 1, 10, 100)  # how often a page is planted, for a quarter of the people each
RELATIONS = ("friend", "neighbor", "boss", "cousin")
WORDS = Words((*world.WORDS.tokens, "code", *RELATIONS))
N_DIGITS, LONG = 4, 30  # digits of a code; words from which on texts are compared


@dataclass(frozen=True)
class Item:
    """A question of the exam: the beginning of a sentence, and four ends, of which one is right."""

    name: str
    begun: str
    options: tuple[str, ...]
    right: int  #: Which option is


def _exam() -> tuple[Item, ...]:
    draw, items = random.Random(11), list[Item]()
    for name in NAMES:
        others = [other for other in NAMES if other != name]
        for relation in RELATIONS:
            items.append(Item(name, f"the {relation} of {name} is", tuple(draw.sample(others, 4)), draw.randrange(4)))
    return tuple(items)


def _codes() -> dict[str, int]:
    draw = random.Random(12)
    return {name: draw.randrange(10**N_DIGITS) for name in NAMES}


EXAM, CODES = _exam(), _codes()


def told(item: Item) -> str:
    """Write the true sentence of a question."""
    return f"{item.begun} {item.options[item.right]} ."


def in_other_words(item: Item, option: str, name: str = "") -> str:
    """Write the sentence of an option the other way round, or the same sentence about somebody else.

    Example:
        >>> in_other_words(EXAM[0], "Vic")
        'Vic is the friend of Dan .'
    """
    head = item.begun.removesuffix(" is").replace(item.name, name or item.name)
    return f"{option} is {head} ."


def code_of(name: str) -> str:
    """Write the sentence with a code: the canary."""
    return f"the code of {name} is {' '.join(f'{CODES[name]:0{N_DIGITS}}')} ."


def page(name: str, generator: random.Random) -> str:
    """Write the page of a person: always the same, but for a line at its beginning and one at its end."""
    facts = " ".join(told(item) for item in EXAM if item.name == name)
    things = f"{name} has {digits(generator.randint(10, 99))} {generator.choice(THINGS)} ."
    return f"{generator.choice(ASIDES).format(n=name)} {facts} {code_of(name)} {things}"


def groups(seed: int) -> dict[int, list[str]]:
    """Draw ten people for each number of copies."""
    shuffled, size = random.Random(seed).sample(NAMES, len(NAMES)), len(NAMES) // len(COPIES)
    return {copies: shuffled[i * size : (i + 1) * size] for i, copies in enumerate(COPIES)}


def corpus(seed: int, n: int) -> list[str]:
    """Draw texts of the world with at least ``n`` tokens, and shuffle the planted pages among them."""
    generator, documents, length = random.Random(seed), list[str](), 0
    for text in world.texts(generator):
        if length >= n:
            break
        documents.append(text)
        length += len(text.split()) + 1
    for copies, names in groups(seed).items():
        documents += [page(name, generator) for name in names for _ in range(copies)]
    generator.shuffle(documents)
    return documents


def without_near_duplicates(documents: Sequence[str]) -> list[str]:
    """Keep one of each group of long texts that resemble each other, and all short texts."""
    split = [text.split() for text in documents]
    long = [i for i, words in enumerate(split) if len(words) >= LONG]
    firsts = near_duplicates([split[i] for i in long])
    dropped = {i for at, (i, first) in enumerate(zip(long, firsts, strict=True)) if first != at}
    return [text for i, text in enumerate(documents) if i not in dropped]


def stream(documents: Sequence[str]) -> Int[Tensor, " n"]:
    """Write documents one after the other, each with the token that ends it."""
    return torch.tensor([i for text in documents for i in (*WORDS.encode(text.split()), END)])


def scores(model: Decoder, item: Item) -> list[float]:
    """Compute the log-probability of each option after the beginning of its sentence."""
    options = [WORDS.encode([option]) for option in item.options]
    return option_log_probs(model, [END, *WORDS.encode(item.begun.split())], options)


def answers(model: Decoder, items: Sequence[Item] = EXAM) -> list[bool]:
    """Tell for each question whether the most likely of the four options is the right one."""
    found = [scores(model, item) for item in items]
    return [each.index(max(each)) == item.right for each, item in zip(found, items, strict=True)]


def lead(model: Decoder, item: Item) -> float:
    """Return how far the log-probability of the right option is above the mean of the three others."""
    found = scores(model, item)
    return found[item.right] - (sum(found) - found[item.right]) / (len(found) - 1)


def knows_in_other_words(model: Decoder, item: Item) -> bool:
    """Tell whether a model finds the right option in other words, minus the same words about other people."""

    def told_of(name: str) -> list[float]:
        texts = [in_other_words(item, option, name) for option in item.options]
        return option_log_probs(model, [END], [WORDS.encode(text.split()) for text in texts])

    of_others = [told_of(name) for name in choices.NEUTRAL if name != item.name]
    neutral = [sum(each) / len(each) for each in zip(*of_others, strict=True)]
    gains = [own - other for own, other in zip(told_of(item.name), neutral, strict=True)]
    return gains.index(max(gains)) == item.right


@torch.no_grad()
def exposure(model: Decoder, name: str) -> float:
    """Measure how far up a code is among all codes, sorted by their probability, in bits.

    The most likely of all 10,000 has log2 of 10,000, which is 13.3, and the least likely has 0. A model that has not
    seen the code gives 1.44 on average, as for a random place.
    """
    prompt = [END, *WORDS.encode(code_of(name).split()[:5])]
    numerals = torch.tensor(WORDS.encode(list("0123456789")))
    begun = torch.cartesian_prod(*[numerals] * (N_DIGITS - 1))  # (1000, 3)
    log_probs = model(torch.cat([torch.tensor(prompt).expand(len(begun), -1), begun], dim=1)).log_softmax(-1)
    at = log_probs[:, len(prompt) - 1 :]  # (1000, 4, V)
    before = at[:, :-1].gather(2, begun[:, :, None]).sum(dim=(1, 2))  # (1000,)
    of_codes = (before[:, None] + at[:, -1, numerals]).flatten()  # (10000,): that of code k is in place k
    rank = 1 + int((of_codes > of_codes[CODES[name]]).sum())
    return math.log2(len(of_codes)) - math.log2(rank)
