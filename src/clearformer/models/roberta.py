"""RoBERTa: the parts of BERT, one segment, and another vocabulary; what differs is how it was trained."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

import torch

from clearformer.models.bert import BertConfig, bert, plan_bert
from clearformer.models.encoder import Encoder
from clearformer.models.settings import Settings
from clearformer.models.tensor_names import Plan


@dataclass(frozen=True)
class RobertaConfig(BertConfig):
    """The sizes of a RoBERTa, by the names of ``BertConfig``; those of RoBERTa-base when left out.

    Published tables of positions begin with two rows that no token ever has; they are no part of the context.
    """

    model_type: ClassVar[str] = "roberta"
    unused_positions: ClassVar[int] = 2

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


def plan_roberta(settings: Settings, names: Collection[str]) -> Plan:
    """Return the plan of a RoBERTa from its ``config.json``."""
    settings.require("pad_token_id", 1)
    return plan_bert(settings, names, RobertaConfig)
