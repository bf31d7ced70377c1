"""The names of BERT's tensors, and of RoBERTa's; what is read from the states has rules of its own."""

from clearformer.checkpoints.rules import Rule, attention, linear, norm
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
        found += attention(f"{block}.attention", f"{layer}.attention", ATTENTION, bias=True)
        found += norm(f"{block}.norm_attention", f"{layer}.attention.output.LayerNorm")
        found += linear(f"{block}.feed_forward", f"{layer}.intermediate.dense", w="w_in", b="b_in")
        found += linear(f"{block}.feed_forward", f"{layer}.output.dense", w="w_out", b="b_out")
        found += norm(f"{block}.norm_feed_forward", f"{layer}.output.LayerNorm")
    return found


def masked_language(config: BertConfig) -> list[Rule]:
    """Give the rules of ``MaskedLanguageReadOut``.

    Example:
        >>> masked_language(RobertaConfig())[0].theirs
        ('lm_head.dense.weight',)
    """
    dense, last, c = "cls.predictions.transform.dense", "cls.predictions.transform.LayerNorm", "cls.predictions.bias"
    if isinstance(config, RobertaConfig):
        dense, last, c = "lm_head.dense", "lm_head.layer_norm", "lm_head.bias"
    return [*linear("read_out.dense", dense), *norm("read_out.norm", last), Rule("read_out.c", (c,))]
