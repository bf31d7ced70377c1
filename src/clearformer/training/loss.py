"""Losses, and the batches that they are computed on: random windows of a text."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

Batch = tuple[Tensor, ...]
Batches = Callable[[torch.Generator], Batch]
Loss = Callable[[nn.Module, Batch], Tensor]


def token_windows(ids: Int[Tensor, " n"], *, batch: int, length: int) -> Batches:
    """Return a function that draws random windows of a text, with the same windows one token later as targets.

    It takes a generator and returns inputs and targets, (batch, length) each. A text that is too short for a window and
    its targets is a ValueError.

    Example:
        >>> inputs, targets = token_windows(torch.arange(9), batch=2, length=3)(torch.Generator().manual_seed(0))
        >>> torch.equal(inputs + 1, targets), inputs.shape
        (True, torch.Size([2, 3]))
    """
    if batch < 1 or length < 1 or len(ids) <= length:
        raise ValueError(f"batch={batch} windows of length={length} need more than {length} tokens, got {len(ids)}")
    offsets = torch.arange(length + 1)  # (length + 1,)

    def draw(generator: torch.Generator) -> Batch:
        starts = torch.randint(len(ids) - length, (batch, 1), generator=generator)  # (batch, 1)
        windows = ids[starts + offsets]  # (batch, length + 1)
        return windows[:, :-1], windows[:, 1:]

    return draw


def cross_entropy(
    logits: Float[Tensor, "*batch vocab_size"],
    targets: Int[Tensor, "*batch"],
    *,
    label_smoothing: float = 0.0,
    ignore_index: int | None = None,
) -> Float[Tensor, ""]:
    r"""Compute the mean cross-entropy of the targets, in nats.

    .. math::

        L = -\frac1n\sum_t \sum_v q_t(v) \log\operatorname{softmax}(z_t)_v, \qquad
        q_t(v) = (1 - \varepsilon)\,[v = y_t] + \frac{\varepsilon}{V}

    The sum is over the :math:`n` targets that are not ``ignore_index``, such as the id of padding; without any the loss
    is 0, and so is its gradient. ``label_smoothing`` :math:`\varepsilon` is the fraction of the probability that is
    spread evenly over all tokens. Logits of half precision are converted to float32, and so is the loss. Shapes that do
    not fit, and a fraction that is not between 0 and 1, are a ValueError.

    Source: Szegedy et al. (2016), section 7, for label smoothing.

    Example:
        >>> round(cross_entropy(torch.eye(4), torch.tensor([0, 9, 2, 9]), ignore_index=9).item(), 3)
        0.744
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"logits {tuple(logits.shape)} must be {(*targets.shape, 'vocab_size')} for these targets")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing={label_smoothing} must be between 0 and 1")
    if ignore_index is not None:
        counted = targets != ignore_index  # (...)
        logits, targets = logits[counted], targets[counted]  # (n, vocab_size), (n,)
    # bfloat16 would lose every term below 1/256 of the sum of exponentials.
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    target_logits = logits.gather(-1, targets[..., None]).squeeze(-1)  # (...)
    if label_smoothing:
        target_logits = target_logits.lerp(logits.mean(dim=-1), label_smoothing)  # (...)
    return (logits.logsumexp(dim=-1) - target_logits).sum() / max(targets.numel(), 1)


def next_token_loss(model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
    """Compute the mean cross-entropy of a language model on a batch of inputs and next tokens, (..., T) each.

    Example:
        >>> bigram = nn.Embedding.from_pretrained(torch.zeros(4, 4))
        >>> round(next_token_loss(bigram, (torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3]))).exp().item(), 3)
        4.0
    """
    inputs, targets = batch
    return cross_entropy(model(inputs), targets)
