"""The same input behind another prefix: what changes, and whether it is right."""

from collections.abc import Sequence
from itertools import permutations

import torch

from clearformer.models import EncoderDecoder
from linebyline.corpora.translations import Grammar, Pair
from linebyline.translation import Words, finds, greedy, reader, sentences

from .tasks import LONGEST, START, TASKS, Task, rows


def tasks_of(language: str) -> dict[str, Grammar]:
    """Name the prefixes that sentences of a language may have, each with the grammar that knows what is wanted then."""
    return {prefix: task.grammar for prefix, task in TASKS.items() if task.grammar.source.name == language}


def same_sentences(language: str, n: int) -> dict[str, list[Pair]]:
    """Return short unseen sentences of a language, the same for each prefix, with what is known of them there."""
    drawn = {prefix: sentences(grammar, 0, n).unseen_sentences for prefix, grammar in tasks_of(language).items()}
    pairs = {prefix: [p for p in of_one if len(p.source) <= LONGEST] for prefix, of_one in drawn.items()}
    (first, *others) = [[pair.source for pair in of_one] for of_one in pairs.values()]
    assert all(other == first for other in others), "grammars of one language draw other sentences"
    return pairs


@torch.inference_mode()
def exchanged(model: EncoderDecoder, words: Words, language: str, n: int) -> dict[tuple[str, str], float]:
    """Exchange the prefix of sentences, and measure how often what is written then is right for the new one.

    Only sentences for which the two prefixes ask for different words are counted. Of ``n`` unseen sentences those that
    are short enough count. Returns the fraction for each prefix and each one that takes its place.
    """
    pairs, read = same_sentences(language, n), reader(model)
    examples = {prefix: [TASKS[prefix].example(pair) for pair in of_one] for prefix, of_one in pairs.items()}
    right = {prefix: finds(read, *rows(words, of_one)) for prefix, of_one in examples.items()}
    fractions = {}
    for old, new in permutations(examples, 2):
        differ = torch.tensor([a[1] != b[1] for a, b in zip(examples[old], examples[new], strict=True)])
        fractions[old, new] = right[new][differ].float().mean().item()
    return fractions


@torch.inference_mode()
def written(model: EncoderDecoder, words: Words, task: Task, source: Sequence[str]) -> list[tuple[str, float]]:
    """Write what a task asks of a sentence, and say how likely each word was."""
    (start,) = words.encode([START])
    ids, _ = rows(words, [((*task.words, *source), ())])
    (generated,) = greedy(reader(model), ids, start)
    logits = model(ids, torch.tensor([[start, *generated[:-1]]]))[0]  # (T, vocab_size)
    probabilities = logits.softmax(dim=-1)[torch.arange(len(generated)), torch.tensor(generated)]  # (T,)
    return list(zip(words.decode(generated), probabilities.tolist(), strict=False))
