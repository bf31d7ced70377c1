"""Which section of a docstring does a line come from? Learned from few labels, with pre-training and without."""

import copy
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from clearformer.models import ClassificationHead, Encoder
from clearformer.tokenizers import WordPieceTokenizer
from linebyline.masked_language_model import MASK, PAD, MaskedLanguageModel, sequence, untrained

SECTIONS = ("Parameters", "Returns", "Notes", "References")
SIZES = (10, 100, 1000)
SEEDS = {10: 20, 100: 5, 1000: 5}  # draws of the labels of each size: fewer labels leave more to luck
UNSEEN = 320  # lines to judge by, from files that nobody has read
WORDS = 4  # that a line has at least
LONGEST = 32  # tokens of a line that are read
STEPS, PASSES = 80, 4  # at least, of a training run
BATCH, PEAK, WARMUP = 16, 1e-3, 8
LONGER, TIMES = 1000, 3  # labels of the training runs from scratch that are repeated with more steps, and how many more
Progress = Callable[[Iterable[int]], Iterable[int]]
_SECTION = re.compile(r"(\w+)\n-{3,}\n(.+)", re.DOTALL)


class Lines(NamedTuple):
    """Lines as rows of ids, (n, T), and the number of the section that each comes from, (n,)."""

    ids: Int[Tensor, "n T"]
    labels: Int[Tensor, " n"]


def lines(text: str) -> list[list[str]]:
    r"""Find the lines of each section in paragraphs that begin with its name, each line once.

    Example:
        >>> found = lines("Returns\n-------\ny : ndarray of floats here\nshort\n\nNotes\n-----\nThis is a note here.\n")
        >>> [len(of_section) for of_section in found], found[1]
        ([0, 1, 1, 0], ['y : ndarray of floats here'])
    """
    sections: dict[str, dict[str, None]] = {name: {} for name in SECTIONS}
    for paragraph in text.split("\n\n"):
        match = _SECTION.match(paragraph)
        if match and match[1] in sections:
            long = (line.strip() for line in match[2].splitlines() if len(line.split()) >= WORDS)
            sections[match[1]].update(dict.fromkeys(long))
    return [list(of_section) for of_section in sections.values()]


def parted(texts: tuple[str, str]) -> tuple[list[list[str]], list[list[str]]]:
    """Find the lines of a known text and of an unseen one; of the latter, those that are not in the first."""
    known, unseen = lines(texts[0]), lines(texts[1])
    read = {line for of_section in known for line in of_section}
    return known, [[line for line in of_section if line not in read] for of_section in unseen]


def sample(tokenizer: WordPieceTokenizer, found: Sequence[Sequence[str]], n: int, generator: torch.Generator) -> Lines:
    """Sample lines, nearly as many of each section, in random order."""
    picked = []
    for number, of_section in enumerate(found):
        of_each = len(range(number, n, len(found)))
        order = torch.randperm(len(of_section), generator=generator)[:of_each].tolist()
        picked += [(of_section[i], number) for i in order]
    picked = [picked[i] for i in torch.randperm(n, generator=generator).tolist()]
    rows = [_row(tokenizer, line) for line, _ in picked]
    ids = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD)
    return Lines(ids, torch.tensor([label for _, label in picked]))


def _row(tokenizer: WordPieceTokenizer, line: str) -> Int[Tensor, " T"]:
    ids, _ = sequence(tokenizer, line, context=10_000)
    return torch.cat([ids[: LONGEST - 1], ids[-1:]]) if len(ids) > LONGEST else ids


def classifier(trained: MaskedLanguageModel, seed: int, *, start: bool) -> Encoder:
    """Return the model with a new classification head: as it was trained, or as it was before training."""
    config, generator = trained.record.recipe.config(), torch.Generator().manual_seed(seed)
    model = copy.deepcopy(trained.model) if start else untrained(config, generator)
    model.head = ClassificationHead(config.d_model, len(SECTIONS), generator=generator)
    return model


