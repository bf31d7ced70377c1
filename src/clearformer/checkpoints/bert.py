"""The names of BERT's tensors, and of RoBERTa's; what is read from the states has rules of its own."""

import re
from collections.abc import Collection
from typing import Any

from clearformer.checkpoints.plan import ACTIVATIONS, Plan, published_name
from clearformer.checkpoints.rules import Rule, attention, linear, norm
from clearformer.checkpoints.settings import Settings
from clearformer.models import BertConfig, RobertaConfig

ATTENTION = ("self.query", "self.key", "self.value", "output.dense")


def rules(config: BertConfig) -> list[Rule]:
    """Give the rules of the encoder.

    Example:
        >>> len(rules(BertConfig(n_layers=2)))
        29
    """
    # RoBERTa counts positions from 2; nobody ever has the first two.
    skip = 2 if isinstance(config, RobertaConfig) else 0
    found = [
        Rule("embedding.table", ("embeddings.word_embeddings.weight",)),
        Rule("embedding.position.table", ("embeddings.position_embeddings.weight",), skip=skip),
        Rule("embedding.segments", ("embeddings.token_type_embeddings.weight",)),
        *norm("embedding.norm", "embeddings.LayerNorm"),
    ]
    for n in range(config.n_layers):
        block, layer = f"blocks.{n}", f"encoder.layer.{n}"
        found += attention(f"{block}.attention", f"{layer}.attention", ATTENTION, 3 * (config.d_model,), bias=True)
        found += norm(f"{block}.norm_attention", f"{layer}.attention.output.LayerNorm")
        found += linear(f"{block}.feed_forward", f"{layer}.intermediate.dense", w="w_in", b="b_in")
        found += linear(f"{block}.feed_forward", f"{layer}.output.dense", w="w_out", b="b_out")
        found += norm(f"{block}.norm_feed_forward", f"{layer}.output.LayerNorm")
    return found


def reading(config: BertConfig, kind: str) -> list[Rule]:
    """Give the rules of what is read from the states.

    Args:
        config: The sizes of the encoder.
        kind: ``"Model"`` reads nothing, ``"MaskedLM"`` and ``"PreTraining"`` guess hidden tokens, and
            ``"SequenceClassification"`` and ``"TokenClassification"`` tell classes.

    Raises:
        ValueError: there is no such kind.

    Example:
        >>> reading(RobertaConfig(), "MaskedLM")[0].theirs
        ('lm_head.dense.weight',)
    """
    is_roberta = isinstance(config, RobertaConfig)
    if kind in ("MaskedLM", "PreTraining"):
        dense, last, c = (
            "cls.predictions.transform.dense",
            "cls.predictions.transform.LayerNorm",
            "cls.predictions.bias",
        )
        if is_roberta:
            dense, last, c = "lm_head.dense", "lm_head.layer_norm", "lm_head.bias"
        return [*linear("head.dense", dense), *norm("head.norm", last), Rule("head.c", (c,))]
    if kind == "SequenceClassification":
        pooler, classes = ("classifier.dense", "classifier.out_proj") if is_roberta else ("pooler.dense", "classifier")
        return linear("head.pooler", pooler) + linear("head.classes", classes)
    if kind == "TokenClassification":
        return linear("head", "classifier")
    if kind != "Model":
        raise ValueError(f"architecture For{kind} of an encoder is not supported")
    return []


def plan(settings: Settings, names: Collection[str]) -> Plan:
    """Plan a BERT or a RoBERTa from its ``config.json``."""
    is_roberta = settings.get("model_type") == "roberta"
    if is_roberta:
        settings.require("pad_token_id", 1)
    settings.require("position_embedding_type", "absolute")
    settings.require("is_decoder", False)
    config = (RobertaConfig if is_roberta else BertConfig)(
        vocab_size=settings.size("vocab_size"),
        context=settings.size("max_position_embeddings") - (2 if is_roberta else 0),
        d_model=settings.size("hidden_size"),
        n_heads=settings.size("num_attention_heads"),
        n_layers=settings.size("num_hidden_layers"),
        d_ff=settings.size("intermediate_size"),
        n_segments=settings.size("type_vocab_size", default=2),
        activation=settings.choice("hidden_act", ACTIVATIONS, "gelu"),
        eps=settings.number("layer_norm_eps", 1e-12),
    )
    name = str((settings.get("architectures") or ["Model"])[0])
    kind = re.sub(r"^\w*?(?=Model$)|^\w*?For(?=\w)", "", name)
    n_outputs = len(settings.inner("id2label").values) or settings.size("num_labels", default=2)
    found, table = rules(config) + reading(config, kind), "embeddings.word_embeddings.weight"
    copies = {}
    if kind in ("MaskedLM", "PreTraining"):
        head, bias = (
            ("lm_head.decoder", "lm_head.bias") if is_roberta else ("cls.predictions.decoder", "cls.predictions.bias")
        )
        copies = {f"{head}.weight": table, f"{head}.bias": bias}
    beside = r"embeddings\.position_ids|pooler\.dense\.(weight|bias)|cls\.seq_relationship\.(weight|bias)"
    return Plan(
        config,
        found,
        prefix="roberta." if is_roberta else "bert.",
        copies=copies,
        beside=beside,
        tied=bool(copies),
        reads=kind,
        n_outputs=n_outputs,
    )


def describe(config: BertConfig, reads: str, n_outputs: int) -> dict[str, Any]:
    """Give the settings of a ``config.json``; see ``Plan`` for what is read from the states."""
    is_roberta = isinstance(config, RobertaConfig)
    return {
        "architectures": [("Roberta" if is_roberta else "Bert") + ("" if reads == "Model" else "For") + reads],
        "model_type": "roberta" if is_roberta else "bert",
        "vocab_size": config.vocab_size,
        "max_position_embeddings": config.context + (2 if is_roberta else 0),
        "hidden_size": config.d_model,
        "num_attention_heads": config.n_heads,
        "num_hidden_layers": config.n_layers,
        "intermediate_size": config.d_ff,
        "type_vocab_size": config.n_segments,
        "hidden_act": published_name(config.activation),
        "layer_norm_eps": config.eps,
        "id2label": {str(n): f"LABEL_{n}" for n in range(n_outputs)},
        "label2id": {f"LABEL_{n}": n for n in range(n_outputs)},
        "pad_token_id": 1 if is_roberta else 0,
    }
