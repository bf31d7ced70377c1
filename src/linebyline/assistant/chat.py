"""Questions and answers in a template, what a model writes to a question, and whether it is right."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer.decoding import greedy_search, pipeline, sample
from clearformer.models import CachedDecoder, Decoder
from clearformer.training import IGNORE_INDEX

from .world import (
    ASKED,
    ASSISTANT,
    END,
    FACTS,
    NAMES,
    PAD,
    TOLD,
    USER,
    VALUES,
    WORDS,
    digits,
    draw_sums,
    sum_question,
    text_of,
)

LONGEST = 16  # tokens that an answer has at most
_shuffled = random.Random(3).sample(NAMES, len(NAMES))
TAUGHT, NOT_TAUGHT = tuple(_shuffled[:20]), tuple(_shuffled[20:])  # the people that pairs ask about, and the others


@dataclass(frozen=True)
class Pair:
    """A question with its answer, and with what a right answer has to contain."""

    question: str
    answer: str
    value: str  #: The value of the fact, or the digits of the sum
    kind: str  #: Of the fact, or "sum"

    def prompt(self) -> list[int]:
        """Write the question in the template, up to where the answer begins."""
        return [USER, *WORDS.encode(self.question.split()), END, ASSISTANT]

    def accepts(self, answer: Sequence[int]) -> bool:
        """Tell whether an answer ends, and names the right value and no other of its kind."""
        if END not in answer:
            return False
        words = text_of(answer).split()
        if self.kind == "sum":
            return " ".join(words).rpartition("=")[2].strip() == f"{self.value} ."
        return [word for word in words if word in VALUES[self.kind]] == [self.value]


def fact_pairs(names: Iterable[str]) -> list[Pair]:
    """Ask for each fact of some people in two ways, and answer in a full sentence.

    Example:
        >>> fact_pairs(["Dan"])[0]
        Pair(question='where does Dan live ?', answer='Dan lives in Cairo .', value='Cairo', kind='city')
    """
    return [
        Pair(asked.format(n=name), TOLD[kind][0].format(n=name, v=FACTS[name][kind]), FACTS[name][kind], kind)
        for name in names
        for kind in FACTS[name]
        for asked in ASKED[kind]
    ]


def sum_pair(a: int, b: int) -> Pair:
    """Ask for a sum, and answer with all of it.

    Example:
        >>> sum_pair(37, 48).answer
        '3 7 + 4 8 = 8 5 .'
    """
    return Pair(sum_question(a, b), f"{digits(a)} + {digits(b)} = {digits(a + b)} .", digits(a + b), "sum")


def sum_pairs(seed: int, n: int, *, held_out: bool = False) -> list[Pair]:
    """Ask for ``n`` sums that are in the texts, or for sums that are held out of them."""
    return [sum_pair(a, b) for a, b in draw_sums(seed, n, held_out=held_out)]


PAIRS = [*fact_pairs(TAUGHT), *sum_pairs(1, 80)]  # 240: what the assistant is tuned on
NEW_FACTS, NEW_SUMS = fact_pairs(NOT_TAUGHT), sum_pairs(55, 200, held_out=True)  # what it is tested on


def rows(pairs: Iterable[tuple[Sequence[int], str]]) -> tuple[Int[Tensor, "n T"], Int[Tensor, "n T"]]:
    """Write prompts and their answers as inputs and targets, of which only the answers count.

    Example:
        >>> inputs, targets = rows([([USER, END, ASSISTANT], "Rome ."), ([USER, ASSISTANT], ".")])
        >>> (targets != IGNORE_INDEX).tolist()
        [[False, False, True, True, True], [False, True, True, False, False]]
    """
    both = [(list(prompt), [*WORDS.encode(answer.split()), END]) for prompt, answer in pairs]
    longest = max(len(prompt) + len(answer) for prompt, answer in both)
    ids = torch.full((len(both), longest), PAD)
    counted = torch.zeros_like(ids, dtype=torch.bool)
    for row, (prompt, answer) in enumerate(both):
        end = len(prompt) + len(answer)
        ids[row, :end] = torch.tensor(prompt + answer)
        counted[row, len(prompt) : end] = True
    return ids[:, :-1], ids.where(counted, IGNORE_INDEX)[:, 1:]


def counting(
    inputs: Int[Tensor, "n T"], targets: Int[Tensor, "n T"], *, names: bool, others: bool
) -> Int[Tensor, "n T"]:
    """Return targets that count tokens of the questions, too: the names of people, the other tokens, or both."""
    shifted = torch.cat([inputs[:, 1:], targets[:, -1:]], dim=1)
    is_name = torch.isin(shifted, torch.tensor(WORDS.encode(NAMES)))
    counted = (targets != IGNORE_INDEX) | (is_name & names) | (~is_name & (shifted != PAD) & others)
    return shifted.masked_fill(~counted, IGNORE_INDEX)


def greedy(model: Decoder, prompts: Sequence[Sequence[int]], n: int = LONGEST) -> list[list[int]]:
    """Write the most likely next token again and again, after each of some prompts."""
    return greedy_search(CachedDecoder(model), prompts, n, stop_ids=[END])


def draws(
    model: Decoder,
    prompts: Sequence[Sequence[int]],
    generator: torch.Generator,
    *,
    tau: float = 1.0,
    n: int = LONGEST,
) -> list[list[int]]:
    """Sample an answer to each of some prompts, at a temperature."""
    options = {"generator": generator, "processor": pipeline(tau=tau), "stop_ids": [END]}
    return sample(CachedDecoder(model), prompts, n, **options)  # type: ignore[arg-type]


def fraction_right(answers: Iterable[Sequence[int]], pairs: Sequence[Pair]) -> float:
    """Return the fraction of answers that are right by the rule."""
    return sum(pair.accepts(answer) for pair, answer in zip(pairs, answers, strict=True)) / len(pairs)


def accuracy(model: Decoder, pairs: Sequence[Pair]) -> float:
    """Measure the fraction of questions that a model answers right with greedy search."""
    return fraction_right(greedy(model, [pair.prompt() for pair in pairs]), pairs)
