"""What limits the first network of the course? Its context, its hidden units and its training, varied one by one."""

import math
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn
from torch.nn import functional as F

from linebyline import corpora

from .our_model import SEEDS
from .small_decoders import rounded
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
        return (rows + self.hidden_bias).relu() @ self.output + self.bias


def stretches(text: str, length: int) -> Int[Tensor, "n length"]:
    """Return all stretches of neighboring characters, as ids; characters that are not on the keyboard are left out."""
    ids = {character: i for i, character in enumerate(CHARACTERS)}
    return torch.tensor([ids[c] for c in text if c in ids]).unfold(0, length, 1)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train one network, and measure what a character of unseen text costs, in bits."""
    context, units, steps, seed = (setting[key] for key in KEYS)
    known, unseen = (stretches(text, context + 1).to(device) for text in corpora.docstrings_split())
    generator = torch.Generator().manual_seed(seed)
    network = Network(context, units, generator).to(device)
    optimizer = torch.optim.SGD(network.parameters())
    for step in progress(range(steps)):
        optimizer.param_groups[0]["lr"] = RATE * (1 - step / steps)
        drawn = known[torch.randint(len(known), (BATCH,), generator=generator)]
        optimizer.zero_grad()
        F.cross_entropy(network(drawn[:, :-1]), drawn[:, -1]).backward()
        optimizer.step()
    with torch.no_grad():
        nats = F.cross_entropy(network(unseen[:, :-1]), unseen[:, -1])
    return {"bits": rounded(nats.item() / math.log(2))}


RECIPE = {"rate": RATE, "batch": BATCH, "spread": SPREAD}
STUDY = Study("first_network", RECIPE, SETTINGS, lambda each: (each["steps"], 2 if each["units"] == 64 else 5), measure)
