"""A small world in which every answer can be checked: forty people with four facts each, and sums of two numbers.

Texts about it are what the base model learns to continue: tales of people, sums, and lists of questions without their
answers. Words are tokens, and so are single digits.
"""

import hashlib
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain

import torch
from jaxtyping import Int
from torch import Tensor

from linebyline.translation import Words


def listed(words: str) -> tuple[str, ...]:
    """Return the words of a line."""
    return tuple(words.split())


NAMES = listed(
    "Dan Eve Adam Ann Ben Cleo Carl Dora Emil Fay Finn Gina Hugo Ida Ivan Jane Karl Kate Leo Lena "
    "Max Mia Nils Nora Omar Olga Paul Pia Ralf Rosa Sam Sara Tom Tina Udo Ulla Vic Vera Will Zoe"
)
WOMEN = frozenset(NAMES[1::2])
VALUES: Mapping[str, tuple[str, ...]] = {
    "city": listed("Rome Paris Oslo Lund Bern Cairo Lima Delhi Kyoto Quito"),
    "food": listed("rice soup pasta bread fish cake cheese pizza beans salad plums eggs"),
    "pet": listed("dog cat horse parrot rabbit hamster goat turtle"),
    "job": listed("doctor baker teacher painter pilot farmer singer lawyer driver cook"),
}
THINGS = listed("pears apples books coins stamps shells cards stones")
#: How a fact is told; the first is the wording of an answer.
TOLD: Mapping[str, tuple[str, ...]] = {
    "city": ("{n} lives in {v} .", "the house of {n} is in {v} .", "{n} comes from {v} ."),
    "food": ("{n} eats {v} every day .", "{n} loves {v} .", "the favorite food of {n} is {v} ."),
    "pet": ("{n} has a {v} .", "{n} plays with a {v} .", "the pet of {n} is a {v} ."),
    "job": ("{n} works as a {v} .", "{n} is a {v} .", "the job of {n} is {v} ."),
}
OF_ONE_NAMED_BEFORE = {
    "city": "{n} lives in {v} .", "food": "{n} loves {v} .", "pet": "{n} has a {v} .", "job": "{n} works as a {v} ."
}  # fmt: skip
ASKED: Mapping[str, tuple[str, ...]] = {
    "city": ("where does {n} live ?", "where is the house of {n} ?"),
    "food": ("what does {n} eat ?", "what is the favorite food of {n} ?"),
    "pet": ("which pet does {n} have ?", "what is the pet of {n} ?"),
    "job": ("what is the job of {n} ?", "what does {n} work as ?"),
}
SUMS = ("{a} + {b} = {c} .", "{a} + {b} = {c} .", "{a} and {b} make {c} .",
        "{n} has {a} {t} and buys {b} more . now {n} has {c} {t} .")  # fmt: skip
ASIDES = ("it rains today .", "the sun shines .", "they are friends .", "they meet in the park .",
          "they talk about the day .", "then they go home .", "{n} smiles .", "{n} sings a song .")  # fmt: skip
OTHER_WORDS = listed("he she I think or not no sorry")
PAD, END, USER, ASSISTANT = range(4)
SPECIAL = ("<pad>", "<end>", "<user>", "<assistant>")
#: How often each kind of text is drawn.
MIXTURE = {"tales": 0.25, "sums": 0.6, "questions": 0.15}


def _facts() -> dict[str, dict[str, str]]:
    draw = random.Random(7)
    return {name: {kind: draw.choice(values) for kind, values in VALUES.items()} for name in NAMES}


FACTS = _facts()


def vocabulary() -> Words:
    """Collect the tokens: four special ones, digits, and words."""
    texts = chain(*TOLD.values(), *ASKED.values(), OF_ONE_NAMED_BEFORE.values(), SUMS, ASIDES)
    words = {word for text in texts for word in text.split() if "{" not in word}
    words |= {*NAMES, *THINGS, *OTHER_WORDS, *"0123456789", *chain(*VALUES.values())}
    return Words((*SPECIAL, *sorted(words)))


WORDS = vocabulary()


def digits(n: int) -> str:
    """Write a number with spaces between its digits, each of which is a token.

    Example:
        >>> digits(85)
        '8 5'
    """
    return " ".join(str(n))


def is_held_out(a: int, b: int) -> bool:
    """Tell whether a sum is in no text: a fifth of all, chosen by a hash of its two numbers."""
    return int(hashlib.md5(f"{a}+{b}".encode(), usedforsecurity=False).hexdigest(), 16) % 5 == 0


