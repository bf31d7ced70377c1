"""Learning to copy: what one layer learns, and how soon two layers learn it that are given a part of a trained model.

The task and the models are those of the chapter on induction heads.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from clearformer import functional as F
from clearformer.nn import LearnedEncoding, MultiHeadAttention, attention_maps

from .our_model import SEEDS
from .small_decoders import descend, rounded
from .studies import Facts, Progress, Study, Texts

VOCAB_SIZE, LENGTH, BATCH = 64, 32, 32
STEPS, EVERY, RATE = 500, 20, 3e-3
LONGER = 10  # times as many steps, for one layer
TESTED = 2048  # sequences with a skip
TABLES = ("table", "positions", "lm_head")
#: What a new model of two layers is given; in the last row, without the two heads that look back most.
GIVEN = {
    "nothing": (),
    "tables": TABLES,
    "tables and layer 2": (*TABLES, "layers.1"),
    "tables and layer 1": (*TABLES, "layers.0"),
    "layer 1, no look-back": (*TABLES, "layers.0"),
}


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings: one layer, two layers that are given something, both with a skip, and one for longer."""
    for seed in range(SEEDS):
        yield {"n_layers": 1, "given": "nothing", "skip": False, "seed": seed}
        yield from ({"n_layers": 2, "given": given, "skip": False, "seed": seed} for given in GIVEN)
        yield from ({"n_layers": n_layers, "given": "nothing", "skip": True, "seed": seed} for n_layers in (1, 2))
    yield {"n_layers": 1, "given": "nothing", "skip": False, "seed": 0, "steps": LONGER * STEPS}


def sequences(B: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T-1"]]:
    """Return sequences that repeat with a period between 8 and 16, and which of their next symbols can be known."""
    period = torch.randint(8, 17, (B, 1), generator=generator)
    order = torch.rand(B, VOCAB_SIZE, generator=generator)
    ids = order.argsort(dim=-1).gather(1, torch.arange(LENGTH) % period)
    return ids, torch.arange(1, LENGTH) > period


def with_a_skip(B: int, generator: torch.Generator) -> tuple[Int[Tensor, "B T"], Bool[Tensor, "B T-1"]]:
    """Return sequences that skip some symbols once, and where two rules disagree about the next symbol.

    After its first period, a sequence continues at a random place of it: A B C D E F G H, E F G. Until it comes to the
    end of the period, the next symbol is the one that followed last time; the one unseen for longest is A.
    """
    t, period = torch.arange(LENGTH), torch.randint(8, 17, (B, 1), generator=generator)
    order = torch.rand(B, VOCAB_SIZE, generator=generator).argsort(dim=-1)
    start = 2 + (torch.rand(B, 1, generator=generator) * (period - 4)).long()
    ids = order.gather(1, torch.where(t < period, t, start + t) % period)
    asked = (period <= t) & (t < 2 * period - start - 1)
    return ids, asked[:, :-1]


class AttentionOnly(nn.Module):
    """Eight heads of width 16 in one layer or in two, and nothing else between the tables and the LM head."""

    def __init__(self, n_layers: int, seed: int) -> None:
        super().__init__()
        generator, n_heads, d_model = torch.Generator().manual_seed(seed), 8 // n_layers, 128 // n_layers
        self.table = nn.Parameter(torch.randn(VOCAB_SIZE, d_model, generator=generator))
        self.positions = LearnedEncoding(LENGTH, d_model, generator=generator, std=1.0)
        self.layers = nn.ModuleList(MultiHeadAttention(d_model, n_heads, generator=generator) for _ in range(n_layers))
        self.norm = nn.LayerNorm(d_model, elementwise_affine=False)
        self.lm_head = nn.Parameter(torch.randn(d_model, VOCAB_SIZE, generator=generator) / d_model**0.5)

    def forward(self, ids: Int[Tensor, "B T"]) -> Float[Tensor, "B T vocab_size"]:
        """Predict the next symbol at each place."""
        x, mask = self.positions(self.table[ids]), torch.from_numpy(F.causal_mask(ids.shape[-1]))
        for layer in self.layers:
            x = x + layer(self.norm(x), mask=mask)
        logits: Tensor = self.norm(x) @ self.lm_head
        return logits


class Prepared:
    """A model and its training run, which has not begun."""

    def __init__(self, model: AttentionOnly, seed: int, *, skip: bool = False) -> None:
        self.model, self.skip, self.generator = model, skip, torch.Generator().manual_seed(1 + seed)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=RATE)
        self.step, self.accuracies = 0, list[float]()

    def run(self, steps: int) -> list[float]:
        """Make some steps, and return their losses."""
        return [self._next() for _ in range(steps)]

    def _next(self) -> float:
        ids, knowable = (with_a_skip if self.skip else sequences)(BATCH, self.generator)
        logits = self.model(ids[:, :-1])
        if self.step % EVERY == 0:  # where the next symbol can be known
            right = logits.argmax(dim=-1) == ids[:, 1:]
            self.accuracies.append(rounded(right[knowable].float().mean().item()))
        loss = nn.functional.cross_entropy(logits.mT, ids[:, 1:])
        self.step += 1
        return descend(self.optimizer, loss)


