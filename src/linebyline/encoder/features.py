"""Features of a frozen encoder: the state of each token, their mean, or the state of the first token."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from clearformer.models import Encoder


def masked_mean(states: Float[Tensor, "n T d_model"], real: Bool[Tensor, "n T"]) -> Float[Tensor, "n d_model"]:
    """Average the states of the tokens that are not padding."""
    shares = real / real.sum(dim=1, keepdim=True)  # (n, T)
    return (shares[:, :, None] * states.masked_fill(~real[:, :, None], 0)).sum(dim=1)


@torch.no_grad()
def hidden_states(model: Encoder, ids: Int[Tensor, "n T"], pad: int) -> Float[Tensor, "n T d_model"]:
    """Return the states of the last block, some rows at a time."""
    return torch.cat([model.hidden_states(part, mask=part != pad) for part in torch.split(ids, 64)])


def fit(
    x: Float[Tensor, "n d"], labels: Int[Tensor, " n"], n_classes: int, decay: float = 0.1
) -> Float[Tensor, "d1 C"]:
    """Fit weights that score classes from features, by least squares; the last row is the bias.

    Example:
        >>> x, labels = torch.tensor([[-1.0], [1.0], [0.9]]), torch.tensor([0, 1, 1])
        >>> predict(fit(x, labels, 2), x).tolist()
        [0, 1, 1]
    """
    ones, targets = with_one(x), torch.nn.functional.one_hot(labels, n_classes).double()  # (n, d + 1), (n, C)
    pull = decay * len(x) * torch.eye(ones.shape[1], dtype=torch.float64)
    pull[-1, -1] = 0  # the bias is free
    weights: Tensor = torch.linalg.solve(ones.T @ ones + pull, ones.T @ targets)
    return weights


def predict(weights: Float[Tensor, "d1 C"], x: Float[Tensor, "n d"]) -> Int[Tensor, " n"]:
    """Return the class with the highest score."""
    return (with_one(x) @ weights).argmax(dim=1)


def with_one(x: Float[Tensor, "n d"]) -> Float[Tensor, "n d1"]:
    """Add a column of ones, in float64."""
    return torch.cat([x.double(), torch.ones(len(x), 1, dtype=torch.float64)], dim=1)


def probe(
    known: tuple[Float[Tensor, "n d"], Int[Tensor, " n"]],
    unseen: tuple[Float[Tensor, "m d"], Int[Tensor, " m"]],
    n_classes: int,
) -> float:
    """Measure the fraction of unseen examples whose class a linear probe of the features predicts right."""
    mean, spread = known[0].mean(dim=0), known[0].std(dim=0) + 1e-6
    weights = fit((known[0] - mean) / spread, known[1], n_classes)
    return (predict(weights, (unseen[0] - mean) / spread) == unseen[1]).float().mean().item()
