"""Low-rank adaptation (LoRA): keep the weights of a model as they are, and train a small update of each matrix."""

import math
from collections.abc import Collection

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.utils import parametrize

BLOCK_MATRICES = ("w_qkv", "w_o", "w_in", "w_gate", "w_out")  # the matrices of attention and of feed-forward layers


class LoRA(nn.Module):
    r"""Add a trained matrix of low rank to a frozen one.

    .. math::

        W' = W + \frac{\alpha}{r} A B, \qquad A \in \mathbb{R}^{m\times r},\; B \in \mathbb{R}^{r\times n}

    Only :math:`A` and :math:`B` are trained, :math:`r(m + n)` numbers in place of :math:`mn`. :math:`A` starts with
    random numbers of standard deviation :math:`1/\sqrt m` and :math:`B` with zeros, so :math:`W' = W` at first.

    Args:
        weight: The frozen matrix, (m, n), of a part that computes :math:`XW`.
        rank: The rank :math:`r`, between 1 and the smaller side of the matrix.
        alpha: The scale :math:`\alpha`; the rank when left out, so that the update is :math:`AB`.
        generator: The source of the random numbers.

    Raises:
        ValueError: the weight is no matrix, or the rank does not fit it.

    Source: Hu et al. (2022), section 4.1.

    Example:
        >>> update = LoRA(torch.eye(4), rank=1)
        >>> torch.equal(update(torch.eye(4)), torch.eye(4)), sum(p.numel() for p in update.parameters())
        (True, 8)
    """

    def __init__(
        self, weight: Tensor, rank: int, *, alpha: float | None = None, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        if weight.ndim != 2 or not 1 <= rank <= min(weight.shape):
            raise ValueError(
                f"rank={rank} must be between 1 and the smaller side of a matrix, got {tuple(weight.shape)}"
            )
        m, n = weight.shape
        a = torch.randn(m, rank, generator=generator, dtype=weight.dtype) / math.sqrt(m)  # (m, rank)
        self.a = nn.Parameter(a.to(weight.device))
        self.b = nn.Parameter(weight.new_zeros(rank, n))
        self.scale = 1.0 if alpha is None else alpha / rank

    def forward(self, weight: Float[Tensor, "m n"]) -> Float[Tensor, "m n"]:
        """Return the sum of the frozen matrix and the update, (m, n)."""
        return weight + self.scale * (self.a @ self.b)


def add_lora(
    model: nn.Module,
    rank: int,
    *,
    alpha: float | None = None,
    matrices: Collection[str] = BLOCK_MATRICES,
    generator: torch.Generator | None = None,
) -> list[str]:
    """Freeze a model, and put a trained update of low rank around each of its chosen matrices.

    The model computes with the sum of both wherever it used the matrix before, and nothing else of it is trained.

    Args:
        model: Any model; it is changed in place.
        rank: The rank of the updates.
        alpha: Their scale, as in ``LoRA``.
        matrices: The names of the parameters to adapt, each the last part of a name such as ``blocks.0.attention.w_o``.
        generator: The source of the random numbers.

    Returns:
        The full names of the adapted matrices.

    Raises:
        ValueError: the model has no such matrix, has updates already, or the rank does not fit.

    Source: Hu et al. (2022), section 4.2.

    Example:
        >>> model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 2))
        >>> add_lora(model, 1, matrices=["weight"])
        ['0.weight', '1.weight']
        >>> [tuple(p.shape) for p in model.parameters() if p.requires_grad]
        [(4, 1), (1, 4), (2, 1), (1, 4)]
    """
    if _adapted(model):
        raise ValueError("the model already has LoRA updates: merge them first, with merge_lora")
    owners = dict(model.named_modules())
    names = [name for name, _ in model.named_parameters() if name.rpartition(".")[2] in matrices]
    if not names:
        raise ValueError(f"no parameter of the model is named {' or '.join(matrices)}")
    chosen = [(owners[owner], name) for owner, _, name in (full.rpartition(".") for full in names)]
    updates = [LoRA(getattr(owner, name), rank, alpha=alpha, generator=generator) for owner, name in chosen]
    model.requires_grad_(False)
    for (owner, name), update in zip(chosen, updates, strict=True):
        parametrize.register_parametrization(owner, name, update)
    return names


def merge_lora(model: nn.Module) -> None:
    """Add the updates to the matrices, so that the model has its old names and shapes again, and costs no more.

    A model without updates is a ValueError. All its weights are trainable afterwards.

    Source: Hu et al. (2022), section 4.1: no additional latency.

    Example:
        >>> model = nn.Sequential(nn.Linear(4, 4))
        >>> _ = add_lora(model, 1, matrices=["weight"])
        >>> merge_lora(model)
        >>> list(model.state_dict())
        ['0.bias', '0.weight']
    """
    adapted = _adapted(model)
    if not adapted:
        raise ValueError("the model has no LoRA updates to merge")
    for owner, name in adapted:
        parametrize.remove_parametrizations(owner, name, leave_parametrized=True)
    model.requires_grad_(True)


def _adapted(model: nn.Module) -> list[tuple[nn.Module, str]]:
    """Return the matrices with updates, as the modules that own them and their names there."""
    return [
        (owner, name)
        for owner in model.modules()
        if parametrize.is_parametrized(owner)
        for name, added in owner.parametrizations.items()  # type: ignore[union-attr, operator]
        if any(isinstance(part, LoRA) for part in added)
    ]
