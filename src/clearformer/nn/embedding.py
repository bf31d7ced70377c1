"""The embedding as a module: a vector for each token, and what is added to it before the first block."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.nn import _linear


class Embedding(nn.Module):
    r"""Look up a vector for each token; add its position and its segment, and normalize, where a model does so.

    .. math::

        X = \operatorname{Norm}(s\,E_{ids} + P + G_{segments})

    Rows of :math:`E` start with length 1: read a second time as output, they give the other tokens logits that
    differ by about 1.

    Args:
        vocab_size: Number of tokens.
        d_model: Width of the token vectors.
        position: Adds positions to vectors, called with them and the position of the first, such as
            ``LearnedEncoding``; nothing when left out.
        n_segments: Number of segments, of which each has a vector of its own, as the two sentences of BERT.
        norm: Works on the sum, as in BERT.
        scale: The factor s; the first Transformer has the root of ``d_model``.
        generator: Where the random start comes from; None leaves the table empty, to be filled.

    Raises:
        ValueError: a size is not positive.

    Source: Vaswani et al. (2017), section 3.4; Devlin et al. (2019), figure 2, for segments.

    Example:
        >>> embedding = Embedding(11, 8, generator=torch.Generator().manual_seed(0))
        >>> embedding(torch.tensor([[3, 1, 4]])).shape
        torch.Size([1, 3, 8])
    """

    segments: Tensor | None

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        position: nn.Module | None = None,
        n_segments: int = 0,
        norm: nn.Module | None = None,
        scale: float = 1.0,
        generator: torch.Generator | None,
    ) -> None:
        super().__init__()
        if vocab_size < 1 or d_model < 1 or n_segments < 0:
            sizes = f"vocab_size={vocab_size} and d_model={d_model}"
            raise ValueError(f"{sizes} must be at least 1, and n_segments={n_segments} not negative")
        self.scale, std = scale, 1 / math.sqrt(d_model)
        self.table = _linear.normal((vocab_size, d_model), std, generator, None)
        segments = _linear.normal((n_segments, d_model), std, generator, None) if n_segments else None
        self.register_parameter("segments", segments)
        self.position, self.norm = position, norm

    def forward(
        self, ids: Int[Tensor, "*batch T"], first: int = 0, *, segments: Int[Tensor, "*batch T"] | None = None
    ) -> Float[Tensor, "*batch T d_model"]:
        """Give a vector for each token.

        Args:
            ids: Token ids, (..., T).
            first: Position of the first one.
            segments: The segment of each token, (..., T); all in segment 0 when left out.

        Raises:
            TypeError: the ids are not integers.
            ValueError: there are no ids, or one is not in the vocabulary; the positions run out; a segment does
                not exist, or there are none, or not one for each id.
        """
        if segments is not None and segments.shape != ids.shape:
            raise ValueError(f"segments {tuple(segments.shape)} must have the shape of the ids {tuple(ids.shape)}")
        x = _rows(self.table, ids, "ids", "vocab_size")  # (..., T, d_model)
        if self.scale != 1:
            x = x * self.scale
        if self.position is not None:
            x = self.position(x, first)
        if self.segments is not None:
            x = x + (self.segments[0] if segments is None else _rows(self.segments, segments, "segments", "n_segments"))
        elif segments is not None:
            raise ValueError("segments were given, but the embedding has n_segments=0")
        return x if self.norm is None else self.norm(x)


def _rows(table: Tensor, ids: Tensor, name: str, size: str) -> Tensor:
    """Look rows up, and refuse ids that have none."""
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be int64 or int32, got dtype {ids.dtype}")
    if not ids.numel():
        raise ValueError(f"{name} must hold a token at least, got shape {tuple(ids.shape)}")
    try:
        return torch.embedding(table, ids)
    except IndexError:
        span = f"{int(ids.min())} to {int(ids.max())}"
        raise ValueError(f"{name} {span} must lie between 0 and {size} - 1 = {len(table) - 1}") from None
