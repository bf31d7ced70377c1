"""The role of each word in its sentence, predicted from its own state or from one state of the whole sentence."""

import copy
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import LinearHead
from clearformer.tokenizers import WordPieceTokenizer
from clearformer.training import IGNORE_INDEX
from linebyline.corpora import ROLES, words_and_roles
from linebyline.masked_language_model import CLS, PAD, SEP, MaskedLanguageModel, untrained

from . import features

STEPS, LONGER, BATCH, PEAK = 100, 400, 16, 1e-3
Progress = Callable[[Iterable[int]], Iterable[int]]


class Tagged(NamedTuple):
    """Sentences as rows of ids, (n, T), and for each word its row, the place of its first token, and its role, (m,)."""

    ids: Int[Tensor, "n T"]
    rows: Int[Tensor, " m"]
    places: Int[Tensor, " m"]
    roles: Int[Tensor, " m"]


def tagged(tokenizer: WordPieceTokenizer, n: int, seed: int) -> Tagged:
    """Draw sentences, cut their words into tokens, and note where each word begins."""
    draw, ids, words = random.Random(seed), list[Tensor](), list[tuple[int, int, int]]()
    for row in range(n):
        tokens = [CLS]
        for word, role in zip(*words_and_roles(draw), strict=True):
            words.append((row, len(tokens), ROLES.index(role)))
            tokens += tokenizer.encode(word)
        ids.append(torch.tensor([*tokens, SEP]))
    return Tagged(nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=PAD), *torch.tensor(words).T)


@torch.no_grad()
def word_vectors(trained: MaskedLanguageModel, sentences: Tagged) -> dict[str, Float[Tensor, "m d_model"]]:
    """Return the vectors of each word that a probe reads, by their names."""
    ids, rows, places, _ = sentences
    states = features.hidden_states(trained.model, ids, PAD)  # (n, T, d_model)
    table = trained.model.get_parameter("embedding.table")[ids[rows, places]]
    mean = features.masked_mean(states, ids != PAD)
    return {
        "the word's row of the table": table,
        "the word's own state": states[rows, places],
        "the state of [CLS]": states[rows, 0],
        "the mean of all states": mean[rows],
    }


def right(trained: MaskedLanguageModel, known: Tagged, unseen: Tagged) -> dict[str, float]:
    """Measure the fraction of words whose role a linear probe of each vector predicts right."""
    learned, judged = word_vectors(trained, known), word_vectors(trained, unseen)
    return {
        name: features.probe((learned[name], known.roles), (judged[name], unseen.roles), len(ROLES)) for name in learned
    }


def tagger(trained: MaskedLanguageModel, known: Tagged, *, steps: int = STEPS, seed: int = 0) -> training.Trainer:
    """Make the trainer of a copy of the model with a linear head that predicts a role from each state."""
    model, generator = copy.deepcopy(trained.model), torch.Generator().manual_seed(seed)
    model.head = LinearHead(trained.record.recipe.d_model, len(ROLES), bias=True, generator=generator)
    targets = torch.full_like(known.ids, IGNORE_INDEX)
    targets[known.rows, known.places] = known.roles

    def draw(generator: torch.Generator) -> training.Batch:
        chosen = torch.randint(len(targets), (BATCH,), generator=generator)
        T = int((known.ids[chosen] != PAD).sum(dim=1).max())
        return known.ids[chosen, :T], targets[chosen, :T]

    def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
        ids, targets = batch
        return training.cross_entropy(model(ids, mask=ids != PAD), targets, ignore_index=IGNORE_INDEX)

    schedule = training.warmup_cosine(PEAK, steps // 10, steps)
    return training.Trainer(model, draw, schedule, generator=generator, loss=loss)


@torch.no_grad()
def tagged_right(model: nn.Module, unseen: Tagged) -> float:
    """Measure the fraction of words whose role a trained tagger predicts right."""
    ids, rows, places, roles = unseen
    predicted = torch.cat([model(part, mask=part != PAD).argmax(dim=-1) for part in torch.split(ids, 64)])  # (n, T)
    return (predicted[rows, places] == roles).float().mean().item()


def compare(
    trained: MaskedLanguageModel, seeds: Iterable[int], progress: Callable[[str], Progress] = lambda name: iter
) -> dict[str, Any]:
    """Train taggers from the trained weights and from random ones, with several seeds."""
    known, unseen = (tagged(trained.tokenizer, n, seed) for n, seed in ((300, 0), (150, 1)))
    longer = f"from scratch, {LONGER} steps"
    found: dict[str, list[float]] = {"fine-tuned": [], "from scratch": [], longer: []}
    for seed in seeds:
        fresh = untrained(trained.record.recipe.config(), torch.Generator().manual_seed(seed))
        drawn = replace(trained, model=fresh)
        runs = (("fine-tuned", trained, STEPS), ("from scratch", drawn, STEPS), (longer, drawn, LONGER))
        for name, start, steps in runs:
            made = tagger(start, known, steps=steps, seed=seed)
            made.run(steps, progress(f"{name}, seed {seed}"))
            found[name].append(tagged_right(made.model.eval(), unseen))
    return {"steps": STEPS, "found": found}


def commonest(roles: Sequence[int] | Tensor) -> float:
    """Return the fraction of the role that most words have."""
    counts = torch.as_tensor(roles).bincount()
    return (counts.max() / counts.sum()).item()
