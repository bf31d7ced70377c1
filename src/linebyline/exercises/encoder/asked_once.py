"""encoder.asked_once: how much of a text is asked for, with masks that stay and with masks that change."""

import torch

from clearformer.training import IGNORED, hide
from linebyline.exercises.core import Predict, Rng

COPIES, EPOCHS, T, ROWS = 4, 20, 40, 4000


def _shares(rng: Rng) -> tuple[float, float]:
    """Hide tokens of the same rows again and again, and note which of them were asked for at least once."""
    generator = torch.Generator().manual_seed(int(rng.integers(2**31)))
    ids, found = torch.full((ROWS, T), 7), []
    asked = torch.zeros(ids.shape, dtype=torch.bool)
    for epoch in range(EPOCHS):
        _, targets = hide(ids, 9, special=range(5), mask=4, generator=generator)
        asked |= targets != IGNORED
        if epoch + 1 in (COPIES, EPOCHS):
            found.append(asked.float().mean().item())
    return found[0], found[1]


EXERCISE = Predict(
    id="encoder.asked_once",
    title="Masks that stay and masks that change",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="a calculator",
    asks=("share asked for with masks that stay", "share asked for with masks that change"),
    compute=_shares,
    within=0.02,
    wrong_answers={
        "The second is right. But there are four copies, each with masks of its own.": (0.15, 0.961),
        "Shares of independent draws do not add up: some tokens are asked for twice.": (0.6, 1.0),
        "The first is right. But twenty draws leave out 0.85 to the power of 20.": (0.478, 1.0),
        "The second is right. But passes over a copy bring no new masks: the number of copies counts.": (0.961, 0.961),
        "These are the shares that are never asked for.": (0.522, 0.0388),
        "The first is right. The masks of the second change with each pass, not only with each copy.": (0.478, 0.478),
    },
)
