"""RoBERTa: a BERT with one segment and another vocabulary, trained in another way."""

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
    """The sizes of a RoBERTa, by the names of ``BertConfig``; by default those of RoBERTa-base.

    Published tables of positions begin with two unused rows, which are not part of the context.
    """

    model_type: ClassVar[str] = "roberta"
    unused_positions: ClassVar[int] = 2

    vocab_size: int = 50265
    n_segments: int = 1
    eps: float = 1e-5


def roberta(config: RobertaConfig, generator: torch.Generator | None = None) -> Encoder:
    """Build a RoBERTa; set its ``head`` for what it is used for.

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
