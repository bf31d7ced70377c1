"""How should our model be told the order of its tokens? One head without positions, and with three tables of them.

A learned table may start as large as the vectors of tokens, as in our model, or fifty times smaller; and the sinusoidal
encoding is a table that does not learn. Besides bits per byte, a run has how far back its head looks, how similar one
row of its table is to all the others, and which tokens it finds likely after the same tokens in two orders.
"""

from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor, nn

from clearformer import functional
from linebyline import growing
from linebyline.growing.record import ALL, SMALL

from .our_model import SEEDS
from .our_runs import Prepared
from .small_decoders import rounded
from .studies import Facts, Progress, Study, Texts

TABLES = {"none": "one head"} | dict.fromkeys(("learned", "small", "sines"), "learned positions")  # and their stages
LENGTHS = SMALL, ALL["learned positions"].steps
NEAR = 9  # distances of which the mean weight is kept, from 0
SMALLER = 0.02  # the factor of a small start
ROW = 20  # of the table, which is compared with all rows
ORDERS = " of the result", " the of result"  # the same three tokens, with the same last one


def settings() -> Iterator[dict[str, Any]]:
    """Return the settings, all of a seed before those of the next."""
    for seed in range(SEEDS):
        yield from ({"table": table, "steps": steps, "seed": seed} for steps in LENGTHS for table in TABLES)


@torch.no_grad()
def made(table: str, vocab_size: int, seed: int) -> nn.Sequential:
    """Make our model with one of the tables; all other weights of a seed are the same."""
    model = growing.build(TABLES[table], vocab_size, seed)
    assert isinstance(model, nn.Sequential)
    for positions in (part for part in model.modules() if isinstance(part, growing.Positions)):
        if table == "small":
            positions.weight *= SMALLER
        if table == "sines":
            positions.weight.copy_(torch.from_numpy(functional.sinusoidal_encoding(*positions.weight.shape)))
            positions.requires_grad_(False)
    return model


@torch.no_grad()
def looks_back(model: nn.Sequential, windows: Tensor) -> list[float]:
    """Measure the mean weight that the head puts on the token itself, on the one before it, and so on.

    Only tokens count that have all of these before them.
    """
    *before, layer, _ = model
    head: Any = next(part for part in layer.children())
    x = nn.Sequential(*before)(windows)  # (B, T, d_model)
    q, k = head.w_q(x), head.w_k(x)  # (B, T, d_k) each
    scores = q @ k.mT / q.shape[-1] ** 0.5  # (B, T, T)
    future = torch.ones_like(scores).triu(1).bool()
    weights = scores.masked_fill(future, -torch.inf).softmax(-1)[:, NEAR - 1 :]  # (B, T - NEAR + 1, T)
    return [rounded(weights.diagonal(NEAR - 1 - n, -2, -1).mean().item()) for n in range(NEAR)]


@torch.no_grad()
def similar(model: nn.Sequential) -> list[float]:
    """Measure the cosines of one row of the table with all its rows; without a table there are none."""
    tables = [part.weight for part in model.modules() if isinstance(part, growing.Positions)]  # (T, d_model) each
    return [
        rounded(each)
        for table in tables
        for each in nn.functional.cosine_similarity(table, table[ROW : ROW + 1]).tolist()
    ]


@torch.no_grad()
def likeliest(model: nn.Module, text: growing.Text, prompt: str) -> dict[str, float]:
    """Find the three likeliest tokens after a prompt, each with its probability."""
    logits = model(torch.tensor([text.tokenizer.encode(prompt)]))[0, -1]  # (vocab_size,)
    best = logits.softmax(-1).topk(3)
    pairs = zip(best.indices.tolist(), best.values.tolist(), strict=True)
    return {text.tokenizer.decode([token]): rounded(probability) for token, probability in pairs}


def prepared(setting: Facts, texts: Texts) -> Prepared[nn.Sequential]:
    """Make the model of a setting, and its training run; its text is that of our model."""
    text, table, seed = growing.text(), setting["table"], setting["seed"]
    return Prepared(made(table, text.vocab_size, seed), text, setting["steps"], ALL[TABLES[table]].rate, seed)


def measure(setting: Facts, texts: Texts, device: str, progress: Progress) -> dict[str, Any]:
    """Train once, on the processor.

    Returns:
        The first losses, the bits per byte on unseen text, the mean weights of the nearest tokens, the cosines of a
        row of the table with all rows, and the likeliest tokens after each of two orders.
    """
    run = prepared(setting, texts)
    losses = [run.run(1)[0] for _ in progress(range(setting["steps"]))]
    windows = run.text.unseen.unfold(0, growing.WINDOW, growing.WINDOW)
    return {
        "first": [rounded(loss) for loss in losses[:3]],
        "bits": rounded(growing.bits_per_byte(run.model, run.text)),
        "weights": looks_back(run.model, windows),
        "cosines": similar(run.model),
        "next": [likeliest(run.model, run.text, prompt) for prompt in ORDERS],
    }


RECIPE = {
    "d_model": growing.D_MODEL,
    "window": growing.WINDOW,
    "smaller": SMALLER,
    "near": NEAR,
    "row": ROW,
    "orders": list(ORDERS),
}
STUDY = Study("positions", RECIPE, list(settings()), lambda each: (each["steps"], 20), measure)
