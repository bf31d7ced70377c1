"""Does our model use it that a text repeats itself? One layer of attention against two, on stretches read twice.

A stretch of unseen text is read after itself, or after another stretch: tokens and positions are the same in both
cases, so the difference in loss is what the first copy is worth. Two more models read a text in which every
stretch is written twice: they show whether a model of this size can learn to copy at all.
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
TWICE = 8, 32  # the shortest and the longest stretch that is written twice
HALF, STRETCHES = growing.WINDOW // 2, 512


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next, then the longer runs and those on a doubled text."""
    steps = ALL[STAGE].steps
    for seed in range(SEEDS):
        yield from ({"n_layers": n_layers, "steps": steps, "seed": seed} for n_layers in LAYERS)
    yield from ({"n_layers": n_layers, "steps": LONGER * steps, "seed": 0} for n_layers in LAYERS)
    yield from ({"n_layers": n_layers, "steps": LONGER * steps, "seed": 0, "twice": True} for n_layers in (2, 1))


def written_twice(ids: Tensor) -> Tensor:
    """Return a text in which stretches of random length are written twice, one after another."""
    low, high = TWICE
    lengths = torch.randint(low, high + 1, (len(ids) // low,), generator=torch.Generator().manual_seed(6))
    ends = lengths.cumsum(0)
    stretches = torch.tensor_split(ids, ends[ends <= len(ids)])[:-1]
    return torch.cat([copy for stretch in stretches for copy in (stretch, stretch)])


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
    if setting.get("twice"):
        text = text._replace(read=written_twice(text.read))
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
