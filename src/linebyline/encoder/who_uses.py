"""Who uses whom? Sentences in which the same words mean opposite things, so that counting words cannot tell.

In the short sentences three neighbors tell it. In the others new words keep the telling ones apart.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from itertools import product
from typing import Any

import torch
from torch import nn

from linebyline.encoder.few_labels import Lines, classifier, counting, right, steps_for, trainer
from linebyline.masked_language_model import PAD, MaskedLanguageModel, sequence

ONE = "function"  # the question is whether this one uses the other
KNOWN = ("array", "matrix", "vector", "class", "object", "method", "value", "number")
UNSEEN = ("string", "list", "axis", "index", "module", "file", "data", "table")
# Adverbs and adjectives that keep the nouns and the verb apart; those of the test are not among the known ones.
KNOWN_BETWEEN = (("often", "usually", "also", "always"), ("new", "large", "simple", "special"))
UNSEEN_BETWEEN = (("sometimes", "now", "generally", "still"), ("small", "common", "old", "second"))
TIMES = 3  # how many more steps the longer training runs have
TIMES_APART = 2  # and those on sentences whose words are kept apart
Progress = Callable[[Iterable[int]], Iterable[int]]


def sentences(others: Sequence[str], one: str = ONE) -> list[tuple[str, int]]:
    """Write four sentences on each pair, with 1 if the one uses the other.

    Example:
        >>> for sentence, answer in sentences(["list"]):
        ...     print(answer, sentence)
        1 The function uses the list.
        0 The list uses the function.
        1 The list is used by the function.
        0 The function is used by the list.
    """
    return [
        each
        for other in others
        for each in (
            (f"The {one} uses the {other}.", 1),
            (f"The {other} uses the {one}.", 0),
            (f"The {other} is used by the {one}.", 1),
            (f"The {one} is used by the {other}.", 0),
        )
    ]


def apart(others: Sequence[str], between: tuple[Sequence[str], Sequence[str]], one: str = ONE) -> list[tuple[str, int]]:
    """Write the same four sentences with an adverb before the verb and an adjective before the last noun.

    Example:
        >>> for sentence, answer in apart(["list"], (["often"], ["new"])):
        ...     print(answer, sentence)
        1 The function often uses the new list.
        0 The list often uses the new function.
        1 The list often is used by the new function.
        0 The function often is used by the new list.
    """
    pairs = product(others, zip(*between, strict=True))
    return [
        (f"The {first} {adverb} {verb} the {adjective} {last}.", answer)
        for other, (adverb, adjective) in pairs
        for first, verb, last, answer in (
            (one, "uses", other, 1),
            (other, "uses", one, 0),
            (other, "is used by", one, 1),
            (one, "is used by", other, 0),
        )
    ]


def votes(known: Sequence[tuple[str, int]], unseen: Sequence[tuple[str, int]], n: int) -> list[float]:
    """Let the runs of ``n`` neighbors of each unseen sentence vote as in naive Bayes: above 0 is a yes, 0 is a tie.

    Example:
        >>> said = sentences(["list"])
        >>> [round(vote, 2) for vote in votes(said, said, 1)], [vote > 0 for vote in votes(said, said, 3)]
        ([0.0, 0.0, 0.0, 0.0], [True, False, True, False])
    """
    seen = Counter((answer, run) for sentence, answer in known for run in _runs(sentence, n))
    return [
        sum(math.log((seen[1, run] + 1) / (seen[0, run] + 1)) for run in _runs(sentence, n)) for sentence, _ in unseen
    ]


def _runs(sentence: str, n: int) -> list[tuple[str, ...]]:
    words = sentence.lower().replace(".", " .").split()
    return list(zip(*(words[i:] for i in range(n)), strict=False))


def lines(trained: MaskedLanguageModel, said: Sequence[tuple[str, int]]) -> Lines:
    """Return the sentences as rows of ids, with their answers."""
    texts, answers = zip(*said, strict=True)
    rows = [sequence(trained.tokenizer, text, context=64)[0] for text in texts]
    return Lines(nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD), torch.tensor(answers))


def compare(
    trained: MaskedLanguageModel, seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter
) -> dict[str, Any]:
    """Train classifiers from the trained weights and from random ones, and count words beside."""
    known, unseen = (lines(trained, sentences(others)) for others in (KNOWN, UNSEEN))
    runs = (("pre-trained", True, 1), ("from scratch", False, 1), ("from scratch, longer", False, TIMES))
    found: dict[str, list[float]] = {name: [] for name, _, _ in runs}
    for seed in seeds:
        for name, start, times in runs:
            found[name].append(
                _right_after(trained, (known, unseen), (seed, start, times), progress(f"{name}, {seed}"))
            )
    by_counting = counting(known, unseen, trained.record.recipe.vocab_size)
    return {"known": len(known.ids), "unseen": len(unseen.ids), "found": found, "counting": by_counting}


def compare_apart(
    trained: MaskedLanguageModel, seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter
) -> dict[str, Any]:
    """Train classifiers in the same way on sentences whose telling words are kept apart."""
    known, unseen = lines(trained, apart(KNOWN, KNOWN_BETWEEN)), lines(trained, apart(UNSEEN, UNSEEN_BETWEEN))
    found: dict[str, list[float]] = {"pre-trained": [], "from scratch": []}
    for seed in seeds:
        for name in found:
            run = (seed, name == "pre-trained", TIMES_APART)
            found[name].append(_right_after(trained, (known, unseen), run, progress(f"apart, {name}, {seed}")))
    return {"known": len(known.ids), "unseen": len(unseen.ids), "found": found}


def _right_after(
    trained: MaskedLanguageModel, data: tuple[Lines, Lines], run: tuple[int, bool, int], progress: Progress
) -> float:
    """Train one classifier, and measure the fraction of the unseen sentences that it answers right."""
    (known, unseen), (seed, start, times) = data, run
    model = classifier(trained, seed, start=start)
    trainer(model, known, seed, times).run(times * steps_for(len(known.ids)), progress)
    return right(model.eval(), unseen)
