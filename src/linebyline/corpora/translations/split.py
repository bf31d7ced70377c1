"""Sentences to train on, new sentences, and new combinations of a verb and an object."""

import hashlib
import random
from collections.abc import Sequence
from typing import NamedTuple

from .grammar import Grammar, Pair

HELD_OUT = 0.1
_BOUND = int(HELD_OUT * 2**256)


class Split(NamedTuple):
    """Three lists of pairs in which no sentence occurs twice."""

    train: list[Pair]
    unseen_sentences: list[Pair]
    unseen_combinations: list[Pair]


def is_held_out(words: Sequence[str]) -> bool:
    """Return whether a hash keeps these words from training: one sentence, or one verb with its object, in ten.

    Example:
        >>> is_held_out(("visit", "Africa")), is_held_out(("love", "ice cream"))
        (False, False)
    """
    return int.from_bytes(hashlib.sha256(" + ".join(words).encode()).digest(), "big") < _BOUND


def translation_split(grammar: Grammar, n_train: int, n_validation: int, seed: int) -> Split:
    """Draw pairs to train on and two kinds of new ones: new sentences, and new combinations of verb and object.

    The same words are held out for every seed: validation sentences are new to a model trained with any other. There
    are ``n_train`` pairs to train on and ``n_validation`` of each other kind; in a new combination both words occur in
    training, but not together.
    """
    generator = random.Random(seed)
    split, wanted = Split([], [], []), (n_train, n_validation, n_validation)
    seen: set[tuple[str, ...]] = set()
    while any(len(pairs) < n for pairs, n in zip(split, wanted, strict=True)):
        pair = grammar.draw(generator)
        kind = 2 if any(map(is_held_out, pair.combinations)) else int(is_held_out(pair.source))
        if len(split[kind]) < wanted[kind] and pair.source not in seen:
            seen.add(pair.source)
            split[kind].append(pair)
    return split
