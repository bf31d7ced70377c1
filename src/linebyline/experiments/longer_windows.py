"""What does a little training on longer windows do for the language model, with its rotations slowed or not?

The kept model was trained on windows of 256 tokens. Here it is trained a little more on windows of 1,024, with the
speeds of its rotations as they were or changed first. The control gets as many tokens, in windows of 256.
"""

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any, cast

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer import training
from clearformer.models import Decoder
from clearformer.nn import RotaryEncoding
from linebyline import pretrained
from linebyline.pretrained import Recipe

from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

SEEDS = 3
CONTEXT, WINDOW = 256, 1024  # of the first training run, and of the second
N_WINDOWS = 16  # of unseen text
PART = 128  # tokens over which a loss is averaged
FACTOR = WINDOW // CONTEXT
LOW, HIGH = 1, 4  # turns in a window of 256 tokens, the ends of the ramp
BASE, LARGER_BASE = 10_000.0, 500_000.0
STOPS = (0, 50, 200)  # steps after which the loss is measured; only the first seed goes beyond the second stop
RECIPE = Recipe(context=WINDOW, batch=1, steps=STOPS[-1], peak=5e-4, warmup=20)
KINDS = ("as trained", "slow pairs only", "larger base", "short windows")


def speeds(kind: str, d_k: int = 32) -> Float[Tensor, " d_k/2"]:
    """Return the angle of each pair of features for one token.

    Example:
        >>> [round(speeds(kind)[-1].item() * 1e4, 2) for kind in ("as trained", "slow pairs only", "larger base")]
        [1.78, 0.44, 0.05]
    """
    powers = torch.arange(0, d_k, 2, dtype=torch.float64) / d_k  # (d_k / 2,)
    if kind == "larger base":
        return LARGER_BASE**-powers
    trained = BASE**-powers
    if kind != "slow pairs only":
        return trained
    turns = CONTEXT * trained / (2 * torch.pi)
    left = ((turns - LOW) / (HIGH - LOW)).clamp(0, 1)
    return (left + (1 - left) / FACTOR) * trained


def slowed(kind: str) -> Decoder:
    """Return the kept model with the speeds of a kind, ready for windows of 1,024 tokens."""
    model = pretrained.language_model().model.float()
    angles = torch.arange(WINDOW)[:, None] * speeds(kind)  # (WINDOW, d_k / 2)
    for rotary in {module for module in model.modules() if isinstance(module, RotaryEncoding)}:
        rotary.cos, rotary.sin = angles.cos().float(), angles.sin().float()
    return model


def stops(setting: Facts) -> tuple[int, ...]:
    """Return the steps after which a run is measured; it ends at the last one.

    Example:
        >>> stops({"kind": "as trained", "seed": 0}), stops({"kind": "as trained", "seed": 1})
        ((0, 50, 200), (0, 50))
    """
    return STOPS if setting["seed"] == 0 else STOPS[:2]


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, seed by seed."""
    for seed in range(SEEDS):
        yield from ({"kind": kind, "seed": seed} for kind in KINDS)


def prepared(setting: Facts, texts: Texts) -> training.Trainer:
    """Make the trainer of a setting; with one seed all kinds with long windows read the same ones."""
    recipe = replace(RECIPE, seed=setting["seed"])
    if setting["kind"] == "short windows":
        recipe = replace(recipe, context=CONTEXT, batch=FACTOR)
    return pretrained.trainer(recipe, texts.read, start=lambda *_: slowed(setting["kind"]))


@torch.no_grad()
def by_place(model: Decoder, ids: Int[Tensor, " n"], *, forget: bool) -> list[float]:
    """Return the loss in each 128 places of the windows; to forget is to see only the last 128 to 255 tokens."""
    windows = ids[: N_WINDOWS * (WINDOW + 1)].view(N_WINDOWS, WINDOW + 1)
    if forget:
        pieces = [windows[:, start : start + 2 * PART + 1] for start in range(0, WINDOW - PART, PART)]
        return [rounded(_losses(model, piece)[:, PART:].mean().item()) for piece in pieces]
    losses = torch.cat([_losses(model, part) for part in torch.split(windows, 2)])  # (N_WINDOWS, WINDOW)
    return [rounded(each.item()) for each in losses.view(N_WINDOWS, -1, PART).mean(dim=(0, 2))]


def _losses(model: Decoder, windows: Int[Tensor, "n T+1"]) -> Float[Tensor, "n T"]:
    logits = model(windows[:, :-1]).transpose(1, 2)  # (n, V, T)
    return torch.nn.functional.cross_entropy(logits, windows[:, 1:], reduction="none")


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train a little, on the processor, and return the loss by place at each stop."""
    made, forget = prepared(setting, texts), setting["kind"] == "short windows"
    model = cast(Decoder, made.model)
    found: dict[str, Any] = {"first": []}
    at = stops(setting)
    for before, stop in zip((0, *at), at, strict=False):
        losses = made.run(stop - before, progress)
        found["first"] = found["first"] or [rounded(loss) for loss in losses[:3]]
        found[str(stop)] = by_place(model.eval(), texts.unseen, forget=forget)
        model.train()
    return found


STUDY = Study("longer_windows", asdict(RECIPE), list(settings()), lambda each: (stops(each)[-1], 400), measure)
