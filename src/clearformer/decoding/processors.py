"""Logits processors that reshape or cut a distribution, and their composition in one order."""

from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from clearformer.decoding._checks import require_count, require_logits, require_number, require_share
from clearformer.decoding.penalties import frequency_penalty, presence_penalty, repetition_penalty

# Logits (B, vocab_size) and the tokens so far (B, T) in; logits of the same shape out.
Processor = Callable[[Tensor, Tensor], Tensor]


def temperature(logits: Float[Tensor, "B vocab_size"], tau: float) -> Float[Tensor, "B vocab_size"]:
    r"""Divide the logits by a temperature.

    .. math::

        z_i \mapsto z_i / \tau, \qquad p_i \mapsto p_i^{1/\tau} \Big/ \sum_j p_j^{1/\tau}

    Below 1 the likely tokens gain, above 1 the unlikely ones; the order of the tokens stays.

    Args:
        logits: Scores of the next token, (B, vocab_size).
        tau: The temperature, above 0. The limit 0 is ``greedy_search``.

    Returns:
        The scaled logits.

    Raises:
        TypeError: ``logits`` are not floats.
        ValueError: ``tau`` is not positive and finite, or a row of ``logits`` allows no choice.

    Source: Ackley, Hinton and Sejnowski (1985); ``TemperatureLogitsWarper`` in transformers.

    Example:
        >>> temperature(torch.tensor([[0.0, 1.0, -torch.inf]]), 0.5)
        tensor([[0., 2., -inf]])
    """
    require_number("tau", tau, positive=True)
    require_logits(logits)
    return logits / tau


def top_k(logits: Float[Tensor, "B vocab_size"], k: int) -> Float[Tensor, "B vocab_size"]:
    """Mask all but the ``k`` highest logits.

    Tokens tied with the k-th highest all stay, so more than ``k`` can remain.

    Args:
        logits: Scores of the next token, (B, vocab_size).
        k: How many to keep, from 1 to ``vocab_size``.

    Returns:
        The logits, with -inf at the tokens that fell out.

    Raises:
        TypeError: ``k`` is not an integer, or ``logits`` are not floats.
        ValueError: ``k`` is below 1 or above ``vocab_size``, or a row of ``logits`` allows no choice.

    Source: Fan et al. (2018); ``TopKLogitsWarper`` in transformers, which takes too large a ``k`` for all tokens.

    Example:
        >>> top_k(torch.tensor([[3.0, 1.0, 2.0, 2.0]]), 2)
        tensor([[3., -inf, 2., 2.]])
    """
    require_count("k", k)
    require_logits(logits)
    vocab_size = logits.shape[1]
    if k > vocab_size:
        raise ValueError(f"k={k} must be at most the vocabulary of {vocab_size} tokens")
    kth = logits.topk(k, dim=-1).values[:, -1:]  # (B, 1)
    return logits.masked_fill(logits < kth, -torch.inf)


def top_p(logits: Float[Tensor, "B vocab_size"], p: float) -> Float[Tensor, "B vocab_size"]:
    r"""Keep the nucleus: the fewest most likely tokens whose probabilities sum to at least ``p``.

    A nucleus that sums to ``p`` exactly is complete: at ``p=0.8`` the probabilities .5, .3 and .2 keep two
    tokens. Rounding can turn such a tie: float32 keeps two there, float64 three. As in transformers, the sum
    is taken from the unlikely end, and a token falls out when it and all below it sum to at most ``1 - p``.
    Of tied tokens those with the lower ids fall out first.

    Args:
        logits: Scores of the next token, (B, vocab_size).
        p: The probability to reach, above 0 and at most 1.

    Returns:
        The logits, with -inf at the tokens that fell out; the most likely one always stays.

    Raises:
        TypeError: ``logits`` are not floats.
        ValueError: ``p`` is outside (0, 1], or a row of ``logits`` allows no choice.

    Source: Holtzman et al. (2020); ``TopPLogitsWarper`` in transformers.

    Example:
        >>> top_p(torch.tensor([[0.5, 0.3, 0.2]]).log(), 0.7).exp()
        tensor([[0.5000, 0.3000, 0.0000]])
    """
    require_share("p", p)
    require_logits(logits)
    ascending, order = logits.sort(dim=-1, stable=True)  # (B, vocab_size) each
    below = ascending.softmax(dim=-1).cumsum(dim=-1)  # with all less likely ones
    falls_out = below <= 1 - p
    falls_out[:, -1] = False
    kept = ascending.masked_fill_(falls_out, -torch.inf)
    return logits.scatter(-1, order, kept)  # back in their own places


