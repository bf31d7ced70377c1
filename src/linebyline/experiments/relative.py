"""How should our model with four heads be told the order of its tokens: not at all, by a table, or by distance?

``none`` has no positions, ``small`` has a learned table with a small start, ``rotary`` rotates queries and keys, and
``alibi`` subtracts from each score a cost for the distance; ``learned`` starts like it and learns what each distance
costs. (``steep``, with larger costs, belongs to :mod:`.steep_slopes`.) Besides bits per byte, a run has how far back
each head looks. Models without a table can read beyond the length of their training, so their runs also have what the
same tokens cost with the last 64 tokens before them, and with more. Those with rotation have the mean score at each
distance, and the cost if keys that are too far away for their training get the score of the largest distance in it.
"""

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from clearformer import functional
from linebyline import growing
from linebyline.growing.record import ALL
from linebyline.our_model import Head, Heads, Residual, rotate

from .our_model import SEEDS
from .our_runs import Prepared
from .positions import NEAR, SMALLER
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

KINDS = "rotary", "small", "none", "alibi", "learned"
TIMES = {"alibi": 1, "learned": 1, "steep": 4}  # the slopes of ALiBi are multiplied by this
STEPS = ALL["rotary positions"].steps
LONG = 256  # tokens that are read at once beyond the length of training
N_LONG = 40  # such windows


class BiasedHead(Head):
    """A head that takes a constant times the distance from each score."""

    slope = 0.0
    farthest = 0  # all keys that are farther get the score of this distance; 0 for no such limit

    @classmethod
    def like(cls, head: Head, slope: float) -> "BiasedHead":
        """Make a head with the weights of another."""
        with torch.random.fork_rng(devices=[]):
            made = cls(head.w_q.in_features, head.w_q.out_features, head.rotate)
        made.load_state_dict(head.state_dict(), strict=False)
        made.slope = float(slope)
        return made

    def scores(self, x: Tensor) -> Tensor:
        """Compute the scores before the mask, (B, T, T)."""
        q, k = self.w_q(x), self.w_k(x)  # (B, T, d_k) each
        positions = torch.arange(x.shape[-2])
        distance = (positions[:, None] - positions).abs()  # (T, T)
        products: Tensor = self.rotate(q) @ self.rotate(k).mT
        if self.farthest:
            units = torch.eye(q.shape[-1])[:, None].expand(-1, self.farthest + 1, -1)
            turned = q @ self.rotate(units)[:, -1]  # each query as at position `farthest`, for keys at 0
            products = torch.where(distance > self.farthest, turned @ k.mT, products)
        scores: Tensor = products / q.shape[-1] ** 0.5 - self.slope * distance
        return scores

    def weights(self, x: Tensor) -> Tensor:
        """Compute the weights, (B, T, T)."""
        scores = self.scores(x)
        future = torch.ones_like(scores).triu(1).bool()
        return scores.masked_fill(future, -torch.inf).softmax(-1)

    def forward(self, x: Tensor) -> Tensor:
        """Attend, as a head of our model does."""
        mixed: Tensor = self.weights(x) @ self.w_v(x)
        return mixed


class LearnedHead(BiasedHead):
    """A head that also adds to each score a learned number for the distance, which starts as 0."""

    def __init__(self, d_model: int, d_k: int, rotate: Any) -> None:
        super().__init__(d_model, d_k, rotate)  # type: ignore[no-untyped-call]
        self.bias = nn.Parameter(torch.zeros(growing.WINDOW))

    def scores(self, x: Tensor) -> Tensor:
        """Compute the scores before the mask, (B, T, T); far keys get the number of the largest distance."""
        positions = torch.arange(x.shape[-2])
        distance = (positions[:, None] - positions).abs().clamp(max=growing.WINDOW - 1)  # (T, T)
        return super().scores(x) + self.bias[distance]


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    for seed in range(SEEDS):
        yield from ({"kind": kind, "seed": seed} for kind in KINDS)


@torch.no_grad()
def made(kind: str, vocab_size: int, seed: int) -> nn.Sequential:
    """Make our model with four heads; the table of tokens is the first to be drawn, and the same for all kinds."""
    width, n_heads = growing.D_MODEL, growing.N_HEADS
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        table = nn.Embedding(vocab_size, width)
        how = [rotate] if kind == "rotary" else []
        heads = Heads(width, n_heads, *how)  # type: ignore[no-untyped-call]
        slopes = -functional.alibi_bias(n_heads, 2)[:, 1, 0] * TIMES.get(kind, 0)  # (n_heads,)
        each: Any = zip(heads.heads, slopes, strict=True)
        one = LearnedHead if kind == "learned" else BiasedHead
        heads.heads = nn.ModuleList(one.like(head, slope) for head, slope in each)
        read_out = nn.Linear(width, vocab_size)
        positions = growing.Positions(growing.WINDOW, width)
        positions.weight *= SMALLER
    added = [Residual(positions)] if kind == "small" else []
    return nn.Sequential(table, *added, Residual(heads), read_out)


