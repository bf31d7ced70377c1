"""Normalization: each token vector brought to one scale, with a learned gain for each feature."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.nn._base import Part


class _Norm(Part):
    def __init__(self, d_model: int, *, eps: float = 1e-5, dtype: torch.dtype | None = None) -> None:
        super().__init__(d_model=d_model, eps=eps)
        if not eps >= 0:
            raise ValueError(f"eps={eps} must not be negative")
        self.eps = eps
        self.gamma = nn.Parameter(torch.ones(d_model, dtype=dtype))


class LayerNorm(_Norm):
    r"""Bring each row to mean 0 and variance 1 over its own features, then stretch and shift each feature.

    .. math::

        y_a = \gamma_a\,\frac{x_a - \mu}{\sqrt{\sigma^2 + \epsilon}} + \beta_a

    The gain starts at 1 and the bias at 0.

    Args:
        d_model: Number of features.
        eps: Added to the variance.

    Source: Ba et al. (2016), eqs. 3 and 4, which leave eps out.

    Example:
        >>> LayerNorm(2, eps=0.0)(torch.tensor([1.0, 3.0])).detach().round(decimals=4)
        tensor([-1.,  1.])
    """

    def __init__(self, d_model: int, *, eps: float = 1e-5, dtype: torch.dtype | None = None) -> None:
        super().__init__(d_model, eps=eps, dtype=dtype)
        self.beta = nn.Parameter(torch.zeros_like(self.gamma))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalize each row."""
        return torch.layer_norm(x, self.gamma.shape, self.gamma, self.beta, self.eps)  # (..., d_model)


class RMSNorm(_Norm):
    r"""Bring each row to mean square 1 over its own features, then stretch each feature; no mean is subtracted.

    .. math::

        y_a = \gamma_a\,\frac{x_a}{\sqrt{\frac1d\sum_b x_b^2 + \epsilon}}

    The gain starts at 1.

    Args:
        d_model: Number of features.
        eps: Added to the mean square.

    Source: Zhang and Sennrich (2019), eq. 4, which leaves eps out.

    Example:
        >>> RMSNorm(2)(torch.zeros(2)).detach()
        tensor([0., 0.])
    """

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """Normalize each row."""
        return torch.rms_norm(x, self.gamma.shape, self.gamma, self.eps)  # (..., d_model)
