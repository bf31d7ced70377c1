"""What planted answers and repeated pages do to a small model that is trained from scratch, with and without copies.

The chapter on evaluation draws these runs.
"""

from collections.abc import Iterator
from typing import Any, cast

import torch

from clearformer import training
from clearformer.models import Decoder, GPT2Config
from linebyline.assistant import planted
from linebyline.pretrained import rotary_decoder, zero_init

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 5
N_TOKENS, BATCH, LENGTH, STEPS = 550_000, 12, 64, 800
PEAK, WARMUP = 5e-3, 50
SIZES = {"d_model": 64, "n_heads": 4, "n_layers": 2}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings: the texts as they are, or without near-duplicates."""
    for seed in range(SEEDS):
        yield {"seed": seed}
        yield {"seed": seed, "deduplicated": True}


def documents(setting: Facts) -> list[str]:
    """Return the texts of a setting."""
    drawn = planted.corpus(setting["seed"], N_TOKENS)
    return planted.without_near_duplicates(drawn) if "deduplicated" in setting else drawn


def prepared(setting: Facts, texts: Texts | None = None) -> training.Trainer:
    """Make the trainer of a setting."""
    ids = planted.stream(documents(setting))
    config = GPT2Config(len(planted.WORDS), 128, **SIZES, d_ff=4 * SIZES["d_model"], activation="gelu")
    generator = torch.Generator().manual_seed(setting["seed"])
    return training.Trainer(
        zero_init(rotary_decoder(config, generator)),
        training.token_windows(ids, batch=BATCH, length=LENGTH),
        training.warmup_cosine(PEAK, WARMUP, STEPS),
        generator=generator,
    )


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the number of texts, and for each number of copies: which questions of the exam are answered
        right, how far the right option is above the others, which are right in other words, and the exposure of codes.
    """
    run = prepared(setting)
    losses = [run.run(1)[0] for _ in progress(range(STEPS))]
    model = cast(Decoder, run.model).eval()
    right, lead, turned, exposed = {}, {}, {}, {}
    for copies, names in planted.groups(setting["seed"]).items():
        items = [item for item in planted.EXAM if item.name in names]
        right[str(copies)] = [int(each) for each in planted.answers(model, items)]
        lead[str(copies)] = [rounded(planted.lead(model, item)) for item in items]
        turned[str(copies)] = [int(planted.knows_in_other_words(model, item)) for item in items]
        exposed[str(copies)] = [rounded(planted.exposure(model, name)) for name in names]
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "last": rounded(sum(losses[-50:]) / 50),
        "texts": len(documents(setting)),
        "right": right,
        "lead": lead,
        "in other words": turned,
        "exposure": exposed,
    }


RECIPE = {"tokens": N_TOKENS, "steps": STEPS, "batch": BATCH, "length": LENGTH, "peak": PEAK, **SIZES}
STUDY = Study("contamination", RECIPE, list(settings()), lambda each: (STEPS, 30), measure)
