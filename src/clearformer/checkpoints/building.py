"""From a plan to a model whose weights are empty."""

from collections.abc import Callable
from typing import Any, cast

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from clearformer.checkpoints.plan import Plan
from clearformer.models import (
    BertConfig,
    ClassificationHead,
    Encoder,
    GPT2Config,
    LinearHead,
    LlamaConfig,
    MaskedLMHead,
    RobertaConfig,
    T5Config,
    bert,
    gpt2,
    llama,
    roberta,
    t5,
)
from clearformer.nn import ACTIVATIONS, Embedding, LayerNorm

MODELS: dict[type, Callable[[Any], nn.Module]] = {
    GPT2Config: gpt2,
    LlamaConfig: llama,
    BertConfig: bert,
    RobertaConfig: roberta,
    T5Config: t5,
}


def build(plan: Plan) -> nn.Module:
    """Put the model together that a plan asks for.

    Raises:
        ValueError: the sizes do not fit together.

    Example:
        >>> sizes = {"vocab_size": 11, "context": 16, "d_model": 8, "n_heads": 2, "n_layers": 1, "d_ff": 32}
        >>> type(build(Plan(BertConfig(**sizes), [], reads="MaskedLM")).head).__name__
        'MaskedLMHead'
    """
    model = MODELS[type(plan.config)](plan.config)
    if isinstance(model, Encoder):
        _read(plan, model)
    return model


def _read(plan: Plan, model: Encoder) -> None:
    """Put on an encoder what is read from its states; ``"Model"`` reads nothing."""
    d_model = plan.config.d_model
    if plan.reads in ("MaskedLM", "PreTraining"):
        table, after = cast(Embedding, model.embedding), LayerNorm(d_model, eps=plan.config.eps)
        activation = ACTIVATIONS[plan.config.activation]
        model.head = MaskedLMHead(table, after, activation=activation, generator=None)
    elif plan.reads == "SequenceClassification":
        model.head = ClassificationHead(d_model, plan.n_outputs, generator=None)
    elif plan.reads == "TokenClassification":
        model.head = LinearHead(d_model, plan.n_outputs, bias=True, generator=None)


class Empty(TorchFunctionMode):
    """Let parameters take no memory before a file fills them: they have a shape, and lie on the meta device."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Send what makes parameters there; tables that are computed stay where they are."""
        place = {"device": "meta"} if func in (torch.empty, torch.ones, torch.zeros) else {}
        return func(*args, **{**(kwargs or {}), **place})
