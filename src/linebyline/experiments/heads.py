"""How many heads should our model have? The same width divided among 1, 4 and 16 of them.

The stage "one head" has no output matrix; here a single head has one, so that all models have the same number of
parameters. Besides bits per byte, a run has how far back each head looks.
"""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn

from linebyline import growing
from linebyline.growing.record import ALL
from linebyline.our_model import Heads, Residual

from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

N_HEADS = (1, 4, 16)
STAGE = "four heads"
NEAR = 5  # distances of which the mean weight is kept, from 0


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    for seed in range(SEEDS):
        yield from ({"n_heads": n_heads, "seed": seed} for n_heads in N_HEADS)


def made(n_heads: int, vocab_size: int, seed: int, n_layers: int = 1) -> nn.Sequential:
    """Make our model with some number of heads, in one layer or several."""
    heads: Callable[[int, int], nn.Module] = Heads  # the page's code has no types
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return nn.Sequential(
            nn.Embedding(vocab_size, growing.D_MODEL),
            Residual(growing.Positions(growing.WINDOW, growing.D_MODEL)),
            *(Residual(heads(growing.D_MODEL, n_heads)) for _ in range(n_layers)),
            nn.Linear(growing.D_MODEL, vocab_size),
        )


@torch.no_grad()
def look_back(model: nn.Sequential, windows: Tensor) -> list[list[float]]:
    """Measure the mean weight that each head puts on the token itself, on the one before it, and so on.

    Only tokens count that have all of these before them.
    """
    *before, layer, _ = model
    x = nn.Sequential(*before)(windows)  # (B, T, d_model)
    heads: Any = next(part for part in layer.children())
    found = []
    for head in heads.heads:
        q, k = head.w_q(x), head.w_k(x)  # (B, T, d_k) each
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, T, T)
        future = torch.ones_like(scores).triu(1).bool()
        weights = scores.masked_fill(future, -torch.inf).softmax(-1)[:, NEAR - 1 :]  # (B, T - NEAR + 1, T)
        found.append([rounded(weights.diagonal(NEAR - 1 - n, -2, -1).mean().item()) for n in range(NEAR)])
    return found


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Sequential]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, seed, stage = growing.text(), setting["seed"], ALL[STAGE]
    return Prepared(made(setting["n_heads"], text.vocab_size, seed), text, stage.steps, stage.rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the bits per byte on unseen text, and of each head the mean weights of the nearest tokens.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(ALL[STAGE].steps))]
    windows = run.text.unseen.unfold(0, growing.WINDOW, growing.WINDOW)
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "weights": look_back(run.model, windows),
    }


RECIPE = {"d_model": growing.D_MODEL, "window": growing.WINDOW, "near": NEAR}
STUDY = Study("heads", RECIPE, list(settings()), lambda each: (ALL[STAGE].steps, 20), measure)
