"""How a translator learns: batches of sentences of unequal length, and the loss on the targets that are none."""

from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from clearformer import training
from linebyline.translation.words import PAD, trimmed


def batches(corpora: Sequence[tuple[Int[Tensor, "n S"], Int[Tensor, "n T"]]], *, batch: int) -> training.Batches:
    """Draw sentences at random, from each corpus as many; a batch is as wide as its longest sentence.

    Args:
        corpora: Sources and targets of each pair of languages, as ``rows`` gives them.
        batch: Sentences at a time.

    Raises:
        ValueError: the sentences of a batch cannot be divided evenly.
    """
    if not corpora or batch < 1 or batch % len(corpora):
        raise ValueError(f"batch={batch} cannot be divided evenly among {len(corpora)} corpora")

    def draw(generator: torch.Generator) -> training.Batch:
        drawn: tuple[list[Tensor], list[Tensor]] = [], []
        for sources, targets in corpora:
            chosen = torch.randint(len(sources), (batch // len(corpora),), generator=generator)
            drawn[0].extend(sources[chosen])
            drawn[1].extend(targets[chosen])
        pad = nn.utils.rnn.pad_sequence
        sources, targets = (pad(part, batch_first=True, padding_value=PAD) for part in drawn)
        return trimmed(sources), trimmed(targets)

    return draw


def loss(label_smoothing: float = 0.0) -> training.Loss:
    """Make the loss of a translator: the mean surprise at each word of the targets after those before it.

    Args:
        label_smoothing: As for ``training.cross_entropy``.
    """

    def mean_surprise(model: nn.Module, batch: training.Batch) -> Float[Tensor, ""]:
        sources, targets = batch
        known, asked = targets[:, :-1], targets[:, 1:]  # (B, T - 1) each
        logits = model(sources, known, mask=sources != PAD)  # (B, T - 1, vocab_size)
        return training.cross_entropy(
            logits,
            asked,
            label_smoothing=label_smoothing,
            ignore_index=PAD,
        )

    return mean_surprise


def n_asked(batch: training.Batch) -> Int[Tensor, ""]:
    """Count the words that the loss of a translator is a mean over: the targets after the first, without padding.

    Example:
        >>> sources, targets = torch.tensor([[5], [6]]), torch.tensor([[1, 7, 2], [1, 2, PAD]])
        >>> int(n_asked((sources, targets)))
        3
    """
    return (batch[1][:, 1:] != PAD).sum()
