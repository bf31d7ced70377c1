"""A trained encoder practices on the left side alone: is it the right side that it misses, or practice?"""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from clearformer.training import IGNORE_INDEX
from linebyline.masked_language_model import CLS, MASK, SEP, MaskedLanguageModel, loss, passages

SIDES = {"left": (20, 0), "both": (10, 10)}  # how many tokens are read before and after the one that is hidden
STEPS, BATCH, PEAK, WARMUP = 800, 64, 1e-3, 50
MARGIN, EVERY = (45, 70), 12  # how far from the ends of a text a token is asked for, and every which line
Progress = Callable[[Iterable[int]], Iterable[int]]


def around(ids: Int[Tensor, " n"], places: Int[Tensor, " B"], left: int, right: int) -> training.Batch:
    """Cut out what is around some tokens, frame it, and hide the tokens.

    Example:
        >>> read, asked = around(torch.arange(10, 20), torch.tensor([4]), 2, 1)
        >>> read.tolist(), asked.tolist()
        ([[2, 12, 13, 4, 15, 3]], [[-100, -100, -100, 14, -100, -100]])
    """
    rows = ids[places[:, None] + torch.arange(-left, right + 1)]  # (B, left + 1 + right)
    first, last = (rows.new_full((len(rows), 1), token) for token in (CLS, SEP))
    read = torch.cat([first, rows, last], dim=1)
    asked = torch.full_like(read, IGNORE_INDEX)
    asked[:, left + 1], read[:, left + 1] = ids[places], MASK
    return read, asked


def asked_for(ids: Int[Tensor, " n"], starts: Int[Tensor, " n_lines"]) -> Int[Tensor, " m"]:
    """Return the places of an unseen text at which a token is asked for, one in every few lines."""
    before, after = MARGIN
    places = starts[(starts > before) & (starts < len(ids) - after)][::EVERY] + 40
    return places[ids[places] > MASK]  # not a special token


@torch.no_grad()
def costs(model: nn.Module, ids: Int[Tensor, " n"], places: Int[Tensor, " m"], sides: str) -> Float[Tensor, " m"]:
    """Measure what each hidden token costs, in nats, if the model reads these sides of it."""
    read, asked = around(ids, places, *SIDES[sides])
    logits = model(read)[asked != IGNORE_INDEX]  # (m, vocab_size)
    return nn.functional.cross_entropy(logits, ids[places], reduction="none")


def compare(
    kept: MaskedLanguageModel,
    corpus: tuple[str, str],
    seeds: Iterable[int],
    progress: Callable[[str], Progress] = lambda name: iter,
) -> dict[str, Any]:
    """Let copies of the model practice on one side or on both, and measure what a token costs from either."""
    (ids, _), (unseen, starts) = (passages(kept.tokenizer, text) for text in corpus)
    ordinary, places = (ids > MASK).nonzero().squeeze(1), asked_for(unseen, starts)
    ordinary = ordinary[(ordinary >= MARGIN[0]) & (ordinary < len(ids) - MARGIN[1])]

    def measured(model: nn.Module) -> dict[str, float]:
        return {sides: costs(model.eval(), unseen, places, sides).mean().item() for sides in SIDES}

    found: dict[str, list[dict[str, float]]] = {"none": [measured(kept.model)]}
    for seed in seeds:
        for practiced, sides in SIDES.items():

            def draw(generator: torch.Generator, sides: tuple[int, int] = sides) -> training.Batch:
                return around(ids, ordinary[torch.randint(len(ordinary), (BATCH,), generator=generator)], *sides)

            model = copy.deepcopy(kept.model).train()
            schedule, generator = training.warmup_cosine(PEAK, WARMUP, STEPS), torch.Generator().manual_seed(seed)
            run = training.Trainer(model, draw, schedule, generator=generator, loss=loss)
            run.run(STEPS, progress(f"practice on {practiced}, seed {seed}"))
            found.setdefault(practiced, []).append(measured(model))
    return {"steps": STEPS, "places": len(places), "found": found}
