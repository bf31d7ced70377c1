"""What encoders and decoders share: an embedding, blocks, and what comes after them."""

from collections.abc import Iterable

from torch import Tensor, nn

from clearformer.nn import Block, Packing


class Stack(nn.Module):
    """Parts in the order in which tokens meet them; ``Encoder`` and ``Decoder`` say how.

    Args:
        embedding: Gives a vector for each token.
        blocks: What they go through.
        norm: Works on what comes out, as after blocks that normalize first; nothing when left out.
        position_bias: Gives what every block adds to its scores, called with T and S, such as ``RelativeBias``.

    Example:
        >>> stack = Stack(nn.Identity(), [])
        >>> stack.norm, len(stack.blocks)
        (Identity(), 0)
    """

    def __init__(
        self,
        embedding: nn.Module,
        blocks: Iterable[Block],
        *,
        norm: nn.Module | None = None,
        position_bias: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.embedding, self.blocks, self.position_bias = embedding, nn.ModuleList(blocks), position_bias
        self.norm = norm or nn.Identity()


def padding(mask: Tensor | None, ids: Tensor) -> tuple[Tensor | None, Packing | None]:
    """Give which keys may be seen, (..., 1, 1, T), and where tokens stand, by a mask of tokens, (..., T).

    Both are None where there is no padding.

    Raises:
        TypeError: the mask is not boolean.
        ValueError: it has another shape than the ids.
    """
    if mask is None:
        return None, None
    if mask.shape != ids.shape:
        raise ValueError(f"mask {tuple(mask.shape)} must have the shape of the ids {tuple(ids.shape)}")
    packing = Packing.of(mask)
    return (None, None) if packing is None else (mask[..., None, None, :], packing)
