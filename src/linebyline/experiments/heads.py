"""How many heads should our model have? The same width divided among 1, 4 and 16 of them.

The stage "one head" has no output matrix; here a single head has one, so that all models have the same number of
parameters. Besides bits per byte, a run has how far back each head looks, which tokens it prefers, where it looks at
the end of one short line, and what the model needs without it.
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
LINE = "The shape of the array"  # five tokens
COMMON = 0.004  # a token counts as common if equal weights would give it this fraction of all weight


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
    return [
        [rounded(weights.diagonal(NEAR - 1 - n, -2, -1).mean().item()) for n in range(NEAR)]
        for weights in _weights(model, windows)
    ]


@torch.no_grad()
def distances(model: nn.Sequential, windows: Tensor) -> list[float]:
    """Measure how many tokens back each head looks on average, by the same tokens."""
    place = torch.arange(windows.shape[-1])
    back = (place[NEAR - 1 :, None] - place).clamp(min=0)  # (T - NEAR + 1, T)
    return [rounded((weights * back).sum(dim=-1).mean().item()) for weights in _weights(model, windows)]


@torch.no_grad()
def on_line(model: nn.Sequential, text: growing.Text) -> list[list[float]]:
    """Return the weights of each head at the end of a short line, for all of its tokens."""
    window = torch.tensor([text.tokenizer.encode(LINE)])  # (1, T)
    return [[rounded(each) for each in weights[0, -1].tolist()] for weights in _weights(model, window)]


@torch.no_grad()
def preferred(model: nn.Sequential, text: growing.Text, windows: Tensor, n: int = 5) -> list[list[str]]:
    """Find the common tokens to which each head gives the most, compared with what equal weights would give them."""
    T = windows.shape[-1]
    equal = torch.ones(T, T).tril()[NEAR - 1 :] / torch.arange(NEAR, T + 1)[:, None]
    fair = _by_token(equal.expand(len(windows), -1, -1), windows, text.vocab_size)
    common = fair / fair.sum() >= COMMON
    found = []
    for weights in _weights(model, windows):
        ratio = torch.where(common, _by_token(weights, windows, text.vocab_size) / fair, 0)
        found.append([text.tokenizer.decode([i]) for i in ratio.topk(n).indices.tolist()])
    return found


@torch.no_grad()
def silenced(model: nn.Sequential, text: growing.Text) -> list[float]:
    """Measure the bits per byte without each head, whose columns of the output matrix are zero for that time."""
    layer: Any = next(model[-2].children())
    d_k = layer.heads[0].w_v.weight.shape[0]  # nn.Linear has (out, in), so what the page calls rows are columns
    found = []
    for own in layer.w_o.weight.split(d_k, dim=1):
        kept = own.clone()
        own.zero_()
        found.append(rounded(growing.bits_per_byte(model, text)))
        own.copy_(kept)
    return found


def _weights(model: nn.Sequential, windows: Tensor) -> Iterator[Tensor]:
    """The weights of one head after the other, for tokens with enough others before them, (B, T - NEAR + 1, T)."""
    *before, layer, _ = model
    x = nn.Sequential(*before)(windows)  # (B, T, d_model)
    heads: Any = next(part for part in layer.children())
    for head in heads.heads:
        q, k = head.w_q(x), head.w_k(x)  # (B, T, d_k) each
        scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, T, T)
        future = torch.ones_like(scores).triu(1).bool()
        yield scores.masked_fill(future, -torch.inf).softmax(-1)[:, NEAR - 1 :]


def _by_token(weights: Tensor, windows: Tensor, vocab_size: int) -> Tensor:
    """Add up the weight that each token of the vocabulary gets, (vocab_size,)."""
    return torch.zeros(vocab_size).index_add_(0, windows.flatten(), weights.sum(dim=1).flatten())


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Sequential]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, seed, stage = growing.text(), setting["seed"], ALL[STAGE]
    return Prepared(made(setting["n_heads"], text.vocab_size, seed), text, stage.steps, stage.rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the bits per byte on unseen text, and of each head: the mean weights of the nearest tokens,
        the mean distance, the tokens that it prefers, its weights on one line, and the bits per byte without it.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(ALL[STAGE].steps))]
    windows = run.text.unseen.unfold(0, growing.WINDOW, growing.WINDOW)
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "weights": look_back(run.model, windows),
        "distances": distances(run.model, windows),
        "preferred": preferred(run.model, run.text, windows),
        "line": on_line(run.model, run.text),
        "silenced": silenced(run.model, run.text),
    }


RECIPE = {"d_model": growing.D_MODEL, "window": growing.WINDOW, "near": NEAR, "line": LINE, "common": COMMON}
STUDY = Study("heads", RECIPE, list(settings()), lambda each: (ALL[STAGE].steps, 20), measure)
