"""Losses: how surprised a model is at what it should have said."""

from collections.abc import Callable

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.training.batches import Batch

Loss = Callable[[nn.Module, Batch], Tensor]


def cross_entropy(
    logits: Float[Tensor, "*batch vocab_size"],
    targets: Int[Tensor, "*batch"],
    *,
    label_smoothing: float = 0.0,
    ignore: int | None = None,
) -> Float[Tensor, ""]:
    r"""Average the surprise at the right tokens, in nats.

    .. math::

        L = -\frac1n\sum_t \sum_v q_t(v) \log\operatorname{softmax}(z_t)_v, \qquad
        q_t(v) = (1 - \varepsilon)\,[v = y_t] + \frac{\varepsilon}{V}

    The sum goes over the :math:`n` targets that are not ignored; over none of them the loss is 0, and so is its
    gradient. Logits of half precision are read in float32, in which the loss comes.

    Args:
        logits: Scores of every token, (..., vocab_size).
        targets: The token that came, (...).
        label_smoothing: :math:`\varepsilon`, the share of the probability that every token is to have alike.
        ignore: The target that does not count, such as the id of padding.

    Raises:
        ValueError: the shapes do not fit together, or the share is none.

    Source: Szegedy et al. (2016), section 7, for label smoothing.

    Example:
        >>> round(cross_entropy(torch.zeros(3, 4), torch.tensor([0, 1, 3])).exp().item(), 3)
        4.0
        >>> round(cross_entropy(torch.eye(4), torch.tensor([0, 9, 2, 9]), ignore=9).item(), 3)
        0.744
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"logits {tuple(logits.shape)} must be {(*targets.shape, 'vocab_size')} for these targets")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"label_smoothing={label_smoothing} must lie between 0 and 1")
    if ignore is not None:
        counted = targets != ignore  # (...)
        logits, targets = logits[counted], targets[counted]  # (n, vocab_size), (n,)
    # Thousands of exponentials are added up, and bfloat16 loses what is below a 256th of their sum.
    logits = logits.to(torch.promote_types(logits.dtype, torch.float32))
    aimed = logits.gather(-1, targets[..., None]).squeeze(-1)  # (...)
    if label_smoothing:
        aimed = aimed.lerp(logits.mean(dim=-1), label_smoothing)  # (...)
    return (logits.logsumexp(dim=-1) - aimed).sum() / max(targets.numel(), 1)


def next_token_loss(model: nn.Module, batch: Batch) -> Float[Tensor, ""]:
    """Average the surprise of a language model at the tokens that come next.

    Args:
        model: Gives logits for inputs.
        batch: Inputs and targets, (..., T) each.

    Example:
        >>> bigram = nn.Embedding.from_pretrained(torch.zeros(4, 4))
        >>> round(next_token_loss(bigram, (torch.tensor([0, 1, 2]), torch.tensor([1, 2, 3]))).exp().item(), 3)
        4.0
    """
    inputs, targets = batch
    return cross_entropy(model(inputs), targets)
