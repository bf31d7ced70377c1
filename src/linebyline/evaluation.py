"""What a language model is worth: bits for each byte of a text, and nats for each token by the context before it."""

import math
from collections.abc import Iterable

import torch
import torch.nn.functional
from jaxtyping import Float, Int
from torch import Tensor

from linebyline.pretrained import LanguageModel

TOKENS = 4096  # read at a time


def bits_per_byte(trained: LanguageModel, text: str) -> float:
    """Measure the surprise at a text: bits per byte, whatever the tokens are.

    The text is read in windows of the model's context, so the first tokens of each have little before them.

    Raises:
        ValueError: the text is shorter than a window.
    """
    windows = _windows(trained, text)  # (n, context + 1)
    read = trained.tokenizer.decode_bytes(windows[:, 1:].flatten().tolist())
    return _losses(trained, windows).sum().item() / math.log(2) / len(read)


def loss_by_context(
    trained: LanguageModel, text: str, lengths: Iterable[int], *, n_targets: int = 1000
) -> dict[int, float]:
    """Measure the surprise at the same tokens of a text when the model sees the last few tokens before them only.

    Returns the mean loss of ``n_targets`` tokens, at equal distances over the text, for each length, in nats per token.

    Raises:
        ValueError: a length is none, or longer than the model's context, or the text is shorter than that.
    """
    lengths, context = list(lengths), trained.config.context
    if not lengths or min(lengths) < 1 or max(lengths) > context:
        raise ValueError(f"lengths {lengths} must lie between 1 and the model's context={context}")
    ids = _ids(trained, text)
    if len(ids) <= context:
        raise ValueError(f"{len(ids)} tokens are too few for a context of {context} and a target")
    targets = torch.linspace(context, len(ids) - 1, n_targets).long()  # (n_targets,)
    return {
        length: _losses(trained, ids[targets[:, None] + torch.arange(-length, 1)])[:, -1].mean().item()
        for length in lengths
    }


def _ids(trained: LanguageModel, text: str) -> Int[Tensor, " n"]:
    return torch.tensor(trained.tokenizer.encode(text))


def _windows(trained: LanguageModel, text: str) -> Int[Tensor, "n length"]:
    """Cut a text in windows of the context, each with the token after it, which begins the next."""
    ids, length = _ids(trained, text), trained.config.context
    if len(ids) <= length:
        raise ValueError(f"{len(ids)} tokens are too few for a window of {length} and its targets")
    return ids.unfold(0, length + 1, length)


@torch.no_grad()
def _losses(trained: LanguageModel, windows: Int[Tensor, "n length"]) -> Float[Tensor, "n T"]:
    """The surprise at each token of each window but the first."""
    device = next(trained.model.parameters()).device
    parts = []
    for part in torch.split(windows.to(device), TOKENS // windows.shape[1] + 1):
        logits = trained.model(part[:, :-1]).transpose(1, 2)  # (n, vocab_size, T)
        parts.append(torch.nn.functional.cross_entropy(logits, part[:, 1:], reduction="none").cpu())
    return torch.cat(parts)
