"""How the base model of the small world is made to answer: all weights or few, on answers or on all tokens, rounded.

The chapter on assistants draws these runs. Each is tuned from the same base model on the same 240 pairs.
"""

import copy
import math
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder
from linebyline.assistant import chat, tuning
from linebyline.assistant.model import Recipe, base_model, continued_sums, text_loss
from linebyline.assistant.world import draw_sums
from linebyline.pretrained import rotary_decoder, zero_init

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 3
FULL_RATES = (1e-4, 3e-4, 1e-3, 3e-3)
#: Which tokens of the questions count besides the answers.
COUNTED = ({"names": True}, {"others": True}, {"names": True, "others": True})
#: The rates of LoRA with a rank, beside a row of old texts: many for rank 8, and one that suits it for the lower ranks.
RANKS = {1: (3e-2,), 2: (3e-2,), 4: (3e-2,), 8: (3e-4, 1e-3, 3e-3, 1e-2, 3e-2)}
ALONE = (1e-3, 3e-3, 1e-2)  # the rates of rank 8 without old texts
BEST, BEST_OF_RANK_8, BITS, TEXT_ROWS = 3e-4, 3e-3, (4, 3, 2), (1, 2, 4)
CUT = (1, 2, 4, 8, 16, 32, 64)  # ranks that the update of all weights is reduced to
LONGER = 1600  # steps, for rank 1


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings; what is left out is as usual."""
    for seed in range(SEEDS):
        yield from ({"rate": rate, "seed": seed} for rate in FULL_RATES)
        yield from ({"rate": BEST, **counted, "seed": seed} for counted in COUNTED)
        yield {"rate": BEST, "frozen table": True, **COUNTED[-1], "seed": seed}
        yield {"rate": BEST, "untrained": True, "seed": seed}
        yield from ({"text_rows": text_rows, "rate": BEST, "seed": seed} for text_rows in TEXT_ROWS)
        yield from ({"rank": 8, "rate": rate, "seed": seed} for rate in ALONE)
    for seed in range(SEEDS):  # beside a row of old texts, which makes runs more alike
        yield from ({"text_rows": 1, "rate": rate, "seed": seed} for rate in FULL_RATES if rate != BEST)
        yield {"text_rows": 1, "rate": BEST, "opened": True, "seed": seed}
        for rate in FULL_RATES[1:]:
            yield {"text_rows": 1, "rate": rate, "frozen table": True, "seed": seed}
        for rank, rates in RANKS.items():
            yield from ({"text_rows": 1, "rank": rank, "rate": rate, "seed": seed} for rate in rates)
        for bits in BITS:
            yield {"text_rows": 1, "bits": bits, "rank": 8, "rate": BEST_OF_RANK_8, "seed": seed}
    yield from ({"text_rows": 1, "rank": 1, "rate": 3e-2, "steps": LONGER, "seed": seed} for seed in range(SEEDS))


@cache
def started() -> Decoder:
    """Load the base model once."""
    return base_model()


def prepared(setting: Facts, texts: Texts | None = None) -> training.Trainer:
    """Make the trainer of a setting: of the whole model, or of what LoRA adds to it."""
    model = started()
    if "untrained" in setting:
        model = zero_init(rotary_decoder(Recipe().config(), torch.Generator().manual_seed(setting["seed"])))
    if "bits" in setting:
        model = tuning.rounded_to(model, setting["bits"])
    model = tuning.with_lora(model, setting["rank"], setting["seed"]) if "rank" in setting else copy.deepcopy(model)
    if "frozen table" in setting:
        model.embedding.table.requires_grad_(False)
    names = ("rate", "seed", "names", "others", "text_rows", "steps")
    return tuning.tuner(model.train(), **{name: setting[name] for name in names if name in setting})


def found(model: Decoder) -> dict[str, float]:
    """Measure answers about people and sums that no pair has, and what is left of the base model's texts."""
    sums = draw_sums(55, 200, held_out=True)
    return {
        **right(model),
        "text": rounded(text_loss(model)),
        "continued": rounded(continued_sums(model, sums)),
    }


def right(model: Decoder) -> dict[str, float]:
    """Measure answers about people and sums that no pair has."""
    return {
        "facts": rounded(chat.accuracy(model, chat.NEW_FACTS)),
        "sums": rounded(chat.accuracy(model, chat.NEW_SUMS)),
    }


@torch.no_grad()
def of_rank(base: Decoder, model: Decoder, rank: int) -> tuple[Decoder, float]:
    """Reduce what tuning has changed in each matrix of the blocks to its largest singular values.

    Returns:
        A copy of the tuned model, and the mean fraction of the squared numbers of an update that is left.
    """
    made, fractions = copy.deepcopy(model), []
    before = dict(base.blocks.named_parameters())
    for name, weight in made.blocks.named_parameters():
        if weight.ndim == 2:
            u, s, v = torch.linalg.svd(weight - before[name], full_matrices=False)
            weight.copy_(before[name] + u[:, :rank] * s[:rank] @ v[:rank])
            fractions.append((s[:rank].square().sum() / s.square().sum()).item())
    return made, sum(fractions) / len(fractions)


def opened(model: Decoder) -> dict[str, list[dict[str, float]]]:
    """Measure a tuned model again when its update is reduced to fewer ranks, and when its matrices are rounded."""
    cut = [(rank, *of_rank(started(), model, rank)) for rank in CUT]
    return {
        "cut": [{"rank": rank, "left": rounded(left), **right(made)} for rank, made, left in cut],
        "rounded": [{"bits": bits, **right(tuning.rounded_to(model, bits))} for bits in BITS],
    }


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Tune once, on the processor.

    Returns:
        The first losses, and what the tuned model can do, as ``found`` measures it; a run that breaks off does nothing.
    """
    run = prepared(setting)
    try:
        losses = [run.run(1)[0] for _ in progress(range(n_steps(setting)))]
    except FloatingPointError:
        return {"first": [], "facts": 0.0, "sums": 0.0, "text": math.inf, "continued": 0.0}
    model = cast(Decoder, run.model).eval()
    more = opened(model) if "opened" in setting else {}
    return {"first": [rounded(loss) for loss in losses[:3]], **found(model), **more}


def n_steps(setting: Facts) -> int:
    """Return how many steps a setting is tuned for."""
    return int(setting.get("steps", tuning.STEPS))


RECIPE = {"steps": tuning.STEPS, "batch": tuning.BATCH, "pairs": len(chat.PAIRS)}
STUDY = Study("answering", RECIPE, list(settings()), lambda each: (n_steps(each), 25), measure)