def min_p(logits: Float[Tensor, "B vocab_size"], p: float) -> Float[Tensor, "B vocab_size"]:
    """Keep the tokens that are at least ``p`` times as likely as the most likely one.

    Args:
        logits: Scores of the next token, (B, vocab_size).
        p: The ratio to reach, above 0 and at most 1.

    Returns:
        The logits, with -inf at the tokens that fell out; the most likely one always stays.

    Raises:
        TypeError: ``logits`` are not floats.
        ValueError: ``p`` is outside (0, 1], or a row of ``logits`` allows no choice.

    Source: Nguyen et al. (2024); ``MinPLogitsWarper`` in transformers.

    Example:
        >>> min_p(torch.tensor([[0.5, 0.3, 0.2]]).log(), 0.5).exp()
        tensor([[0.5000, 0.3000, 0.0000]])
    """
    require_share("p", p)
    require_logits(logits)
    probabilities = logits.softmax(dim=-1)  # (B, vocab_size)
    highest = probabilities.amax(dim=-1, keepdim=True)  # (B, 1)
    return logits.masked_fill(probabilities < p * highest, -torch.inf)


_min_p = min_p  # In ``pipeline`` the name is a parameter.


def pipeline(
    *,
    frequency: float = 0.0,
    presence: float = 0.0,
    repetition: float = 1.0,
    tau: float = 1.0,
    k: int | None = None,
    p: float | None = None,
    min_p: float | None = None,
) -> Processor:
    """Compose the processors: frequency, presence and repetition penalty, temperature, top-k, top-p, min-p.

    The order is fixed, because the steps do not commute: a nucleus of a flattened distribution is larger.
    A step at its neutral value, the default (or ``p=1``), is not part of the pipeline at all.

    Args:
        frequency: ``alpha`` of ``frequency_penalty``.
        presence: ``beta`` of ``presence_penalty``.
        repetition: ``rho`` of ``repetition_penalty``.
        tau: Of ``temperature``.
        k: Of ``top_k``.
        p: Of ``top_p``.
        min_p: ``p`` of ``min_p``.

    Returns:
        A function of logits (B, vocab_size) and the tokens so far (B, T) that gives logits of the same shape.

    Raises:
        TypeError: ``k`` is not an integer.
        ValueError: a value is refused by its step; all but ``k`` above ``vocab_size`` are refused here already.

    Example:
        >>> process = pipeline(presence=1.0, k=2)
        >>> process(torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([[0, 0]]))
        tensor([[2., -inf, 2.]])
    """
    require_number("frequency", frequency)
    require_number("presence", presence)
    require_number("repetition", repetition, positive=True)
    require_number("tau", tau, positive=True)
    steps: list[Processor] = []
    if frequency != 0:
        steps.append(partial(frequency_penalty, alpha=frequency))
    if presence != 0:
        steps.append(partial(presence_penalty, beta=presence))
    if repetition != 1:
        steps.append(partial(repetition_penalty, rho=repetition))
    if tau != 1:
        steps.append(_ignoring_ids(temperature, tau))
    if k is not None:
        require_count("k", k)
        steps.append(_ignoring_ids(top_k, k))
    if p is not None:
        require_share("p", p)
        if p < 1:
            steps.append(_ignoring_ids(top_p, p))
    if min_p is not None:
        require_share("min_p", min_p)
        steps.append(_ignoring_ids(_min_p, min_p))

    def process(logits: Tensor, ids: Tensor) -> Tensor:
        for step in steps:
            logits = step(logits, ids)
        return logits

    return process


def _ignoring_ids(step: Callable[[Tensor, Any], Tensor], value: int | float) -> Processor:
    """Make a processor of a step that asks for the logits only."""
    return lambda logits, ids: step(logits, value)
