"""The embedding: a vector for each token, position and segment; and the same table used again as output weights."""

import math

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer.nn._base import Part, linear, normal


class Embedding(Part):
    r"""Look up a vector for each token; add its position and its segment, and normalize, where a model does so.

    .. math::

        X = \operatorname{Norm}(s\,E_{ids} + P + G_{segments})

    Rows of :math:`E` have length 1 at first: used again as output weights, they make logits that differ by about 1.

    Args:
        vocab_size: Number of tokens.
        d_model: Width of the token vectors.
        position: Adds positions, called with the vectors and the position of the first, as ``LearnedEncoding``.
        n_segments: Number of segments with a vector each, as for the two sentences of BERT.
        norm: Applied to the sum, as in BERT.
        scale: The factor s; the square root of ``d_model`` in the first Transformer.

    Source: Vaswani et al. (2017), section 3.4; Devlin et al. (2019), figure 2, for segments.

    Example:
        >>> Embedding(11, 8)(torch.tensor([[3, 1, 4]])).shape
        torch.Size([1, 3, 8])
    """

    def __init__(
        self,
        vocab_size: int,
        d_model: int,
        *,
        position: nn.Module | None = None,
        n_segments: int = 0,
        norm: nn.Module | None = None,
        scale: float = 1.0,
        generator: torch.Generator | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(vocab_size=vocab_size, d_model=d_model)
        if n_segments < 0:
            raise ValueError(f"{n_segments=} must not be negative")
        self._sizes["n_segments"] = n_segments
        self.scale, std = scale, 1 / math.sqrt(d_model)
        self.table = normal((vocab_size, d_model), std, generator, dtype)
        self.segments = normal((n_segments, d_model), std, generator, dtype) if n_segments else None
        self.position, self.norm = position, norm

    def forward(
        self, ids: Int[Tensor, "*batch T"], offset: int = 0, *, segments: Int[Tensor, "*batch T"] | None = None
    ) -> Float[Tensor, "*batch T d_model"]:
        """Return a vector for each token.

        Args:
            ids: Token ids, (..., T).
            offset: Position of the first one.
            segments: The segment of each token, (..., T); all in segment 0 when left out.

        No ids, an id or a segment without a vector, and a position beyond the context raise a ValueError.
        """
        x = _rows(self.table, ids, "ids", "vocab_size") * self.scale  # (..., T, d_model)
        if self.position is not None:
            x = self.position(x, offset)
        if self.segments is not None:
            x = x + (self.segments[0] if segments is None else _rows(self.segments, segments, "segments", "n_segments"))
        elif segments is not None:
            raise ValueError("segments were given, but the embedding has n_segments=0")
        return x if self.norm is None else self.norm(x)


class PositionTable(Part):
    """Add to each token vector the row of its position in a table, (context, d_model)."""

    table: Tensor

    def forward(self, x: Float[Tensor, "*batch T d_model"], offset: int = 0) -> Float[Tensor, "*batch T d_model"]:
        """Add T rows of the table, from position ``offset`` on; one beyond the context is a ValueError."""
        return x + positions(self.table, x.shape[-2], offset).to(x.dtype)


class LearnedEncoding(PositionTable):
    """Add to each token vector a learned vector for its position.

    A position that never occurs in training keeps its random initial vector.

    Args:
        context: Number of positions; there is no vector beyond.
        d_model: Width of the token vectors.
        std: Standard deviation of the initial vectors.

    Source: Gehring et al. (2017); compared with sines by Vaswani et al. (2017), table 3, row E.

    Example:
        >>> LearnedEncoding(8, 4)(torch.zeros(3, 4)).shape
        torch.Size([3, 4])
    """

    def __init__(
        self,
        context: int,
        d_model: int,
        *,
        generator: torch.Generator | None = None,
        std: float = 0.02,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(context=context, d_model=d_model)
        self.table = normal((context, d_model), std, generator, dtype)


class TiedLMHead(Part):
    r"""Score every token by the product of its embedding and the hidden state.

    .. math::

        \text{logits} = s\,X E^\top

    Args:
        embedding: The module whose table is used, and which keeps owning it.
        scale: The factor s, as in T5.

    Source: Press and Wolf (2017).

    Example:
        >>> TiedLMHead(Embedding(11, 8))(torch.zeros(5, 8)).shape
        torch.Size([5, 11])
    """

    def __init__(self, embedding: Embedding, *, scale: float = 1.0) -> None:
        vocab_size, d_model = embedding.table.shape
        super().__init__(d_model=d_model, vocab_size=vocab_size, scale=scale)
        self._owner, self.scale = (embedding,), scale  # in a tuple, so that the table is not registered twice

    @property
    def table(self) -> Tensor:
        """Return the table of the embedding, (vocab_size, d_model)."""
        return self._owner[0].table

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch vocab_size"]:
        """Return the logits of every token."""
        return linear(x * self.scale, self.table.T)


def positions(table: Tensor, T: int, offset: int) -> Tensor:
    """Return the rows of a table for ``T`` positions, and refuse those it does not have."""
    if offset < 0 or offset + T > len(table):
        raise ValueError(f"positions {offset} to {offset + T - 1} are needed, but the model has context={len(table)}")
    return table[offset : offset + T]


def _rows(table: Tensor, ids: Tensor, name: str, size: str) -> Tensor:
    """Look rows up, and refuse ids that have none."""
    if ids.dtype not in (torch.int64, torch.int32):
        raise TypeError(f"{name} must be int64 or int32, got dtype {ids.dtype}")
    if not ids.numel():
        raise ValueError(f"{name} must hold at least one token, got shape {tuple(ids.shape)}")
    try:
        return torch.embedding(table, ids)
    except IndexError:
        low, high, last = int(ids.min()), int(ids.max()), len(table) - 1
        raise ValueError(f"{name} {low} to {high} must be between 0 and {size} - 1 = {last}") from None
