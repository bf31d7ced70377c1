"""Does our model use it that a text repeats itself? One layer of attention against two, on stretches read twice.

A stretch of unseen text is read after another stretch, after itself with its tokens shuffled, and after itself: the
difference between the last two losses is what the order of the first copy is worth. Two more models read a text in
which every stretch is written twice: they show whether a model of this size can learn to copy at all.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from linebyline import growing
from linebyline.growing.record import ALL

from .heads import look_back, made
from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

STAGE = "four heads"
LAYERS = (1, 2)
LONGER = 4  # times as many steps as the stage has
TWICE = 8, 32  # the shortest and the longest stretch that is written twice
HALF, STRETCHES = growing.WINDOW // 2, 512


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings: two layers with the steps of the stage, then both for longer, then on the doubled text."""
    yield from ({"n_layers": 2, "steps": ALL[STAGE].steps, "seed": seed} for seed in range(SEEDS))
    run = {"steps": LONGER * ALL[STAGE].steps, "seed": 0}
    yield from ({"n_layers": n_layers, **run} for n_layers in LAYERS)
    yield from ({"n_layers": n_layers, **run, "twice": True} for n_layers in LAYERS)


def written_twice(ids: Tensor) -> Tensor:
    """Return a text in which stretches of random length are written twice, one after another."""
    low, high = TWICE
    lengths = torch.randint(low, high + 1, (len(ids) // low,), generator=torch.Generator().manual_seed(6))
    ends = lengths.cumsum(0)
    stretches = torch.tensor_split(ids, ends[ends <= len(ids)])[:-1]
    return torch.cat([copy for stretch in stretches for copy in (stretch, stretch)])


@torch.no_grad()
def losses(model: nn.Module, unseen: Tensor) -> dict[str, float]:
    """Measure what the tokens of a stretch cost, in nats each: after another stretch, a shuffled copy, and itself.

    The first token of a stretch does not count, because no model can know it.
    """
    starts = torch.randint(len(unseen) - HALF + 1, (STRETCHES, 1), generator=torch.Generator().manual_seed(5))
    stretches = unseen[starts + torch.arange(HALF)]  # (n, HALF)
    order = torch.rand(stretches.shape, generator=torch.Generator().manual_seed(8)).argsort(dim=1)
    before = {"other": stretches.roll(1, dims=0), "shuffled": stretches.gather(1, order), "itself": stretches}
    found = dict[str, float]()
    for name, first in before.items():
        ids = torch.cat([first, stretches], dim=1)  # (n, WINDOW)
        each = F.cross_entropy(model(ids[:, :-1]).mT, ids[:, 1:], reduction="none")  # (n, WINDOW - 1)
        found[name] = rounded(each[:, HALF:].mean().item())
    return found


@torch.no_grad()
def without_each(model: nn.Sequential, unseen: Tensor) -> list[dict[str, float]]:
    """Measure the same without each head of the first layer, and how much weight it has on the token before."""
    windows = unseen.unfold(0, growing.WINDOW, growing.WINDOW)
    first = nn.Sequential(*list(model)[:3], model[-1])  # a model of one layer
    layer: Any = next(model[2].children())
    found = []
    columns = layer.w_o.weight.split(growing.D_MODEL // growing.N_HEADS, dim=1)  # nn.Linear has (out, in)
    for own, (_, one_back, *_) in zip(columns, look_back(first, windows), strict=True):
        kept = own.clone()
        own.zero_()
        found.append({"one_back": one_back, **losses(model, unseen)})
        own.copy_(kept)
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
        The first losses, the bits per byte on unseen text, and the losses on stretches of it, also without a head of
        the first layer.
    """
    run = prepared(setting, texts)
    first = [run.run(1)[0] for _ in progress(range(setting["steps"]))][:3]
    return {
        "first": [rounded(loss) for loss in first],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "losses": losses(run.model, run.text.unseen),
        "without": without_each(run.model, run.text.unseen),
    }


RECIPE = {"d_model": growing.D_MODEL, "n_heads": growing.N_HEADS, "half": HALF, "stretches": STRETCHES}
STUDY = Study("second_copy", RECIPE, list(settings()), lambda each: (each["steps"], 20), measure)
