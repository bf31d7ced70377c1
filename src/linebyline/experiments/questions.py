"""Two questions for one layer: models with one head, two or four must name two weeks of a journey.

The task and the models are those of the chapter on multi-head attention.
"""

from collections.abc import Iterator
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.nn import MultiHeadAttention, attention_maps

from .our_model import SEEDS
from .small_decoders import descend, rounded
from .studies import Facts, Progress, Study, Texts

WEEKS, D_MODEL, BATCH, STEPS, EVERY, TESTED = 52, 32, 64, 1500, 100, 1000
FROM, TO, IN, JANE, VISITS, START = range(WEEKS, WEEKS + 6)  # weeks 1 to 52 are the tokens 0 to 51
VOCAB_SIZE = START + 1
RATES = (3e-3, 1e-2, 3e-2)
#: Heads, their width, and whether each pair of a word and the word before has a vector for itself.
MODELS = {
    "1 head": (1, 32, False),
    "2 heads": (2, 16, False),
    "4 heads": (4, 8, False),
    "1 wide head": (1, 64, False),
    "2 narrow heads": (2, 8, False),
    "1 head, pairs": (1, 32, True),
}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    for seed in range(SEEDS):
        yield from ({"model": model, "rate": rate, "seed": seed} for model in MODELS for rate in RATES)


def journeys(B: int, generator: torch.Generator) -> tuple[Int[Tensor, "B 8"], Int[Tensor, "B 8"], Int[Tensor, "B 2"]]:
    """Return sentences such as *to 36 in 2 from 9 Jane visits*, the word before each word, and the weeks to name."""
    weeks = torch.rand(B, WEEKS, generator=generator).argsort(dim=-1)[:, :3]
    phrases = torch.stack([torch.tensor([FROM, TO, IN]).expand(B, -1), weeks], dim=-1)  # (B, 3, 2)
    order = torch.rand(B, 3, generator=generator).argsort(dim=-1)[..., None].expand(-1, -1, 2)
    end = torch.tensor([JANE, VISITS]).expand(B, -1)
    ids = torch.cat([phrases.gather(1, order).flatten(1), end], dim=-1)
    return ids, ids.roll(1, dims=-1).index_fill(1, torch.tensor([0]), START), weeks[:, :2]


class Journeys(nn.Module):
    """One layer of attention, and a linear read-out for each question at the last word."""

    def __init__(self, n_heads: int, d_k: int, pairs: bool, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.words = nn.Parameter(torch.randn(VOCAB_SIZE, D_MODEL, generator=generator))
        self.marks = nn.Parameter(torch.randn(VOCAB_SIZE, D_MODEL, generator=generator))
        self.attention = MultiHeadAttention(D_MODEL, n_heads, d_k=d_k, generator=generator)
        self.read_out = nn.Parameter(torch.randn(D_MODEL, 2 * WEEKS, generator=generator) / D_MODEL**0.5)
        table = torch.randn(VOCAB_SIZE, VOCAB_SIZE, D_MODEL, generator=generator) * 2**0.5  # as long as their sum
        self.pairs = nn.Parameter(table) if pairs else None

    def forward(self, ids: Int[Tensor, "B 8"], before: Int[Tensor, "B 8"]) -> Float[Tensor, "B 2 52"]:
        """Score each week as the answer to each question."""
        x = self.words[ids] + self.marks[before] if self.pairs is None else self.pairs[ids, before]
        logits: Tensor = self.attention(x)[:, -1] @ self.read_out
        return logits.reshape(-1, 2, WEEKS)


class Prepared:
    """A model and its training run, which has not begun."""

    def __init__(self, setting: Facts) -> None:
        self.model = Journeys(*MODELS[setting["model"]], seed=setting["seed"])
        self.generator = torch.Generator().manual_seed(100 + setting["seed"])
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=setting["rate"])
        self.test, self.step = journeys(TESTED, torch.Generator().manual_seed(7)), 0
        self.found = list[list[float]]()

    def run(self, steps: int) -> list[float]:
        """Make some steps, and return their losses."""
        return [self._next() for _ in range(steps)]

    def _next(self) -> float:
        if self.step % EVERY == 0:
            self.found.append(self.right())
        ids, before, weeks = journeys(BATCH, self.generator)
        loss = nn.functional.cross_entropy(self.model(ids, before).flatten(0, 1), weeks.flatten())
        self.step += 1
        return descend(self.optimizer, loss)

    @torch.no_grad()
    def right(self, silent: int | None = None) -> list[float]:
        """Measure how often the first week, the last and both are right, with one head silenced or none."""
        rows = self.model.attention.w_o.view(self.model.attention.n_heads, -1, D_MODEL)
        kept = rows.clone()
        if silent is not None:
            rows[silent] = 0
        right = (self.model(*self.test[:2]).argmax(dim=-1) == self.test[2]).float()  # (B, 2)
        rows.copy_(kept)
        return [rounded(each.mean().item()) for each in (*right.T, right.prod(dim=-1))]

    @torch.no_grad()
    def looks(self) -> list[list[float]]:
        """Measure the mean weight of each head on the first week and on the last."""
        ids, before, _ = self.test
        (weights,) = attention_maps(self.model, ids, before).values()  # (B, n_heads, 8, 8)
        asked = weights[:, :, -1]  # (B, n_heads, 8): those of "visits"
        on = [(asked * (before == mark)[:, None]).sum(dim=-1).mean(dim=0) for mark in (FROM, TO)]
        return [[rounded(weight) for weight in head] for head in torch.stack(on, dim=-1).tolist()]


def prepared(setting: Facts, texts: Texts) -> Prepared:
    """Make the model of a setting, and its training run."""
    return Prepared(setting)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses; every 100 steps how often the first week, the last and both are right; at the end, for each
        head, its mean weight on the first week and on the last, and what is right without it.
    """
    run = Prepared(setting)
    losses = [run.run(1)[0] for _ in progress(range(STEPS + 1))]
    silenced = [run.right(head) for head in range(run.model.attention.n_heads)]
    first = [rounded(loss) for loss in losses[:3]]
    return {"first": first, "right": run.found, "looks": run.looks(), "silenced": silenced}


RECIPE = {"weeks": WEEKS, "d_model": D_MODEL, "batch": BATCH, "steps": STEPS, "every": EVERY, "tested": TESTED}
STUDY = Study("questions", RECIPE, list(settings()), lambda each: (STEPS + 1, 4), measure)
