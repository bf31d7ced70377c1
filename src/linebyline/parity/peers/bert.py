"""BERT and RoBERTa, and what is read from their states, beside those of ``transformers``."""

from dataclasses import replace

from clearformer import models
from clearformer.checkpoints import bert
from clearformer.checkpoints.building import build
from clearformer.checkpoints.plan import Plan
from linebyline.parity.peers.pair import Pair, pair


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
    reads = reads or "Model"
    settings = bert.describe(config, reads, n_outputs)
    options = {"add_pooling_layer": False} if reads == "Model" else {}
    theirs = getattr(transformers, peer)(getattr(transformers, f"{kind}Config")(**settings), **options)
    rules = bert.rules(config) + bert.reading(config, reads)
    prefix = "" if reads == "Model" else f"{kind.lower()}."
    plan = Plan(config, rules, prefix, reads=reads, n_outputs=n_outputs)
    rules = [replace(rule, theirs=tuple(plan.published(name) for name in rule.theirs)) for rule in rules]
    return pair(build(plan), theirs, rules)
