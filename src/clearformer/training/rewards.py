"""Learning from rewards: advantages within a group of answers, the loss of GRPO, and pass@k."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor


def group_advantages(rewards: Float[Tensor, "P G"], *, normalized: bool = True) -> Float[Tensor, "P G"]:
    r"""Compare each reward with those of the other answers to the same question.

    .. math::

        A_i = \frac{r_i - \operatorname{mean}(r_1, \dots, r_G)}{\operatorname{std}(r_1, \dots, r_G)}

    Rows are questions, columns their answers. Where all answers of a question have the same reward there is nothing to
    compare, and the advantages are 0. Without ``normalized`` the difference is not divided. Anything but rows of at
    least two rewards is a ValueError.

    Source: Shao et al. (2024), section 4.1.2; Liu et al. (2025) for leaving out the division.

    Example:
        >>> group_advantages(torch.tensor([[3.0, 1.0, 2.0], [1.0, 1.0, 1.0]])).tolist()
        [[1.0, -1.0, 0.0], [0.0, 0.0, 0.0]]
    """
    if rewards.ndim != 2 or rewards.shape[1] < 2:
        raise ValueError(f"rewards {tuple(rewards.shape)} must be (questions, answers), with two answers or more")
    centered = rewards - rewards.mean(dim=1, keepdim=True)  # (P, G)
    if not normalized:
        return centered
    std = rewards.std(dim=1, keepdim=True)  # (P, 1)
    return torch.where(std > 0, centered / std.where(std > 0, 1), 0)


def grpo_loss(
    log_probs: Float[Tensor, "n T"],
    sampled_log_probs: Float[Tensor, "n T"],
    advantages: Float[Tensor, " n"],
    counted: Bool[Tensor, "n T"],
    *,
    clip: float = 0.2,
    reference_log_probs: Float[Tensor, "n T"] | None = None,
    beta: float = 0.0,
) -> Float[Tensor, ""]:
    r"""Compute the loss of group relative policy optimization over answers that were sampled from the model.

    .. math::

        L = -\frac1n\sum_{i=1}^{n} \frac1{T_i}\sum_{t=1}^{T_i}
            \Big[\min\big(\rho_{it} A_i,\ \operatorname{clip}(\rho_{it}, 1 - \varepsilon, 1 + \varepsilon) A_i\big)
            - \beta\, d_{it}\Big], \qquad \rho_{it} = \frac{\pi(y_{it})}{\pi_\text{sampled}(y_{it})}

    Here :math:`d_{it} = \pi_\text{ref}/\pi - \ln(\pi_\text{ref}/\pi) - 1` estimates the KL divergence from a reference
    model. In the first step after sampling all ratios :math:`\rho` are 1, and the gradient is that of REINFORCE with
    the advantages: each token of a good answer becomes more likely.

    Args:
        log_probs: Log-probability of each sampled token under the model, (n, T).
        sampled_log_probs: The same under the model that sampled them; no gradient flows into it.
        advantages: One number for each answer, (n,).
        counted: True at the tokens of the answers, and False at padding.
        clip: How far a ratio may move from 1 before it stops counting, :math:`\varepsilon`.
        reference_log_probs: The same under the reference; needed if ``beta`` is not 0.
        beta: What a nat of divergence from the reference costs.

    Raises:
        ValueError: shapes do not fit, an answer has no token, a number is negative, or the reference is missing.

    Source: Shao et al. (2024), eq. 3 and 4.

    Example:
        >>> log_probs, counted = torch.tensor([[-1.0, -2.0]]), torch.ones(1, 2, dtype=torch.bool)
        >>> grpo_loss(log_probs, log_probs, torch.tensor([0.5]), counted).item()
        -0.5
    """
    if log_probs.ndim != 2 or {sampled_log_probs.shape, counted.shape} != {log_probs.shape}:
        shapes = [tuple(part.shape) for part in (log_probs, sampled_log_probs, counted)]
        raise ValueError(f"log-probabilities, those at sampling and counted must all be (n, T), got {shapes}")
    if advantages.shape != log_probs.shape[:1] or not counted.any(dim=1).all():
        raise ValueError(
            f"advantages {tuple(advantages.shape)} must be one for each of {len(log_probs)} answers with tokens"
        )
    if clip < 0 or beta < 0 or (beta and reference_log_probs is None):
        raise ValueError(f"{clip=} and {beta=} must not be negative, and beta needs reference_log_probs")
    ratio = (log_probs - sampled_log_probs.detach()).exp()  # (n, T)
    gain = advantages[:, None]  # (n, 1)
    terms = torch.minimum(ratio * gain, ratio.clamp(1 - clip, 1 + clip) * gain)  # (n, T)
    if reference_log_probs is not None:
        behind = reference_log_probs.detach() - log_probs  # (n, T)
        terms = terms - beta * (behind.exp() - behind - 1)
    return -(terms.where(counted, 0).sum(dim=1) / counted.sum(dim=1)).mean()


def pass_at_k(n: int, n_right: int, k: int) -> float:
    r"""Estimate the probability that at least one of k answers is right, from n samples, some of them right.

    .. math::

        \text{pass@}k = 1 - \binom{n - c}{k} \Big/ \binom{n}{k}

    This is the fraction of all choices of :math:`k` samples that contain one of the :math:`c` right ones, and its mean
    is the true probability. Numbers that cannot be, such as k > n, are a ValueError.

    Source: Chen et al. (2021), eq. 1.

    Example:
        >>> pass_at_k(4, 1, 2)  # 3 of the 6 pairs of samples contain the right one
        0.5
    """
    if not (1 <= k <= n and 0 <= n_right <= n):
        raise ValueError(f"{k=} must be between 1 and {n=}, and {n_right=} between 0 and n")
    return 1 - math.comb(n - n_right, k) / math.comb(n, k)
