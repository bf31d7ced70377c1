"""Learning from preferences: the log-probability of an answer, and the loss of direct preference optimization (DPO)."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.training.masking import IGNORE_INDEX


def answer_log_probs(
    logits: Float[Tensor, "*batch T vocab_size"], targets: Int[Tensor, "*batch T"]
) -> Float[Tensor, "*batch"]:
    """Compute the log-probability of each whole answer, in nats: the sum over its tokens.

    Positions whose target is ``IGNORE_INDEX``, those of the question and of padding, do not count.
    Shapes that do not fit are a ValueError.

    Example:
        >>> targets = torch.tensor([[IGNORE_INDEX, 2, 1], [IGNORE_INDEX, 0, IGNORE_INDEX]])
        >>> answer_log_probs(torch.zeros(2, 3, 4), targets).exp().tolist()  # 1/16 and 1/4
        [0.0625, 0.25]
    """
    if logits.shape[:-1] != targets.shape:
        raise ValueError(f"logits {tuple(logits.shape)} must be {(*targets.shape, 'vocab_size')} for these targets")
    counted = targets != IGNORE_INDEX  # (..., T)
    log_probs = logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(dim=-1)
    of_targets = log_probs.gather(-1, targets.where(counted, 0)[..., None]).squeeze(-1)  # (..., T)
    return of_targets.where(counted, 0).sum(dim=-1)


def dpo_loss(
    chosen: Float[Tensor, " n"],
    rejected: Float[Tensor, " n"],
    reference_chosen: Float[Tensor, " n"],
    reference_rejected: Float[Tensor, " n"],
    *,
    beta: float,
) -> Float[Tensor, ""]:
    r"""Compute the loss of direct preference optimization over pairs of answers.

    .. math::

        L = -\operatorname{mean}\,\log\sigma\Big(\beta\,\log\frac{\pi(y^+)}{\pi_\text{ref}(y^+)}
            - \beta\,\log\frac{\pi(y^-)}{\pi_\text{ref}(y^-)}\Big)

    The number in parentheses is the margin of a pair. The loss falls as the margin grows, whether the chosen answer
    :math:`y^+` gains probability or the rejected one :math:`y^-` loses more of it.

    Args:
        chosen: Log-probability of each chosen answer under the model, as ``answer_log_probs`` gives it.
        rejected: The same for the rejected answers.
        reference_chosen: The same under the reference, the model before this training.
        reference_rejected: The same for the rejected answers.
        beta: How much the model pays for moving away from the reference; above 0.

    Raises:
        ValueError: the four have different shapes, or beta is not positive.

    Source: Rafailov et al. (2023), eq. 7.

    Example:
        >>> same = torch.tensor([-2.0])
        >>> round(dpo_loss(same, same, same, same, beta=0.1).item(), 4)  # no margin: ln 2
        0.6931
    """
    parts = (chosen, rejected, reference_chosen, reference_rejected)
    if len({part.shape for part in parts}) > 1 or not chosen.numel():
        raise ValueError(
            f"log-probabilities of shapes {[tuple(part.shape) for part in parts]} must be of the same pairs"
        )
    if not beta > 0:
        raise ValueError(f"beta={beta} must be positive")
    margin = beta * ((chosen - reference_chosen) - (rejected - reference_rejected))  # (n,)
    return -torch.nn.functional.logsigmoid(margin).mean()
