"""BERT and RoBERTa: encoders with learned positions, post-norm blocks, and no mask but that of padding."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, cast

import torch

from clearformer.models.encoder import Encoder
from clearformer.models.heads import ClassificationHead, LinearHead, MaskedLMHead
from clearformer.models.settings import PUBLISHED_ACTIVATIONS, Settings, published_activation
from clearformer.models.tensor_names import Plan, Rule, attention_rules, linear_rules, norm_rules
from clearformer.nn import (
    ACTIVATIONS,
    Embedding,
    FeedForward,
    LayerNorm,
    LearnedEncoding,
    MultiHeadAttention,
    PostNormBlock,
)
from clearformer.nn._base import ActivationName, ModelConfig, on_device_of


@dataclass(frozen=True)
class BertConfig(ModelConfig):
    """The sizes of a BERT; by default those of BERT-base.

    Args:
        vocab_size: Number of tokens.
        context: Number of positions.
        d_model: Width of the token vectors.
        n_heads: Heads in each layer.
        n_layers: Number of blocks.
        d_ff: Width inside the feed-forward layers.
        n_segments: Number of segments, such as the sentences of a pair.
        activation: Of the feed-forward layers, one of ``nn.ACTIVATIONS``.
        eps: Of the norms.
        dropout: Fraction of what each layer adds that is dropped during training.
    """

    model_type: ClassVar[str] = "bert"
    unused_positions: ClassVar[int] = 0
    vocab_size: int = 30522
    context: int = 512
    d_model: int = 768
    n_heads: int = 12
    n_layers: int = 12
    d_ff: int = 3072
    n_segments: int = 2
    activation: ActivationName = "gelu"
    eps: float = 1e-12
    dropout: float = 0.0


def bert(config: BertConfig, generator: torch.Generator | None = None) -> Encoder:
    """Build a BERT; set its ``head`` for what it is used for.

    Source: Devlin et al. (2019).

    Example:
        >>> with torch.device("meta"):  # shapes only; the pooler is part of a head here
        ...     sum(parameter.numel() for parameter in bert(BertConfig()).parameters())
        108891648
    """
    norm = partial(LayerNorm, config.d_model, eps=config.eps)
    position = LearnedEncoding(config.context, config.d_model, generator=generator)
    embedding = Embedding(
        config.vocab_size,
        config.d_model,
        position=position,
        n_segments=config.n_segments,
        norm=norm(),
        generator=generator,
    )

    def block() -> PostNormBlock:
        attention = MultiHeadAttention(config.d_model, config.n_heads, bias=True, generator=generator)
        feed_forward = FeedForward(
            config.d_model, config.d_ff, activation=ACTIVATIONS[config.activation], generator=generator
        )
        return PostNormBlock(attention, feed_forward, norm, dropout=config.dropout)

    return on_device_of(generator, Encoder(embedding, [block() for _ in range(config.n_layers)], config=config))


_ATTENTION = ("self.query", "self.key", "self.value", "output.dense")
_TABLE = "embeddings.word_embeddings.weight"


def bert_rules(config: BertConfig) -> list[Rule]:
    """Return the names of the published tensors, of the encoder alone.

    Example:
        >>> len(bert_rules(BertConfig(n_layers=2)))
        29
    """
    rules = [
        Rule("embedding.table", (_TABLE,)),
        Rule("embedding.position.table", ("embeddings.position_embeddings.weight",), skip=config.unused_positions),
        Rule("embedding.segments", ("embeddings.token_type_embeddings.weight",)),
        *norm_rules("embedding.norm", "embeddings.LayerNorm"),
    ]
    for n in range(config.n_layers):
        block, layer = f"blocks.{n}", f"encoder.layer.{n}"
        rules += attention_rules(
            f"{block}.attention", f"{layer}.attention", _ATTENTION, 3 * (config.d_model,), bias=True
        )
        rules += norm_rules(f"{block}.norm_attention", f"{layer}.attention.output.LayerNorm")
        rules += linear_rules(f"{block}.feed_forward", f"{layer}.intermediate.dense", w="w_in", b="b_in")
        rules += linear_rules(f"{block}.feed_forward", f"{layer}.output.dense", w="w_out", b="b_out")
        rules += norm_rules(f"{block}.norm_feed_forward", f"{layer}.output.LayerNorm")
    return rules


def bert_head_rules(config: BertConfig, head: str) -> list[Rule]:
    """Return the names of the published tensors of a head, as `bert_with_head` names it.

    Example:
        >>> bert_head_rules(BertConfig(), "TokenClassification")[0].theirs
        ('classifier.weight',)
    """
    is_roberta = config.model_type == "roberta"
    if head in ("MaskedLM", "PreTraining"):
        inside = "lm_head" if is_roberta else "cls.predictions"
        dense, last = ("dense", "layer_norm") if is_roberta else ("transform.dense", "transform.LayerNorm")
        rules = linear_rules("head.dense", f"{inside}.{dense}") + norm_rules("head.norm", f"{inside}.{last}")
        return [*rules, Rule("head.c", (f"{inside}.bias",))]
    if head == "SequenceClassification":
        pooler, classes = ("classifier.dense", "classifier.out_proj") if is_roberta else ("pooler.dense", "classifier")
        return linear_rules("head.pooler", pooler) + linear_rules("head.classes", classes)
    return linear_rules("head", "classifier") if head == "TokenClassification" else []


def bert_with_head(config: BertConfig, head: str, n_outputs: int = 2) -> Encoder:
    """Return a BERT or RoBERTa with a head.

    Args:
        config: The sizes.
        head: ``"Model"`` for none, ``"MaskedLM"`` and ``"PreTraining"`` for masked tokens, and
            ``"SequenceClassification"`` and ``"TokenClassification"`` for classes; others are a ValueError.
        n_outputs: Number of classes.
    """
    model, d_model = bert(config), config.d_model
    if head in ("MaskedLM", "PreTraining"):
        norm, activation = LayerNorm(d_model, eps=config.eps), ACTIVATIONS[config.activation]
        model.head = MaskedLMHead(cast(Embedding, model.embedding), norm, activation=activation)
    elif head == "SequenceClassification":
        model.head = ClassificationHead(d_model, n_outputs)
    elif head == "TokenClassification":
        model.head = LinearHead(d_model, n_outputs, bias=True)
    elif head != "Model":
        raise ValueError(f"architecture For{head} of an encoder is not supported")
    return model


def plan_bert(settings: Settings, names: Collection[str], kind: type[BertConfig] = BertConfig) -> Plan:
    """Return the plan of a BERT or RoBERTa from its ``config.json``."""
    settings.require("position_embedding_type", "absolute")
    settings.require("is_decoder", False)
    config = kind(
        vocab_size=settings.size("vocab_size"),
        context=settings.size("max_position_embeddings") - kind.unused_positions,
        d_model=settings.size("hidden_size"),
        n_heads=settings.size("num_attention_heads"),
        n_layers=settings.size("num_hidden_layers"),
        d_ff=settings.size("intermediate_size"),
        n_segments=settings.size("type_vocab_size", default=2),
        activation=settings.choice("hidden_act", PUBLISHED_ACTIVATIONS, "gelu"),
        eps=settings.number("layer_norm_eps", 1e-12),
    )
    architecture = str((settings.get("architectures") or ["Model"])[0])
    head = re.sub(r"^\w*?(?=Model$)|^\w*?For(?=\w)", "", architecture)
    n_outputs = len(settings.inner("id2label").values) or settings.size("num_labels", default=2)
    copies = {}
    if head in ("MaskedLM", "PreTraining"):
        inside = "lm_head" if kind.model_type == "roberta" else "cls.predictions"
        copies = {f"{inside}.decoder.weight": _TABLE, f"{inside}.decoder.bias": f"{inside}.bias"}
    return Plan(
        config,
        partial(bert_with_head, config, head, n_outputs),
        bert_rules(config) + bert_head_rules(config, head),
        f"{kind.model_type}.",
        copies,
        r"embeddings\.position_ids|pooler\.dense\.(weight|bias)|cls\.seq_relationship\.(weight|bias)",
        tied=bool(copies),
    )


def bert_settings(config: BertConfig, head: str, n_outputs: int) -> dict[str, Any]:
    """Return the ``config.json`` of a BERT or RoBERTa with a head, as `bert_with_head` names it."""
    name = {"bert": "Bert", "roberta": "Roberta"}[config.model_type]
    return {
        "architectures": [name + ("" if head == "Model" else "For") + head],
        "model_type": config.model_type,
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.context + config.unused_positions,
        "hidden_size": config.d_model,
        "num_attention_heads": config.n_heads,
        "num_hidden_layers": config.n_layers,
        "intermediate_size": config.d_ff,
        "type_vocab_size": config.n_segments,
        "hidden_act": published_activation(config.activation),
        "layer_norm_eps": config.eps,
        "id2label": {str(n): f"LABEL_{n}" for n in range(n_outputs)},
        "label2id": {f"LABEL_{n}": n for n in range(n_outputs)},
        "pad_token_id": 1 if config.model_type == "roberta" else 0,
    }