def draw_sum(generator: random.Random, *, held_out: bool = False) -> tuple[int, int]:
    """Draw two numbers of two digits whose sum is in the texts, or one that is held out of them."""
    while True:
        a, b = generator.randint(10, 99), generator.randint(10, 99)
        if is_held_out(a, b) == held_out:
            return a, b


def draw_sums(seed: int, n: int, *, held_out: bool = False) -> list[tuple[int, int]]:
    """Draw the numbers of ``n`` sums."""
    generator = random.Random(seed)
    return [draw_sum(generator, held_out=held_out) for _ in range(n)]


def question(generator: random.Random, name: str | None = None, kind: str | None = None) -> str:
    """Draw a question about a fact of a person, or about a given one."""
    name, kind = name or generator.choice(NAMES), kind or generator.choice(list(ASKED))
    return generator.choice(ASKED[kind]).format(n=name)


def sum_question(a: int, b: int) -> str:
    """Ask for a sum.

    Example:
        >>> sum_question(37, 48)
        'what is 3 7 + 4 8 ?'
    """
    return f"what is {digits(a)} + {digits(b)} ?"


def tales(generator: random.Random) -> str:
    """Tell a few facts of one person or several."""
    sentences = []
    for name in generator.sample(NAMES, generator.choice([1, 2, 2, 3])):
        for i, kind in enumerate(generator.sample(list(TOLD), generator.choice([1, 2, 3]))):
            value = FACTS[name][kind]
            if i and generator.random() < 0.5:
                pronoun = "she" if name in WOMEN else "he"
                sentences.append(OF_ONE_NAMED_BEFORE[kind].format(n=pronoun, v=value))
            else:
                sentences.append(generator.choice(TOLD[kind]).format(n=name, v=value))
        if generator.random() < 0.5:
            sentences.append(generator.choice(ASIDES).format(n=name))
    return " ".join(sentences)


def sums(generator: random.Random) -> str:
    """Write one to three sums, in digits or as a tale of somebody who buys things."""
    sentences = []
    for _ in range(generator.choice([1, 2, 3])):
        a, b = draw_sum(generator)
        facts = {"a": digits(a), "b": digits(b), "c": digits(a + b)}
        name, thing = generator.choice(NAMES), generator.choice(THINGS)
        sentences.append(generator.choice(SUMS).format(**facts, n=name, t=thing))
    return " ".join(sentences)


def questions(generator: random.Random) -> str:
    """Write a list of questions without answers, as an exercise sheet has them."""
    n = generator.choice([2, 3, 4])
    return " ".join(
        question(generator) if generator.random() < 0.7 else sum_question(*draw_sum(generator)) for _ in range(n)
    )


KINDS = {"tales": tales, "sums": sums, "questions": questions}


def texts(
    generator: random.Random, mixture: Mapping[str, float] = MIXTURE, *, without: Collection[str] = ()
) -> Iterator[str]:
    """Draw texts without end, of the kinds that a mixture names, each as often as it says.

    Tales that name one of the people ``without`` are left out, so that no text tells a fact of theirs.
    """
    while True:
        (kind,) = generator.choices(list(mixture), list(mixture.values()))
        text = KINDS[kind](generator)
        if kind != "tales" or set(without).isdisjoint(text.split()):
            yield text


def stream(
    seed: int, n: int, mixture: Mapping[str, float] = MIXTURE, *, without: Collection[str] = ()
) -> Int[Tensor, " n"]:
    """Draw texts and write their first ``n`` tokens one after the other, with the end token after each text.

    Tales of the people ``without`` are left out.

    Example:
        >>> " ".join(WORDS.tokens[i] for i in stream(1, 12, {"sums": 1.0}))
        '7 0 + 9 3 = 1 6 3 . <end> 1'
    """
    ids: list[int] = []
    for text in texts(random.Random(seed), mixture, without=without):
        ids += [*WORDS.encode(text.split()), END]
        if len(ids) >= n:
            return torch.tensor(ids[:n])
    raise AssertionError("there is no last text")


def text_of(ids: Sequence[int]) -> str:
    """Return the words of an answer, up to the token that ends it.

    Example:
        >>> text_of([*WORDS.encode("Dan lives in Rome .".split()), END, PAD])
        'Dan lives in Rome .'
    """
    return " ".join(WORDS.decode(ids))
