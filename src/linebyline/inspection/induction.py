"""Induction heads: which heads attend to what followed the last occurrence, and the loss without one of them."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
import torch.nn.functional
from jaxtyping import Float, Int
from torch import Tensor

from clearformer.models import Decoder
from clearformer.nn import MultiHeadAttention, attention_maps


def two_copies(vocab_size: int, length: int, n: int, generator: torch.Generator) -> Int[Tensor, "n two_lengths"]:
    """Draw random sequences, each twice in a row, so that only the first copy helps to predict the second."""
    once = torch.randint(vocab_size, (n, length), generator=generator)
    return once.repeat(1, 2)


@torch.inference_mode()
def induction_scores(model: Decoder, ids: Int[Tensor, "n two_lengths"]) -> Float[Tensor, "n_layers n_heads"]:
    """Return the fraction of each head's attention that goes to the token after the last occurrence of the query.

    In the second of two copies of L tokens (see ``two_copies``), that key is L - 1 positions before the query.
    The fraction is the mean over all sequences and all positions of the second copy.

    Raises:
        ValueError: the two halves are not the same.

    Source: Olsson et al. (2022), prefix matching score.
    """
    length = _length(ids)
    maps = attention_maps(model, ids).values()  # (n, n_heads, 2L, 2L) each
    # Column t - (L - 1) of row t, for the rows of the second copy: t from L on.
    scores = [weights.diagonal(1 - length, dim1=-2, dim2=-1)[..., 1:].mean(dim=(0, -1)) for weights in maps]
    return torch.stack(scores)


@torch.inference_mode()
def loss_by_copy(model: Decoder, ids: Int[Tensor, "n two_lengths"]) -> tuple[float, float]:
    """Return the mean loss in nats at the tokens of the first copy, and at those of the second.

    The first token of each copy is left out, since nothing predicts it.

    Raises:
        ValueError: the two halves are not the same.
    """
    length = _length(ids)
    logits = model(ids[:, :-1]).float().transpose(1, 2)  # (n, vocab_size, 2L - 1)
    losses = torch.nn.functional.cross_entropy(logits, ids[:, 1:], reduction="none")  # (n, 2L - 1)
    return losses[:, : length - 1].mean().item(), losses[:, length:].mean().item()


@contextmanager
def without_head(attention: MultiHeadAttention, head: int) -> Iterator[None]:
    """Ablate a head within the context: its rows of the output matrix are zero, and are restored at the end.

    Raises:
        ValueError: there is no such head.
    """
    if not 0 <= head < attention.n_heads:
        raise ValueError(f"head={head} must lie between 0 and {attention.n_heads - 1}")
    width = len(attention.w_o) // attention.n_heads
    rows = attention.w_o.data[head * width : (head + 1) * width]
    kept = rows.clone()
    rows.zero_()
    try:
        yield
    finally:
        rows.copy_(kept)


def _length(ids: Tensor) -> int:
    length, odd = divmod(ids.shape[1], 2)
    if odd or length < 2 or not torch.equal(ids[:, :length], ids[:, length:]):
        raise ValueError(f"the {ids.shape[1]} tokens of a row must be two copies of at least 2")
    return length
