"""Five tasks as text: a prefix says what is wanted, and what is wanted is words again."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Int
from torch import Tensor

from clearformer import training
from linebyline.corpora.translations import ENGLISH_PLURAL, ENGLISH_SWEDISH, FRENCH_ENGLISH, Grammar, Pair, is_held_out
from linebyline.translation import GRAMMARS, Words, padded, sentences

LONGEST = 12  # words of the sentences that are trained on, the full stop among them
SENTINELS = tuple(f"<extra_id_{i}>" for i in range(8))
Example = tuple[tuple[str, ...], tuple[str, ...]]  # words to read, words to write


@dataclass(frozen=True)
class Task:
    """What to do with a sentence."""

    prefix: str  #: Says it in words, before the sentence
    grammar: Grammar  #: Makes the sentences
    write: Callable[[Pair], tuple[str, ...]]  #: What is wanted of a sentence, given with its translation
    longest: int = LONGEST  #: Words that a sentence has at most, its full stop among them

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The prefix in words."""
        return tuple(self.prefix.replace(":", " :").split())

    def example(self, pair: Pair) -> Example:
        """Put the prefix before a sentence, and give what is to be written."""
        return (*self.words, *pair.source), self.write(pair)

    def draw(self, generator: random.Random) -> Pair:
        """Draw a sentence to train on, so none that is held out from the translators either."""
        while True:
            pair = self.grammar.draw(generator)
            held_out = is_held_out(pair.source) or any(map(is_held_out, pair.combinations))
            if len(pair.source) <= self.longest and not held_out:
                return pair

    def unseen(self, n: int) -> list[Pair]:
        """Return short sentences that no training run reads: of ``n`` new ones and ``n`` new combinations."""
        _, *unseen = sentences(self.grammar, 0, n)
        return [pair for part in unseen for pair in part if len(pair.source) <= self.longest]


def translation(pair: Pair) -> tuple[str, ...]:
    """Write the sentence as the other language of its grammar says it."""
    return pair.target


def _but_the_full_stop(change: Callable[[Sequence[str]], Sequence[str]]) -> Callable[[Pair], tuple[str, ...]]:
    return lambda pair: (*change(pair.source[:-1]), pair.source[-1])


TASKS = {
    task.prefix: task
    for task in (
        Task("translate English to Swedish:", ENGLISH_SWEDISH, translation),
        Task("translate French to English:", FRENCH_ENGLISH, translation),
        Task("plural:", ENGLISH_PLURAL, translation),
        Task("reverse:", ENGLISH_SWEDISH, _but_the_full_stop(lambda words: words[::-1])),
        Task(
            "sort:", ENGLISH_SWEDISH, _but_the_full_stop(lambda words: sorted(words, key=lambda w: (w.casefold(), w)))
        ),
    )
}
# What takes longest has two shares: another order of the words, and that of the alphabet, as no word shows its letters.
MIXTURE = (*TASKS.values(), TASKS["translate English to Swedish:"], TASKS["sort:"])
START = "<start>"


def vocabulary() -> Words:
    """Collect all tokens: what serves, sentinels, the words of the prefixes, and those of the sentences.

    Example:
        >>> words = vocabulary()
        >>> words.tokens[:4], len(words)
        (('<pad>', '<end>', '<start>', '<extra_id_0>'), 1160)
    """
    spoken = [token for token in Words.of(GRAMMARS).tokens if token[0] != "<"]
    of_prefixes = {word for task in TASKS.values() for word in task.words}
    return Words(("<pad>", "<end>", START, *SENTINELS, *sorted(of_prefixes - set(spoken)), *spoken))


def rows(words: Words, examples: Sequence[Example]) -> tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]:
    """Write examples as rows of ids, all targets begun by the same token: the prefix alone says what is wanted."""
    return padded(words, words.encode([START])[0], examples)


def batches(words: Words, tasks: Sequence[Task], *, batch: int) -> training.Batches:
    """Draw sentences that were never there before, as many for each task; a task listed twice gets twice as many."""

    def draw(generator: torch.Generator) -> training.Batch:
        drawn = seeded(generator)
        return rows(words, [task.example(task.draw(drawn)) for task in tasks for _ in range(batch // len(tasks))])

    return draw


def seeded(generator: torch.Generator) -> random.Random:
    """Make a generator for the grammars, which draw the same with every Python, by one of PyTorch's."""
    return random.Random(int(torch.randint(2**62, (), generator=generator)))
