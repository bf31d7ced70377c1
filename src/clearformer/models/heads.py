"""Read-outs: what is made of the states of the last block."""

from collections.abc import Callable

import torch
import torch.nn.functional
from jaxtyping import Float
from torch import Tensor, nn

from clearformer.nn import Embedding, _linear


class TiedLMHead(nn.Module):
    r"""Score every token by the match of its embedding with the state: the table is read a second time.

    .. math::

        \text{logits} = s\,X E^\top

    Args:
        embedding: Whose table it is; it stays theirs.
        scale: The factor s; T5 has one by the root of ``d_model``.

    Source: Press and Wolf (2017).

    Example:
        >>> embedding = Embedding(11, 8, generator=torch.Generator().manual_seed(0))
        >>> TiedLMHead(embedding)(torch.zeros(5, 8)).shape
        torch.Size([5, 11])
    """

    def __init__(self, embedding: Embedding, *, scale: float = 1.0) -> None:
        super().__init__()
        self._owner, self.scale = (embedding,), scale  # in a tuple, so that the table is not counted as ours as well

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Score every token."""
        x = x if self.scale == 1 else x * self.scale
        return _linear.product(x, self.embedding.table.T, None)

    @property
    def embedding(self) -> Embedding:
        """Give the embedding whose table is read."""
        return self._owner[0]


class LinearHead(nn.Module):
    r"""Score every token of a vocabulary, or every class of each token, by weights of their own.

    .. math::

        \text{logits} = X W + b

    Args:
        d_model: Width of the states.
        n_outputs: Number of scores.
        bias: Whether a bias is added.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Example:
        >>> LinearHead(8, 3, generator=torch.Generator().manual_seed(0))(torch.zeros(5, 8)).shape
        torch.Size([5, 3])
    """

    b: Tensor | None

    def __init__(self, d_model: int, n_outputs: int, *, bias: bool = False, generator: torch.Generator | None) -> None:
        super().__init__()
        if d_model < 1 or n_outputs < 1:
            raise ValueError(f"d_model={d_model} and n_outputs={n_outputs} must be at least 1")
        self.w = _linear.matrix(d_model, n_outputs, generator, None)
        self.register_parameter("b", _linear.zeros(n_outputs, generator, None) if bias else None)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch n_outputs"]:
        """Give the scores.

        Raises:
            ValueError: ``x`` has another width.
        """
        return _linear.product(x, self.w, self.b)


class MaskedLMHead(nn.Module):
    r"""Guess hidden tokens: one more layer on each state, then the match with every embedding.

    .. math::

        \text{logits} = \operatorname{Norm}\big(\varphi(XW + b)\big)\,E^\top + c

    Args:
        embedding: Whose table is read a second time.
        norm: Works on what is matched.
        activation: Works on each number by itself; the exact GELU when left out.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Devlin et al. (2019), in the form of their published weights.

    Example:
        >>> generator = torch.Generator().manual_seed(0)
        >>> embedding = Embedding(11, 8, generator=generator)
        >>> MaskedLMHead(embedding, nn.LayerNorm(8), generator=generator)(torch.zeros(5, 8)).shape
        torch.Size([5, 11])
    """

    def __init__(
        self,
        embedding: Embedding,
        norm: nn.Module,
        *,
        activation: Callable[[Tensor], Tensor] = torch.nn.functional.gelu,
        generator: torch.Generator | None,
    ) -> None:
        super().__init__()
        vocab_size, d_model = embedding.table.shape
        self.dense, self.activation = LinearHead(d_model, d_model, bias=True, generator=generator), activation
        self.norm, self.tied = norm, TiedLMHead(embedding)
        self.c = _linear.zeros(vocab_size, generator, None)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Score every token at each position."""
        logits: Tensor = self.tied(self.norm(self.activation(self.dense(x)))) + self.c
        return logits


class ClassificationHead(nn.Module):
    r"""Score the classes of a whole sequence, by the state of its first token.

    .. math::

        \text{logits} = \tanh(\mathbf x_0 W + b)\,W' + b'

    Args:
        d_model: Width of the states.
        n_classes: Number of classes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Devlin et al. (2019), section 3 and the form of their published weights: the first layer is their pooler.

    Example:
        >>> ClassificationHead(8, 3, generator=torch.Generator().manual_seed(0))(torch.zeros(2, 5, 8)).shape
        torch.Size([2, 3])
    """

    def __init__(self, d_model: int, n_classes: int, *, generator: torch.Generator | None) -> None:
        super().__init__()
        self.pooler = LinearHead(d_model, d_model, bias=True, generator=generator)
        self.classes = LinearHead(d_model, n_classes, bias=True, generator=generator)

    def forward(self, x: Float[Tensor, "*batch T d_model"]) -> Float[Tensor, "*batch n_classes"]:
        """Give the scores of each sequence."""
        logits: Tensor = self.classes(self.pooler(x[..., 0, :]).tanh())
        return logits
