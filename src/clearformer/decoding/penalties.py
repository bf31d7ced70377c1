"""Logits processors that make tokens less likely if they have occurred before.

Each takes logits of the next token, (B, vocab_size), and the tokens so far, (B, T); whether they include the prompt is
the caller's choice. It refuses logits and ids that do not fit together, a token outside the vocabulary, a row of logits
with NaN, with +inf or with nothing but -inf, and a penalty that is not finite.
"""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from clearformer.decoding._checks import require_ids, require_logits, require_number


def frequency_penalty(
    logits: Float[Tensor, "B vocab_size"], ids: Int[Tensor, "B T"], alpha: float
) -> Float[Tensor, "B vocab_size"]:
    r"""Lower the logit of each token by ``alpha`` for each of its occurrences so far.

    .. math::

        z_i \mapsto z_i - \alpha\, n_i

    A negative penalty encourages repetition.

    Source: OpenAI's API reference, ``frequency_penalty``.

    Example:
        >>> frequency_penalty(torch.zeros(1, 3), torch.tensor([[0, 2, 0]]), 0.5)
        tensor([[-1.0000,  0.0000, -0.5000]])
    """
    require_number("alpha", alpha)
    require_logits(logits)
    require_ids(ids, logits)
    counts = torch.zeros_like(logits)  # (B, vocab_size)
    counts.scatter_add_(1, ids, counts.new_ones(()).expand(ids.shape))
    return logits - alpha * counts


def presence_penalty(
    logits: Float[Tensor, "B vocab_size"], ids: Int[Tensor, "B T"], beta: float
) -> Float[Tensor, "B vocab_size"]:
    r"""Lower the logit of each token that has occurred by ``beta``, once.

    .. math::

        z_i \mapsto z_i - \beta\, [n_i > 0]

    A negative penalty encourages repetition.

    Source: OpenAI's API reference, ``presence_penalty``.

    Example:
        >>> presence_penalty(torch.zeros(1, 3), torch.tensor([[0, 2, 0]]), 0.5)
        tensor([[-0.5000,  0.0000, -0.5000]])
    """
    require_number("beta", beta)
    require_logits(logits)
    require_ids(ids, logits)
    return logits - beta * _has_occurred(logits, ids).to(logits.dtype)


def repetition_penalty(
    logits: Float[Tensor, "B vocab_size"], ids: Int[Tensor, "B T"], rho: float
) -> Float[Tensor, "B vocab_size"]:
    r"""Divide the positive logits of tokens that have occurred by ``rho``, and multiply the negative ones.

    .. math::

        z_i \mapsto \begin{cases} z_i / \rho & z_i > 0 \\ z_i\, \rho & z_i < 0 \end{cases} \qquad\text{where } n_i > 0

    A logit of 0 stays 0, whatever ``rho`` is. So the result depends on the zero point of the logits: adding a
    constant to all of them leaves the probabilities as they are, but changes what the penalty does. ``rho`` is above 0;
    below 1 it encourages repetition.

    Source: Keskar et al. (2019), in the form of ``RepetitionPenaltyLogitsProcessor`` in transformers.

    Example:
        >>> repetition_penalty(torch.tensor([[3.0, -1.0, 3.0]]), torch.tensor([[0, 1]]), 2.0)
        tensor([[ 1.5000, -2.0000,  3.0000]])
    """
    require_number("rho", rho, positive=True)
    require_logits(logits)
    require_ids(ids, logits)
    scaled = torch.where(logits < 0, logits * rho, logits / rho)  # (B, vocab_size)
    return torch.where(_has_occurred(logits, ids), scaled, logits)


def _has_occurred(logits: Tensor, ids: Tensor) -> Bool[Tensor, "B vocab_size"]:
    """Return True for each token of the vocabulary that is among the tokens so far."""
    return torch.zeros_like(logits, dtype=torch.bool).scatter_(1, ids, True)
