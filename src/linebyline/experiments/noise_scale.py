"""The gradient noise scale: up to which batch size a larger batch still pays, from gradients of two batch sizes."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from clearformer import training


class NoiseScale(NamedTuple):
    """What gradients of two batch sizes say of the gradient of the whole text."""

    squared: float  #: An estimate of the squared length of the gradient of the whole text
    #: An estimate of tr Σ, the variance of the gradient of one example, summed over all parameters.
    variance: float


def noise_scale(small: Float[Tensor, "n n_params"], size: int) -> NoiseScale:
    r"""Estimate the noise scale from the gradients of some batches, whose mean is that of one large batch.

    .. math::

        |G|^2 \approx \frac{b_2\,|\mathbf g_2|^2 - b_1\,|\mathbf g_1|^2}{b_2 - b_1}, \qquad
        \operatorname{tr}\Sigma \approx \frac{|\mathbf g_1|^2 - |\mathbf g_2|^2}{1/b_1 - 1/b_2}

    with :math:`b_1` examples behind each small gradient, :math:`b_2 = n b_1` behind their mean, and
    :math:`|\mathbf g_1|^2` averaged over the small ones. Both are right in the mean over many draws; their ratio is
    not quite, so average each before it is taken.

    ``small`` has the mean gradient of each small batch of ``size`` examples, (n, n_params).

    Source: McCandlish et al. (2018), section 2.2 and appendix A.1.

    Example:
        >>> noise_scale(torch.tensor([[3.0, 1.0], [3.0, -1.0]]), size=4)
        NoiseScale(squared=8.0, variance=8.0)
    """
    of_small = small.square().sum(dim=1).mean().item()
    of_large = small.mean(dim=0).square().sum().item()
    large = len(small) * size
    squared = (large * of_large - size * of_small) / (large - size)
    return NoiseScale(squared, (of_small - of_large) / (1 / size - 1 / large))


def gradients(
    model: nn.Module, batches: Sequence[training.Batch], loss: Callable[..., Tensor] = training.next_token_loss
) -> Float[Tensor, "n n_params"]:
    """Compute the gradient of a model's loss on each of some batches, and leave the model as it was."""
    parameters = list(model.parameters())
    rows = [torch.autograd.grad(loss(model, batch), parameters) for batch in batches]
    return torch.stack([torch.cat([part.flatten() for part in row]) for row in rows])
