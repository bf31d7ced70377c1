"""From a model to a folder that ``transformers`` loads."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from clearformer.checkpoints.loading import PLANS
from clearformer.files import write_whole
from clearformer.models import (
    BertConfig,
    ClassificationHead,
    Encoder,
    GPT2Config,
    LinearHead,
    LlamaConfig,
    MaskedLMHead,
    T5Config,
)
from clearformer.models.bert import bert_settings
from clearformer.models.gpt2 import gpt2_settings
from clearformer.models.llama import llama_settings
from clearformer.models.settings import Settings
from clearformer.models.t5 import t5_settings
from clearformer.tensor_files import save_tensors
from clearformer.tokenizers import Tokenizer

SETTINGS: dict[type, Callable[[Any], dict[str, Any]]] = {
    GPT2Config: gpt2_settings,
    LlamaConfig: llama_settings,
    T5Config: t5_settings,
}
# The published name of each head of an encoder.
HEADS: dict[type, str] = {
    MaskedLMHead: "MaskedLM",
    ClassificationHead: "SequenceClassification",
    LinearHead: "TokenClassification",
    nn.Identity: "Model",
}


def save(
    path: str | os.PathLike[str],
    model: nn.Module,
    config: GPT2Config | LlamaConfig | BertConfig | T5Config,
    tokenizer: Tokenizer | None = None,
) -> None:
    """Write a model as a folder that ``load`` and ``transformers`` read, with a tokenizer as its ``tokenizer.json``.

    The model is what ``models.gpt2``, ``llama``, ``bert``, ``roberta`` or ``t5`` returned for the config; one that does
    not have its sizes, or whose head or activation has no published name, is a ValueError.

    Example:
        >>> import tempfile, torch
        >>> from clearformer.checkpoints import load_model
        >>> from clearformer.models import gpt2
        >>> config = GPT2Config(vocab_size=11, context=16, d_model=8, n_heads=2, n_layers=1, d_ff=32)
        >>> model, ids = gpt2(config, torch.Generator().manual_seed(0)), torch.tensor([[3, 1, 4]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save(folder, model, config)
        ...     torch.allclose(load_model(folder)(ids), model(ids), atol=1e-5)
        True
    """
    settings = _settings(model, config)
    asked = PLANS[settings["model_type"]](Settings(settings, "config"), {"lm_head.weight"})
    with torch.device("meta"):
        expected = asked.build().named_parameters()
    parameters = dict(model.named_parameters())
    shapes = {(name, tuple(tensor.shape)) for name, tensor in expected}
    differing = sorted(shapes ^ {(name, tuple(tensor.shape)) for name, tensor in parameters.items()})
    if differing:
        raise ValueError(f"the model is not that of the config: {differing[0][0]} {differing[0][1]} is not in both")
    tensors: dict[str, Tensor] = {}
    for rule in asked.rules:
        tensors |= {asked.published(name): tensor for name, tensor in rule.undo(parameters[rule.ours].detach()).items()}
    dtype = str(next(iter(parameters.values())).dtype).removeprefix("torch.")
    folder = Path(path)
    save_tensors(folder / "model.safetensors", tensors, {"format": "pt"})
    write_whole(folder / "config.json", json.dumps({**settings, "dtype": dtype}, indent=2))
    if tokenizer is not None:
        tokenizer.save(folder / "tokenizer.json")


def _settings(model: nn.Module, config: Any) -> dict[str, Any]:
    """The ``config.json`` of a model."""
    if isinstance(config, BertConfig) and isinstance(model, Encoder):
        classes = getattr(model.head, "classes", model.head)
        n_outputs = classes.w.shape[1] if isinstance(classes, LinearHead) else 2
        return bert_settings(config, HEADS[type(model.head)], n_outputs)
    if type(config) not in SETTINGS:
        raise ValueError(f"a {type(model).__name__} with a {type(config).__name__} has no published form")
    return SETTINGS[type(config)](config)
