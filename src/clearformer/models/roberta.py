"""RoBERTa: the parts of BERT, one segment, and another vocabulary; what differs is how it was trained."""

import torch

from clearformer.configs import RobertaConfig
from clearformer.models.bert import bert
from clearformer.models.encoder import Encoder


def roberta(config: RobertaConfig, generator: torch.Generator | None = None) -> Encoder:
    """Put a RoBERTa together; what is read from its states is set as ``read_out`` of what comes back.

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
