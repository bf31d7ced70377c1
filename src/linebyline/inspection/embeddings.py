"""What a table of embeddings has learned: which tokens lie close, and how many of its directions are used."""

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor


def neighbours(table: Float[Tensor, "vocab_size d_model"], token: int, n: int) -> list[tuple[int, float]]:
    """Return the tokens whose rows have the largest cosines with the row of a token, best first, without itself.

    Raises:
        ValueError: there is no such token, or the table has not as many others.

    Example:
        >>> table = torch.tensor([[1.0, 0.0], [2.0, 2.0], [-1.0, 0.0], [0.0, 0.5]])
        >>> [(i, round(cosine, 3)) for i, cosine in neighbours(table, 0, 2)]
        [(1, 0.707), (3, 0.0)]
    """
    if not 0 <= token < len(table) or not 0 < n < len(table):
        raise ValueError(f"token={token} and n={n} neighbours must lie within a table of {len(table)} rows")
    cosines = torch.nn.functional.cosine_similarity(table[token], table, dim=1)  # (vocab_size,)
    cosines[token] = -torch.inf
    found = cosines.topk(n)
    return list(zip(found.indices.tolist(), found.values.tolist(), strict=True))


def used_directions(table: Float[Tensor, "vocab_size d_model"]) -> float:
    r"""Count the directions that the rows of a table spread over: the participation ratio of the variances.

    .. math::

        \frac{\big(\sum_a \lambda_a\big)^2}{\sum_a \lambda_a^2}

    The :math:`\lambda_a` are the variances along the principal directions. With all variances alike it is ``d_model``,
    with one above all others nearly 1.

    Example:
        >>> round(used_directions(torch.tensor([[1.0, 0, 0], [-1.0, 0, 0], [0, 1.0, 0], [0, -1.0, 0]])), 6)
        2.0
    """
    rows = table.double()
    centred = rows - rows.mean(dim=0)  # (vocab_size, d_model)
    covariance = centred.T @ centred / len(table)  # (d_model, d_model)
    # The sum of eigenvalues is the trace, that of their squares the sum of the squared entries.
    return (covariance.trace() ** 2 / (covariance**2).sum()).item()
