"""What an embedding table has learned: which tokens are close, and how many of its directions are used."""

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor


def neighbors(table: Float[Tensor, "vocab_size d_model"], token: int, n: int) -> list[tuple[int, float]]:
    """Return the other tokens whose rows have the largest cosines with the row of a token, best first.

    Raises:
        ValueError: the table has no such token, or no ``n`` others.

    Example:
        >>> table = torch.tensor([[1.0, 0.0], [2.0, 2.0], [-1.0, 0.0], [0.0, 0.5]])
        >>> [(i, round(cosine, 3)) for i, cosine in neighbors(table, 0, 2)]
        [(1, 0.707), (3, 0.0)]
    """
    if not 0 <= token < len(table) or not 0 < n < len(table):
        raise ValueError(f"token={token} and n={n} neighbors must lie within a table of {len(table)} rows")
    cosines = torch.nn.functional.cosine_similarity(table[token], table, dim=1)  # (vocab_size,)
    cosines[token] = -torch.inf
    values, tokens = cosines.topk(n)
    return list(zip(tokens.tolist(), values.tolist(), strict=True))


def used_directions(table: Float[Tensor, "vocab_size d_model"]) -> float:
    r"""Compute the effective number of directions of a table's rows: the participation ratio of their variances.

    .. math::

        \frac{\big(\sum_a \lambda_a\big)^2}{\sum_a \lambda_a^2}

    The :math:`\lambda_a` are the variances along the principal directions. If all are equal, the ratio is ``d_model``;
    if one is far above the others, it is nearly 1.

    Example:
        >>> round(used_directions(torch.tensor([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])), 6)
        2.0
    """
    rows = table.double()
    centered = rows - rows.mean(dim=0)  # (vocab_size, d_model)
    covariance = centered.T @ centered / len(table)  # (d_model, d_model)
    # The eigenvalues add up to the trace, and their squares to the sum of the squared entries.
    return (covariance.trace() ** 2 / (covariance**2).sum()).item()
