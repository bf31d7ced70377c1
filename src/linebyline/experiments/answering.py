"""How the base model of the small world is made to answer: all weights or few, on answers or on all tokens, rounded.

The chapter on assistants draws these runs. Each is tuned from the same base model on the same 240 pairs.
"""

import copy
import math
import re
from collections.abc import Iterator
from functools import cache
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder
from linebyline.assistant import chat, tuning
from linebyline.assistant.model import Recipe, base_model, continued_sums, text_loss
from linebyline.assistant.world import draw_sums, text_of
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
OTHER_RATE = 1e-2  # of the ranks 2 and 4, between that of rank 8 and that of rank 1
LESS = 2e-4  # between two rates of all weights
LOOKED_AT = tuple(range(0, tuning.STEPS + 1, 50))  # steps at which a run is tested on its way

#: Controls, each with all seeds.
MORE: tuple[dict[str, Any], ...] = (
    {"text_rows": 1, "rank": 8, "rate": BEST_OF_RANK_8, "opened": True},
    {"rate": BEST, "frozen table": True},
    {"rate": BEST, "watched": True},
    *({"text_rows": 1, "rank": rank, "rate": OTHER_RATE} for rank in (2, 4)),
    {"rate": LESS},
)
#: More controls of LoRA: twice as many steps without old texts; a row of old texts that does not tell about the people
#: who are asked about; the update of all weights but the table.
TWICE, TABLE_RATE = 800, 3e-3
UNTOLD = {"text_rows": 1, "untold": True, "rank": 8, "rate": BEST_OF_RANK_8}
MORE_OF_LORA: tuple[dict[str, Any], ...] = (
    {"rank": 8, "rate": 1e-3, "steps": TWICE},
    {"rate": LESS, "steps": TWICE},
    {**UNTOLD, "bits": 2},
    {"text_rows": 1, "rate": TABLE_RATE, "frozen table": True, "opened": True},
    UNTOLD,
    {**UNTOLD, "bits": 3},
)


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
    for more in MORE:
        yield from ({**more, "seed": seed} for seed in range(SEEDS))
    for more in MORE_OF_LORA:
        yield from ({**more, "seed": seed} for seed in range(SEEDS))


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
    options: dict[str, Any] = {name: setting[name] for name in names if name in setting}
    if "untold" in setting:
        options["without"] = chat.NOT_TAUGHT
    return tuning.tuner(model.train(), **options)


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


@torch.no_grad()
def kept_beside(tuned: Decoder) -> dict[str, list[dict[str, float]]]:
    """Merge a model that LoRA has tuned, and measure it with its base rounded and its update left as it is."""
    training.merge_lora(tuned)
    before, after = (dict(model.blocks.named_parameters()) for model in (started(), tuned))
    measured = []
    for bits in BITS:
        made = tuning.rounded_to(started(), bits)
        for name, weight in made.blocks.named_parameters():
            weight.add_(after[name] - before[name])
        measured.append({"bits": bits, **right(made)})
    return {"rounded": measured}


def looked_at(model: Decoder) -> dict[str, Any]:
    """Measure a model that is being tuned, and what it writes when asked for sums.

    Returns:
        The fractions of right answers, how many sums are right for the numbers that were written, and how many of
        these numbers are those of the question, each of all sums that are asked for; and one of the answers.
    """
    model.eval()
    texts = [text_of(ids) for ids in chat.greedy(model, [pair.prompt() for pair in chat.NEW_SUMS])]
    found = {
        "taught": rounded(chat.accuracy(model, chat.fact_pairs(chat.TAUGHT))),
        **right(model),
        "added": rounded(sum(map(adds_up, texts)) / len(texts)),
        "copied": rounded(sum(map(copies, texts, chat.NEW_SUMS)) / len(texts)),
        "written": texts[1],
    }
    model.train()
    return found


def adds_up(text: str) -> bool:
    """Tell whether a sum is right for the two numbers that are written in it.

    Example:
        >>> adds_up("3 9 + 1 1 = 5 0 ."), adds_up("3 9 + 1 1 = 6 0 ."), adds_up("Tina has a dog .")
        (True, False, False)
    """
    parts = re.fullmatch(r"(\d+)\+(\d+)=(\d+)\.", text.replace(" ", ""))
    return parts is not None and int(parts[1]) + int(parts[2]) == int(parts[3])


def copies(text: str, pair: chat.Pair) -> bool:
    """Tell whether an answer begins with the two numbers of the question.

    Example:
        >>> copies("3 7 + 4 8 = 9 9 .", chat.sum_pair(37, 48))
        True
    """
    return text.startswith(pair.answer.partition("=")[0])


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Tune once, on the processor.

    Returns:
        The first losses, and what the tuned model can do, as ``found`` measures it; a run that breaks off does nothing.
    """
    run = prepared(setting)
    try:
        losses, seen = [], []
        for step in progress(range(n_steps(setting))):
            if "watched" in setting and step in LOOKED_AT:
                seen.append({"step": step, **looked_at(cast(Decoder, run.model))})
            losses += run.run(1)
    except FloatingPointError:
        return {"first": [], "facts": 0.0, "sums": 0.0, "text": math.inf, "continued": 0.0}
    model = cast(Decoder, run.model).eval()
    more: dict[str, Any] = {}
    if "opened" in setting:
        more = kept_beside(model) if "rank" in setting else opened(model)
    if "watched" in setting:
        more = {"on the way": [*seen, {"step": n_steps(setting), **looked_at(model)}]}
        model.eval()
    return {"first": [rounded(loss) for loss in losses[:3]], **found(model), **more}


def n_steps(setting: Facts) -> int:
    """Return how many steps a setting is tuned for."""
    return int(setting.get("steps", tuning.STEPS))


RECIPE = {"steps": tuning.STEPS, "batch": tuning.BATCH, "pairs": len(chat.PAIRS)}
STUDY = Study("answering", RECIPE, list(settings()), lambda each: (n_steps(each), 25), measure)
