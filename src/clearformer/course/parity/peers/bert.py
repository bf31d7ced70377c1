"""BERT and RoBERTa, and what is read from their states, beside those of ``transformers``."""

from dataclasses import replace

from clearformer import models
from clearformer.checkpoints import bert
from clearformer.checkpoints.building import build
from clearformer.checkpoints.plan import Plan
from clearformer.course.parity.peers.pair import Pair, pair


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
    rules = bert.rules(config) + bert.reading(config, reads or "Model")
    prefix = f"{kind.lower()}." if reads else ""
    plan = Plan(config, rules, prefix, reads=reads or "Model", n_outputs=n_outputs)
    rules = [replace(rule, theirs=tuple(plan.published(name) for name in rule.theirs)) for rule in rules]
    return pair(build(plan), theirs, rules)