@torch.no_grad()
def forget_look_back(state: Mapping[str, Tensor], trained: AttentionOnly, new: AttentionOnly) -> list[int]:
    """Silence the two heads of layer 1 that look back most, give them new queries, keys and values, and name them."""
    ids = sequences(64, torch.Generator().manual_seed(2))[0]
    first = next(iter(attention_maps(trained, ids).values()))  # (B, n_heads, T, T)
    pair: list[int] = first.diagonal(-1, -2, -1)[..., 7:].mean(dim=(0, -1)).argsort()[2:].tolist()
    split = 64, 3, 4, 16  # d_model, then queries, keys and values, heads and their width
    fresh = new.state_dict()["layers.0.w_qkv"].view(split)
    state["layers.0.w_qkv"].view(split)[:, :, pair] = fresh[:, :, pair]
    state["layers.0.w_o"].view(4, 16, 64)[pair] = 0
    return pair


def prepared(setting: Facts, texts: Texts) -> Prepared:
    """Make the model of a setting, with what it is given by a model that is trained for it, and its training run."""
    seed, given = setting["seed"], setting["given"]
    if given == "nothing":
        return Prepared(AttentionOnly(setting["n_layers"], seed), seed, skip=setting["skip"])
    trained, model = AttentionOnly(2, seed), AttentionOnly(2, SEEDS + seed)
    Prepared(trained, seed).run(STEPS + 1)
    state = copy.deepcopy(trained.state_dict())
    if "no look-back" in given:
        forget_look_back(state, trained, model)
    state = {key: value for key, value in state.items() if key.startswith(GIVEN[given])}
    model.load_state_dict({**model.state_dict(), **state})
    return Prepared(model, SEEDS + seed)


@torch.no_grad()
def after_a_skip(model: AttentionOnly) -> dict[str, float]:
    """Measure how often a model then says what followed last time, and how often what was seen longest ago."""
    ids, asked = with_a_skip(TESTED, torch.Generator().manual_seed(9))
    says = model(ids[:, :-1]).argmax(dim=-1)  # (B, T - 1)
    rules = {"after_skip": ids[:, 1:], "oldest_after_skip": ids[:, :1]}
    return {name: rounded((says == told)[asked].float().mean().item()) for name, told in rules.items()}


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the accuracy every 20 steps, and what a model that was given nothing says after a skip.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(setting.get("steps", STEPS) + 1))]
    first = [rounded(loss) for loss in losses[:3]]
    follows = after_a_skip(run.model) if setting["given"] == "nothing" else {}
    return {"first": first, "accuracy": run.accuracies, **follows}


RECIPE = {"length": LENGTH, "batch": BATCH, "steps": STEPS, "every": EVERY, "rate": RATE, "tested": TESTED}
STUDY = Study("copying", RECIPE, list(settings()), lambda each: (each.get("steps", STEPS) + 1, 15), measure)
