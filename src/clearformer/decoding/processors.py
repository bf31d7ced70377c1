"""Logits processors that reshape or truncate a distribution, and their composition in a fixed order.

Each takes logits of the next token, (B, vocab_size). It refuses logits that are not floats of this shape, a row with
NaN, with +inf or with nothing but -inf, and a parameter outside its range.
"""

from collections.abc import Callable
from functools import partial

import torch
from jaxtyping import Float
from torch import Tensor

from clearformer.decoding._checks import require_count, require_fraction, require_logits, require_number
from clearformer.decoding.penalties import frequency_penalty, presence_penalty, repetition_penalty

# Logits (B, vocab_size) and the tokens so far (B, T) in; logits of the same shape out.
Processor = Callable[[Tensor, Tensor], Tensor]


def temperature(logits: Float[Tensor, "B vocab_size"], tau: float) -> Float[Tensor, "B vocab_size"]:
    r"""Divide the logits by a temperature.

    .. math::

        z_i \mapsto z_i / \tau, \qquad p_i \mapsto p_i^{1/\tau} \Big/ \sum_j p_j^{1/\tau}

    A temperature below 1 favors likely tokens, one above 1 unlikely tokens; the order of the tokens stays the same.
    It must be above 0: the limit 0 is ``greedy_search``.

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

    ``k`` is an integer from 1 to ``vocab_size``. Tokens tied with the k-th highest all stay, so more can remain.

    Source: Fan et al. (2018); ``TopKLogitsWarper`` in transformers, which accepts a ``k`` above ``vocab_size``.

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

    A nucleus whose sum is exactly ``p`` is complete: at ``p=0.8`` the probabilities .5, .3 and .2 keep two tokens.
    Rounding can break such a tie: float32 keeps two here, float64 three. As in transformers, the sum is taken from
    the unlikely end, and a token is dropped if it and all less likely ones sum to at most ``1 - p``. Of tied tokens
    those with lower ids are dropped first. ``p`` is above 0 and at most 1.

    Source: Holtzman et al. (2020); ``TopPLogitsWarper`` in transformers.

    Example:
        >>> top_p(torch.tensor([[0.5, 0.3, 0.2]]).log(), 0.7).exp()
        tensor([[0.5000, 0.3000, 0.0000]])
    """
    require_fraction("p", p)
    require_logits(logits)
    ascending, order = logits.sort(dim=-1, stable=True)  # (B, vocab_size) each
    p_ascending = ascending.softmax(dim=-1)
    tail = p_ascending.cumsum(dim=-1)  # of each token and all less likely ones
    dropped = tail <= 1 - p
    dropped[:, -1] = False
    kept = ascending.masked_fill_(dropped, -torch.inf)
    return logits.scatter(-1, order, kept)  # back in the order of the vocabulary


def min_p(logits: Float[Tensor, "B vocab_size"], p: float) -> Float[Tensor, "B vocab_size"]:
    """Keep the tokens that are at least ``p`` times as likely as the most likely one, with ``p`` in (0, 1].

    Source: Nguyen et al. (2024); ``MinPLogitsWarper`` in transformers.

    Example:
        >>> min_p(torch.tensor([[0.5, 0.3, 0.2]]).log(), 0.5).exp()
        tensor([[0.5000, 0.3000, 0.0000]])
    """
    require_fraction("p", p)
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

    The order is fixed because the steps do not commute: the nucleus of a flatter distribution is larger.
    Each argument is the parameter of one step, and a step at its neutral value, the default (or ``p=1``), is left out.

    Returns:
        A function from logits (B, vocab_size) and the tokens so far (B, T) to logits of the same shape.

    Raises:
        TypeError: ``k`` is not an integer.
        ValueError: a value is refused by its step; a ``k`` above ``vocab_size`` only once logits are given.

    Example:
        >>> processor = pipeline(presence=1.0, k=2)
        >>> processor(torch.tensor([[3.0, 1.0, 2.0]]), torch.tensor([[0, 0]]))
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
        steps.append(lambda logits, ids: temperature(logits, tau))
    if k is not None:
        require_count("k", k)
        steps.append(lambda logits, ids: top_k(logits, k))
    if p is not None:
        require_fraction("p", p)
        if p < 1:
            steps.append(lambda logits, ids: top_p(logits, p))
    if min_p is not None:
        require_fraction("min_p", min_p)
        steps.append(lambda logits, ids: _min_p(logits, min_p))

    def processor(logits: Tensor, ids: Tensor) -> Tensor:
        for step in steps:
            logits = step(logits, ids)
        return logits

    return processor
