"""What a language model is worth: bits for each byte of a text, and nats for each token by the context before it."""

import math
from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn.functional import cross_entropy

from linebyline.pretrained import LanguageModel

TOKENS = 4096  # read at a time
SEEN = 1, 5, 10, 16, 64, 256  # how many tokens before a target are shown, to find what a context is worth


def bits_per_byte(trained: LanguageModel, text: str) -> float:
    """Measure the surprise at a text in bits per byte, whatever the tokens are, in windows of the model's context."""
    ids, context = torch.tensor(trained.tokenizer.encode(text)), trained.config.context
    windows = ids.unfold(0, context + 1, context)  # (n, context + 1): each with the token that begins the next
    read = trained.tokenizer.decode_bytes(windows[:, 1:].flatten().tolist())
    return _losses(trained, windows).sum().item() / math.log(2) / len(read)


def loss_by_context(
    trained: LanguageModel, text: str, lengths: Iterable[int], *, n_targets: int = 1000
) -> dict[int, float]:
    """Return the loss, in nats, at ``n_targets`` tokens of a text when a model sees the last few before them only."""
    windows = windows_before(trained, text, n_targets)  # (n_targets, context + 1)
    return {length: losses_at_end(trained, windows[:, -length - 1 :]).mean().item() for length in lengths}


def windows_before(trained: LanguageModel, text: str, n_targets: int) -> Int[Tensor, "n_targets length"]:
    """Choose ``n_targets`` tokens of a text, evenly spaced, each with as many before it as the model can see."""
    ids, context = torch.tensor(trained.tokenizer.encode(text)), trained.config.context
    targets = torch.linspace(context, len(ids) - 1, n_targets).long()  # (n_targets,)
    return ids[targets[:, None] + torch.arange(-context, 1)]


def contexts(trained: LanguageModel, text: str, *, n_targets: int = 1000) -> dict[str, list[float]]:
    """Return the loss at each of ``n_targets`` tokens, in nats, by how many tokens before it are shown.

    The control, "foreign", shows the last 16 after 48 from another place of the text.
    """
    windows = windows_before(trained, text, n_targets)  # (n_targets, context + 1)
    shown = {str(n): windows[:, -n - 1 :] for n in SEEN}
    elsewhere = windows.roll(n_targets // 2, 0)[:, -65:-17]
    shown["foreign"] = torch.cat([elsewhere, windows[:, -17:]], dim=1)
    return {name: losses_at_end(trained, part).double().numpy().round(4).tolist() for name, part in shown.items()}


@torch.no_grad()
def losses_at_end(trained: LanguageModel, windows: Int[Tensor, "n length"]) -> Float[Tensor, " n"]:
    """Return the loss, in nats, at the last token of each window."""
    parts = []
    for part in _split(trained, windows):
        logits = trained.model(part[:, :-1])[:, -1]  # (n, vocab_size)
        parts.append(cross_entropy(logits, part[:, -1], reduction="none").cpu())
    return torch.cat(parts)


@torch.no_grad()
def _losses(trained: LanguageModel, windows: Int[Tensor, "n length"]) -> Float[Tensor, "n T"]:
    """The surprise at each token of each window but the first."""
    parts = []
    for part in _split(trained, windows):
        logits = trained.model(part[:, :-1]).transpose(1, 2)  # (n, vocab_size, T)
        parts.append(cross_entropy(logits, part[:, 1:], reduction="none").cpu())
    return torch.cat(parts)


def _split(trained: LanguageModel, windows: Int[Tensor, "n length"]) -> Sequence[Tensor]:
    """Cut windows into batches of about ``TOKENS`` tokens, where the model is."""
    device = next(trained.model.parameters()).device
    return torch.split(windows.to(device), TOKENS // windows.shape[1] + 1)