def loss(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
    """Compute the mean cross-entropy of the sections of lines."""
    ids, labels = batch
    return training.cross_entropy(model(ids, mask=ids != PAD), labels)


def steps_for(n: int) -> int:
    """Return the number of steps of a training run on ``n`` lines."""
    return max(STEPS, PASSES * n // BATCH)


def trainer(model: Encoder, known: Lines, seed: int, times: int = 1) -> training.Trainer:
    """Make the trainer of a classifier on a few lines, for some times the usual steps."""

    def draw(generator: torch.Generator) -> training.Batch:
        chosen = torch.randint(len(known.ids), (BATCH,), generator=generator)
        ids = known.ids[chosen]
        return ids[:, : int((ids != PAD).sum(dim=1).max())], known.labels[chosen]

    schedule = training.warmup_cosine(PEAK, WARMUP, times * steps_for(len(known.ids)))
    return training.Trainer(model, draw, schedule, generator=torch.Generator().manual_seed(seed), loss=loss)


@torch.no_grad()
def right(model: Encoder, unseen: Lines) -> float:
    """Measure the fraction of lines whose section is predicted right."""
    parts = zip(torch.split(unseen.ids, 64), torch.split(unseen.labels, 64), strict=True)
    hits = torch.cat([model(ids, mask=ids != PAD).argmax(dim=-1) == labels for ids, labels in parts])
    return hits.float().mean().item()


def counting(known: Lines, unseen: Lines, vocab_size: int) -> float:
    """Measure the fraction of lines whose section naive Bayes predicts right, which counts tokens and reads no order.

    Each section has a probability for each token, counted in the known lines, where every count starts at 1.

    Example:
        >>> known = Lines(torch.tensor([[2, 5, 3], [2, 6, 3]]), torch.tensor([0, 1]))
        >>> counting(known, Lines(torch.tensor([[2, 6, 7, 3], [2, 5, 3, 0]]), torch.tensor([1, 0])), 8)
        1.0
    """
    counts = torch.ones(len(SECTIONS), vocab_size)
    for ids, label in zip(*known, strict=True):
        counts[label] += ids[ids > MASK].bincount(minlength=vocab_size)
    log_p = (counts / counts.sum(dim=1, keepdim=True)).log()  # (n_sections, V)
    votes = log_p[:, unseen.ids] * (unseen.ids > MASK)  # (n_sections, n, T)
    scores = votes.sum(dim=-1)  # (n_sections, n)
    return (scores.argmax(dim=0) == unseen.labels).float().mean().item()


def compare(
    trained: MaskedLanguageModel,
    texts: tuple[str, str],
    progress: Callable[[str], Progress] = lambda name: iter,
) -> dict[str, Any]:
    """Train classifiers on few and on many labels from both starts, with several seeds, and count tokens beside."""
    known, judged = parted(texts)
    unseen = sample(trained.tokenizer, judged, UNSEEN, torch.Generator().manual_seed(0))
    rates: dict[str, list[list[float]]] = {
        name: [[] for _ in SIZES] for name in ("pre-trained", "from scratch", "counting")
    }
    for size, n in enumerate(SIZES):
        for seed in range(SEEDS[n]):
            labelled = sample(trained.tokenizer, known, n, torch.Generator().manual_seed(seed))
            for name in ("pre-trained", "from scratch"):
                model = classifier(trained, seed, start=name == "pre-trained")
                trainer(model, labelled, seed).run(steps_for(n), progress(f"{name}, {n} labels, seed {seed}"))
                rates[name][size].append(right(model.eval(), unseen))
            rates["counting"][size].append(counting(labelled, unseen, trained.record.recipe.vocab_size))
    longer = []
    for seed in range(SEEDS[LONGER]):
        labelled = sample(trained.tokenizer, known, LONGER, torch.Generator().manual_seed(seed))
        model = classifier(trained, seed, start=False)
        trainer(model, labelled, seed, TIMES).run(TIMES * steps_for(LONGER), progress(f"longer, seed {seed}"))
        longer.append(right(model.eval(), unseen))
    steps = [steps_for(n) for n in SIZES]
    return {"sizes": SIZES, "steps": steps, "unseen": UNSEEN, "found": rates, "longer": longer}
