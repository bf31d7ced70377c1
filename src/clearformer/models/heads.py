"""Heads: what is computed from the hidden states of the last block. ``TiedLMHead`` is in ``nn.embedding``."""

from collections.abc import Callable

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.nn import Embedding, TiedLMHead
from clearformer.nn._base import Part, linear, matrix


class LinearHead(Part):
    r"""Score every token of a vocabulary, or every class of each token, with weights of its own.

    .. math::

        \text{logits} = X W + b

    Args:
        d_model: Width of the hidden states.
        n_outputs: Number of scores.
        bias: Whether a bias is added.

    Example:
        >>> LinearHead(8, 3)(torch.zeros(5, 8)).shape
        torch.Size([5, 3])
    """

    def __init__(
        self,
        d_model: int,
        n_outputs: int,
        *,
        bias: bool = False,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(d_model=d_model, n_outputs=n_outputs, bias=bias)
        self.w = matrix(d_model, [n_outputs], generator, dtype)
        self.b = nn.Parameter(self.w.new_zeros(n_outputs)) if bias else None

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch n_outputs"]:
        """Return the scores."""
        return linear(x, self.w, self.b)


class MaskedLMHead(nn.Module):
    r"""Predict masked tokens: one more layer on each hidden state, then the product with every embedding.

    .. math::

        \text{logits} = \operatorname{Norm}\big(\varphi(XW + b)\big)\,E^\top + c

    Args:
        embedding: The module whose table is used.
        norm: Applied before the product.
        activation: The nonlinearity; the exact GELU when left out.

    Source: Devlin et al. (2019), in the form of their published weights.

    Example:
        >>> MaskedLMHead(Embedding(11, 8), nn.LayerNorm(8))(torch.zeros(5, 8)).shape
        torch.Size([5, 11])
    """

    def __init__(
        self,
        embedding: Embedding,
        norm: nn.Module,
        *,
        activation: Callable[[Tensor], Tensor] = torch.nn.functional.gelu,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        vocab_size, d_model = embedding.table.shape
        self.dense = LinearHead(d_model, d_model, bias=True, generator=generator, dtype=dtype)
        self.activation, self.norm, self.tied = activation, norm, TiedLMHead(embedding)
        self.c = nn.Parameter(self.dense.w.new_zeros(vocab_size))

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Return the logits of every token."""
        logits: Tensor = self.tied(self.norm(self.activation(self.dense(x)))) + self.c
        return logits


class ClassificationHead(nn.Module):
    r"""Score the classes of a whole sequence by the hidden state of its first token.

    .. math::

        \text{logits} = \tanh(\mathbf x_0 W + b)\,W' + b'

    Args:
        d_model: Width of the hidden states.
        n_classes: Number of classes.

    Source: Devlin et al. (2019), section 3, where the first layer is called pooler.

    Example:
        >>> ClassificationHead(8, 3)(torch.zeros(2, 5, 8)).shape
        torch.Size([2, 3])
    """

    def __init__(
        self,
        d_model: int,
        n_classes: int,
        *,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.pooler = LinearHead(d_model, d_model, bias=True, generator=generator, dtype=dtype)
        self.classes = LinearHead(d_model, n_classes, bias=True, generator=generator, dtype=dtype)

    def forward(self, x: Float[Tensor, "*batch T d_model"]) -> Float[Tensor, "*batch n_classes"]:
        """Return the scores of each sequence."""
        logits: Tensor = self.classes(self.pooler(x[..., 0, :]).tanh())
        return logits
