"""search.by_hand: what greedy search, two beams and three beams find on a small tree."""

import math

import torch

from clearformer.decoding import beam_search
from linebyline.exercises.core import Predict, Rng

FIRST = (0.5, 0.3, 0.2)
ENDINGS = ((0.25, 0.25, 0.25, 0.25), (0.6, 0.4, 0.0, 0.0), (0.95, 0.05, 0.0, 0.0))


def _found(rng: Rng) -> list[float]:
    """Search the tree with one, two and three beams, whatever the numbers of its words are."""
    words, endings = rng.permutation(4), rng.permutation(4)  # three first words, and one that never comes
    first, second = torch.zeros(4, dtype=torch.float64), torch.full((4, 4), 0.25, dtype=torch.float64)
    first[words[:3]] = torch.tensor(FIRST, dtype=torch.float64)
    second[words[:3]] = torch.tensor(ENDINGS, dtype=torch.float64)[:, endings]

    def next_logits(ids: torch.Tensor) -> torch.Tensor:
        return (first[None] if ids.shape[1] == 1 else second[ids[:, -1]]).log()

    return [
        math.exp(beam_search(next_logits, [0], 2, n_beams=n_beams, length_penalty=0.0)[0].score)
        for n_beams in (1, 2, 3)
    ]


EXERCISE = Predict(
    id="search.by_hand",
    title="Three searches by hand",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="pen and paper",
    asks=("greedy search", "two beams", "three beams"),
    compute=_found,
    within=0.01,
    wrong_answers={
        "Two beams keep the two likeliest first words, and c is not one of them.": [0.125, 0.19, 0.19],
        "The third is not right: of three beams, each keeps a first word of its own.": [0.125, 0.18, 0.18],
        "Greedy search chooses the first word before it has seen an ending.": [0.19, 0.19, 0.19],
        "The continuations of all beams compete; a second beam is not there for its own sake.": [0.125, 0.125, 0.125],
        "These are the first words; a sentence has an ending, too.": [0.5, 0.3, 0.2],
        "These are the endings alone; a sentence begins with a first word, too.": [0.25, 0.6, 0.95],
    },
)
