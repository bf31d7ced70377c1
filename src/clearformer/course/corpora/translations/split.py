"""Sentences to train on, sentences that were not, and verbs with objects that never met in training."""

import hashlib
import random
from typing import NamedTuple

from clearformer.course.corpora.translations.grammar import Grammar, Pair

HELD_OUT = 0.1


class Split(NamedTuple):
    """Three lists of pairs in which no sentence stands twice."""

    train: list[Pair]
    unseen_sentences: list[Pair]
    unseen_combinations: list[Pair]


def is_held_out(combination: tuple[str, str]) -> bool:
    """Whether a verb and its object are kept from training: one combination in ten, by a hash of the two.

    Example:
        >>> is_held_out(("visit", "Africa")), is_held_out(("love", "ice cream"))
        (False, False)
    """
    drawn = int(hashlib.sha256(" + ".join(combination).encode()).hexdigest(), 16)
    return drawn < HELD_OUT * 2**256


def translation_split(grammar: Grammar, n_train: int, n_validation: int, seed: int) -> Split:
    """Draw pairs to train on and two kinds of new ones: new sentences, and new combinations of verb and object.

    Args:
        grammar: what to draw from.
        n_train: Number of pairs to train on. None of them has a combination that is held out.
        n_validation: Number of pairs of either kind to validate on. In those of the second kind a verb meets an object
            that it never meets in training, while both stand there in other company.
        seed: Decides on the sentences, not on the combinations. More pairs to train on are the same ones and others,
            and those to validate on stay.

    Raises:
        ValueError: A number is not positive.

    Example:
        >>> from clearformer.course.corpora.translations import FRENCH_ENGLISH
        >>> [len(pairs) for pairs in translation_split(FRENCH_ENGLISH, 50, 10, seed=0)]
        [50, 10, 10]
    """
    if n_train < 1 or n_validation < 1:
        raise ValueError(f"n_train={n_train} and n_validation={n_validation} must be positive")
    generator = random.Random(seed)
    seen: set[tuple[str, ...]] = set()
    known: list[Pair] = []
    new: list[Pair] = []
    while len(known) < n_train + n_validation or len(new) < n_validation:
        pair = grammar.draw(generator)
        if pair.source not in seen:
            seen.add(pair.source)
            (new if any(map(is_held_out, pair.combinations)) else known).append(pair)
    return Split(known[n_validation:][:n_train], known[:n_validation], new[:n_validation])
