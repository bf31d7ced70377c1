"""BERT and RoBERTa, and what is read from their states, beside those of ``transformers``."""

from typing import cast

from clearformer import models
from clearformer.checkpoints import bert
from clearformer.checkpoints.rules import linear, within
from clearformer.course.parity.peers.pair import Pair, pair
from clearformer.nn import Embedding, LayerNorm


def bert_pair(config: models.BertConfig, peer: str = "BertModel", n_outputs: int = 3) -> Pair:
    """A BERT or RoBERTa, and its peer.

    Args:
        config: A ``RobertaConfig`` for RoBERTa.
        peer: ``"BertModel"``, ``"BertForMaskedLM"``, ``"BertForSequenceClassification"``,
            ``"BertForTokenClassification"`` or ``"RobertaForMaskedLM"``.
        n_outputs: Number of classes.
    """
    import transformers

    kind, _, reads = peer.replace("Model", "For").partition("For")
    sizes = {
        "vocab_size": config.vocab_size,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "max_position_embeddings": config.context + (2 if kind == "Roberta" else 0),
        "type_vocab_size": config.n_segments,
        "layer_norm_eps": config.eps,
        "num_labels": n_outputs,
    }
    options = {} if reads else {"add_pooling_layer": False}
    theirs = getattr(transformers, peer)(getattr(transformers, f"{kind}Config")(**sizes), **options)
    ours, rules = models.bert(config), within(f"{kind.lower()}." if reads else "", bert.rules(config))
    if reads == "MaskedLM":
        norm = LayerNorm(config.d_model, eps=config.eps)
        table = cast(Embedding, ours.embedding)
        ours.read_out = models.MaskedLanguageReadOut(table, norm, generator=None)
        rules += bert.masked_language(config)
    elif reads == "SequenceClassification":
        ours.read_out = models.ClassReadOut(config.d_model, n_outputs, generator=None)
        rules += linear("read_out.pooler", "bert.pooler.dense") + linear("read_out.classes", "classifier")
    elif reads:
        ours.read_out = models.LinearReadOut(config.d_model, n_outputs, bias=True, generator=None)
        rules += linear("read_out", "classifier")
    return pair(ours, theirs, rules)
