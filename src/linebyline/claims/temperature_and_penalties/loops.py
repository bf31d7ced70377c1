"""Claims on repetition loops, on a chain of characters: no weights are needed to see one."""

from functools import cache

import numpy as np
import torch

from clearformer.decoding import greedy_search, sample
from linebyline.claims.core import Claim

START = "The "
LENGTH = 400


@cache
def _pairs() -> tuple[str, torch.Tensor]:
    """The characters of a text, and how often each follows each, with 0.01 added, (V, V)."""
    text = " ".join(str(np.__doc__).split())
    alphabet = "".join(sorted(set(text)))
    number = {character: i for i, character in enumerate(alphabet)}
    ids = torch.tensor([number[character] for character in text])
    counts = torch.full((len(alphabet), len(alphabet)), 0.01, dtype=torch.float64)
    counts.index_put_((ids[:-1], ids[1:]), torch.ones(len(ids) - 1, dtype=torch.float64), accumulate=True)
    return alphabet, counts


def _next_logits(ids: torch.Tensor) -> torch.Tensor:
    return _pairs()[1][ids[:, -1]].log()


def _prompt() -> list[list[int]]:
    return [[_pairs()[0].index(character) for character in START]]


def _repeated(ids: list[int], n: int = 4) -> float:
    """The share of n-grams that came before."""
    grams = list(zip(*(ids[i:] for i in range(n)), strict=False))
    return 1 - len(set(grams)) / len(grams)


def _loops() -> str:
    (greedy,) = greedy_search(_next_logits, _prompt(), LENGTH)
    (drawn,) = sample(_next_logits, _prompt(), LENGTH, generator=torch.Generator().manual_seed(0))
    shares = f"greedy {_repeated(greedy):.2f}, drawn {_repeated(drawn):.2f}"
    return f"bigrams of characters, share of 4-grams that came before: {shares}"


def _no_feedback() -> str:
    (greedy,) = greedy_search(_next_logits, _prompt(), LENGTH)
    period = greedy[::-1].index(greedy[-1], 1)
    loop = "".join(_pairs()[0][i] for i in greedy[-period:])
    log_p = _next_logits(torch.tensor(greedy)[:, None]).log_softmax(dim=-1).amax(dim=-1)  # of each choice
    second, last = (log_p[start:][:period].sum().exp().item() for start in (period, LENGTH - period))
    return f"greedy bigrams of characters repeat {loop!r}: the second round has p = {second:.3f}, the last {last:.3f}"


LOOPS = Claim(
    id="004.loops-in-search",
    document="004",
    section="sec-loops",
    topic="temperature_and_penalties",
    statement="Models fall into loops, and more often under greedy and beam search than when drawing.",
    verdict="holds",
    finding="For greedy search and drawing: even the simplest model shows it.",
    measure=_loops,
)
FEEDBACK = Claim(
    id="004.loop-by-feedback",
    document="004",
    section="sec-loops",
    topic="temperature_and_penalties",
    statement="A loop is a feedback: a phrase that was chosen becomes context and makes itself more probable.",
    verdict="depends",
    finding="In a Transformer it can be. A model that sees one token back has no such feedback and loops all the same.",
    measure=_no_feedback,
)
