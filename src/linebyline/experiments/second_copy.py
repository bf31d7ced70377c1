"""Does our model use it that a text repeats itself? One layer of attention against two, on stretches read twice.

A stretch of unseen text is read after itself, or after another stretch: tokens and positions are the same in both
cases, so the difference in loss is what the first copy is worth.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from linebyline import growing
from linebyline.growing.record import ALL

from .heads import made
from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

STAGE = "four heads"
LAYERS = (1, 2)
LONGER = 4  # times as many steps, for the first seed
HALF, STRETCHES = growing.WINDOW // 2, 512


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next, and the longer runs at the end."""
    for seed in range(SEEDS):
        yield from ({"n_layers": n_layers, "steps": ALL[STAGE].steps, "seed": seed} for n_layers in LAYERS)
    yield from ({"n_layers": n_layers, "steps": LONGER * ALL[STAGE].steps, "seed": 0} for n_layers in LAYERS)


@torch.no_grad()
def losses(model: nn.Module, unseen: Tensor) -> dict[str, float]:
    """Measure what the tokens of a stretch cost, in nats each: read first, after another stretch, and after itself.

    The first token of a stretch does not count, because no model can know it.
    """
    starts = torch.randint(len(unseen) - HALF + 1, (STRETCHES, 1), generator=torch.Generator().manual_seed(5))
    stretches = unseen[starts + torch.arange(HALF)]  # (n, HALF)
    found = dict[str, float]()
    for name, before in {"other": stretches.roll(1, dims=0), "itself": stretches}.items():
        ids = torch.cat([before, stretches], dim=1)  # (n, WINDOW)
        each = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], reduction="none")  # (n, WINDOW - 1)
        found |= {"first": rounded(each[:, : HALF - 1].mean().item()), name: rounded(each[:, HALF:].mean().item())}
    return found


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Sequential]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, seed = growing.text(), setting["seed"]
    return Prepared(
        made(growing.N_HEADS, text.vocab_size, seed, setting["n_layers"]), text, setting["steps"], ALL[STAGE].rate, seed
    )


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the bits per byte on unseen text, and the losses on stretches of it.
    """
    run = prepared(setting, texts)
    first = [run.run(1)[0] for _ in progress(range(setting["steps"]))][:3]
    return {
        "first": [rounded(loss) for loss in first],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "losses": losses(run.model, run.text.unseen),
    }


RECIPE = {"d_model": growing.D_MODEL, "n_heads": growing.N_HEADS, "half": HALF, "stretches": STRETCHES}
STUDY = Study("second_copy", RECIPE, list(settings()), lambda each: (each["steps"], 20), measure)