@torch.no_grad()
def looks_back(model: nn.Sequential, windows: Tensor) -> list[list[float]]:
    """Measure the mean weight that each head puts on the token itself, on the one before it, and so on."""
    *before, layer, _ = model
    x = nn.Sequential(*before)(windows)  # (B, T, d_model)
    heads: Any = next(iter(layer.children()))
    weights = [head.weights(x)[:, NEAR - 1 :] for head in heads.heads]  # (B, T - NEAR + 1, T) each
    return [[rounded(each.diagonal(NEAR - 1 - n, -2, -1).mean().item()) for n in range(NEAR)] for each in weights]


@torch.no_grad()
def beyond(model: nn.Sequential, text: growing.Text) -> dict[str, float]:
    """Measure what the last tokens of long windows cost, in bits per byte, with 64 tokens before them and with more."""
    long = text.unseen.unfold(0, LONG + 1, LONG)[:N_LONG]  # (n, LONG + 1)
    near = growing.WINDOW
    targets = long[:, LONG // 2 + 1 :]  # those that have more than 128 tokens before them
    logits = model(long[:, :-1])[:, LONG // 2 :]
    more = cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum").item()
    last = long[:, LONG // 2 + 1 - near : -1].unfold(1, near, 1)  # (n, LONG / 2, near): the tokens before each
    few = math.fsum(
        cross_entropy(model(part)[:, -1], right, reduction="sum").item()
        for part, right in zip(last, targets, strict=True)
    )
    n_bytes = len(text.tokenizer.decode(targets.flatten().tolist()).encode())
    return {name: rounded(nats / math.log(2) / n_bytes) for name, nats in (("last", few), ("all", more))}


@torch.no_grad()
def held(model: nn.Sequential, text: growing.Text) -> float:
    """Measure what ``beyond`` calls ``all`` if no key counts as farther than training had it."""
    heads: Any = next(iter(model[-2].children()))
    for head in heads.heads:
        head.farthest = growing.WINDOW - 1
    return beyond(model, text)["all"]


@torch.no_grad()
def by_distance(model: nn.Sequential, text: growing.Text) -> list[list[float]]:
    """Measure the mean score that each head gives at distance 0, 1, and so on, over all pairs of the long windows."""
    x = model[0](text.unseen.unfold(0, LONG, LONG)[:N_LONG])  # (n, LONG, d_model)
    heads: Any = next(iter(model[-2].children()))
    scores = [head.scores(x) for head in heads.heads]  # (n, LONG, LONG) each
    return [[round(each.diagonal(-n, -2, -1).mean().item(), 2) for n in range(LONG)] for each in scores]


@torch.no_grad()
def biases(model: nn.Sequential) -> list[list[float]]:
    """Return what each head that learns it adds to the scores at distance 0, 1, and so on."""
    heads: Any = next(iter(model[-2].children()))
    return [[round(n, 2) for n in (h.bias - h.slope * torch.arange(len(h.bias))).tolist()] for h in heads.heads]


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Sequential]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, seed = growing.text(), setting["seed"]
    return Prepared(made(setting["kind"], text.vocab_size, seed), text, STEPS, ALL["rotary positions"].rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the bits per byte on unseen text, the mean weights of the nearest tokens for each head, and
        for models without a table what the same tokens cost with few tokens before them and with more. Models with
        rotation also have their mean scores, and what tokens cost if no key counts as too far, and those that learn
        what to add for each distance have that.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(STEPS))]
    windows = run.text.unseen.unfold(0, growing.WINDOW, growing.WINDOW)
    kind, model = setting["kind"], run.model
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "bits": rounded(growing.bits_per_byte(model, run.text)),
        "weights": looks_back(model, windows),
        **({} if kind == "small" else {"long": beyond(model, run.text)}),
        **({"scores": by_distance(model, run.text), "held": held(model, run.text)} if kind == "rotary" else {}),
        **({"biases": biases(model)} if kind == "learned" else {}),
    }


RECIPE = {
    **{"d_model": growing.D_MODEL, "n_heads": growing.N_HEADS, "window": growing.WINDOW, "steps": STEPS},
    **{"smaller": SMALLER, "near": NEAR, "long": LONG, "n_long": N_LONG},
}
STUDY = Study("relative", RECIPE, list(settings()), lambda each: (STEPS, 25), measure)
