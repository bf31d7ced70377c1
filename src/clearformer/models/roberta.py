"""RoBERTa: the parts of BERT, one segment, and another vocabulary; what differs is how it was trained."""

from dataclasses import dataclass

import torch

from clearformer.models.bert import BertConfig, bert
from clearformer.models.encoder import Encoder


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa, by the names of ``BertConfig``; those of RoBERTa-base when left out.

    Published tables of positions begin with two rows that no token ever has; they are no part of the context.
    """

    vocab_size: int = 50265
    n_segments: int = 1
    eps: float = 1e-5


def roberta(config: RobertaConfig, generator: torch.Generator | None = None) -> Encoder:
    """Put a RoBERTa together; what is read from its states is set as ``head`` of what comes back.

    Args:
        config: Its sizes.
        generator: Where the random start comes from; None leaves the weights empty, to be filled.

    Source: Liu et al. (2019).

    Example:
        >>> with torch.device("meta"):  # shapes only
        ...     sum(parameter.numel() for parameter in roberta(RobertaConfig()).parameters())
        124053504
    """
    return bert(config, generator)
