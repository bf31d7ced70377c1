"""Who uses whom? Sentences in which the same words mean opposite things, so that counting words cannot tell."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import torch
from torch import nn

from linebyline.encoder.few_labels import Lines, classifier, counting, right, steps_for, trainer
from linebyline.masked_language_model import PAD, MaskedLanguageModel, sequence

ONE = "function"  # the question is whether this one uses the other
KNOWN = ("array", "matrix", "vector", "class", "object", "method", "value", "number")
UNSEEN = ("string", "list", "axis", "index", "module", "file", "data", "table")
TIMES = 3  # how many more steps the longer training runs have
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


def lines(trained: MaskedLanguageModel, others: Sequence[str]) -> Lines:
    """Return the sentences as rows of ids, with their answers."""
    texts, answers = zip(*sentences(others), strict=True)
    rows = [sequence(trained.tokenizer, text, context=64)[0] for text in texts]
    return Lines(nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD), torch.tensor(answers))


def compare(
    trained: MaskedLanguageModel, seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter
) -> dict[str, Any]:
    """Train classifiers from the trained weights and from random ones, and count words beside."""
    known, unseen = lines(trained, KNOWN), lines(trained, UNSEEN)
    runs = (("pre-trained", True, 1), ("from scratch", False, 1), ("from scratch, longer", False, TIMES))
    found: dict[str, list[float]] = {name: [] for name, _, _ in runs}
    for seed in seeds:
        for name, start, times in runs:
            model = classifier(trained, seed, start=start)
            made = trainer(model, known, seed, times)
            made.run(times * steps_for(len(known.ids)), progress(f"{name}, seed {seed}"))
            found[name].append(right(model.eval(), unseen))
    by_counting = counting(known, unseen, trained.record.recipe.vocab_size)
    return {"known": len(known.ids), "unseen": len(unseen.ids), "found": found, "counting": by_counting}
