"""What limits the first network of the course? Its context, its hidden units and its training, varied one by one."""

import math
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from linebyline import corpora

from .our_model import SEEDS
from .small_decoders import descend, rounded
from .studies import Facts, Progress, Study, Texts

CHARACTERS = ["\n", *map(chr, range(32, 127))]  # the line break, and an English keyboard
RATE, BATCH, SPREAD = 2.0, 128, 0.1
SIZES = ((8, 64, 4000), (5, 256, 4000), (5, 64, 20_000), (5, 256, 20_000), (8, 256, 20_000))
KEYS = ("context", "units", "steps", "seed")
SETTINGS = [dict(zip(KEYS, (*sizes, seed), strict=True)) for seed in range(SEEDS) for sizes in SIZES]


class Network(nn.Module):
    """One hidden layer; each character of the context adds a row of a table of its own to the hidden units."""

    def __init__(self, context: int, units: int, generator: torch.Generator) -> None:
        """Start from small random weights, and from zeros in both biases."""
        super().__init__()
        n = len(CHARACTERS)
        self.tables = nn.Parameter(SPREAD * torch.randn(context, n, units, generator=generator))
        self.output = nn.Parameter(SPREAD * torch.randn(units, n, generator=generator))
        self.hidden_bias, self.bias = nn.Parameter(torch.zeros(units)), nn.Parameter(torch.zeros(n))

    def forward(self, context: Int[Tensor, "batch context"]) -> Tensor:
        """Return the logits of the next character, (batch, characters)."""
        rows = sum(table[ids] for table, ids in zip(self.tables, context.T, strict=True))
        logits: Tensor = (rows + self.hidden_bias).relu() @ self.output + self.bias
        return logits


def stretches(text: str, length: int) -> Int[Tensor, "n length"]:
    """Return all stretches of neighboring characters, as ids; characters that are not on the keyboard are left out."""
    ids = {character: i for i, character in enumerate(CHARACTERS)}
    return torch.tensor([ids[c] for c in text if c in ids]).unfold(0, length, 1)


class Prepared:
    """A network and its training run, which has not begun."""

    def __init__(self, setting: Facts) -> None:
        self.context, units, self.steps, seed = (setting[key] for key in KEYS)
        self.generator = torch.Generator().manual_seed(seed)
        self.network = Network(self.context, units, self.generator)
        self.known, self.unseen = (stretches(text, self.context + 1) for text in corpora.docstrings_split())
        self.optimizer = torch.optim.SGD(self.network.parameters())
        self.step = 0

    def run(self, steps: int) -> list[float]:
        """Make some steps, with a rate that falls to 0, and return their losses."""
        return [self._next() for _ in range(steps)]

    def _next(self) -> float:
        self.optimizer.param_groups[0]["lr"] = RATE * (1 - self.step / self.steps)
        drawn = self.known[torch.randint(len(self.known), (BATCH,), generator=self.generator)]
        loss = F.cross_entropy(self.network(drawn[:, :-1]), drawn[:, -1])
        self.step += 1
        return descend(self.optimizer, loss)

    @torch.no_grad()
    def bits(self) -> float:
        """Measure what a character of unseen text costs, in bits."""
        nats = F.cross_entropy(self.network(self.unseen[:, :-1]), self.unseen[:, -1])
        return nats.item() / math.log(2)


def prepared(setting: Facts, texts: Texts) -> Prepared:
    """Make the network of a setting, and its training run; its text is cut into characters, not into tokens."""
    return Prepared(setting)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train one network, on the processor.

    Returns:
        The first losses, in nats per character, and the bits that a character of unseen text costs.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(setting["steps"]))]
    return {"first": [rounded(loss) for loss in losses[:3]], "bits": rounded(run.bits())}


RECIPE = {"rate": RATE, "batch": BATCH, "spread": SPREAD}
STUDY = Study("first_network", RECIPE, SETTINGS, lambda each: (each["steps"], 2 if each["units"] == 64 else 5), measure)
