"""Whole models beside those of ``transformers``, on the same weights."""

from functools import partial
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor

from clearformer import models
from clearformer.checkpoints import bert, gpt2, llama, t5
from clearformer.checkpoints.rules import Rule, convert, linear, within
from clearformer.nn import Embedding, LayerNorm, RotaryEncoding


class Pair(NamedTuple):
    """Our model, theirs with the same weights, and the rules by which one came from the other."""

    ours: Any
    theirs: Any
    rules: list[Rule]


def gpt2_pair(config: models.GPT2Config) -> Pair:
    """A GPT-2, and ``GPT2LMHeadModel``."""
    from transformers import GPT2Config, GPT2LMHeadModel

    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.context,
            n_embd=config.d_model,
            n_layer=config.n_layers,
            n_head=config.n_heads,
            n_inner=config.d_ff,
            layer_norm_epsilon=config.eps,
            resid_pdrop=config.dropout,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
            bos_token_id=None,
            eos_token_id=None,
        )
    )
    return _pair(models.gpt2(config), theirs, within("transformer.", gpt2.rules(config)))


def llama_pair(config: models.LlamaConfig) -> Pair:
    """A Llama, and ``LlamaForCausalLM``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": config.base}
    if config.scaling:
        rope |= {
            "rope_type": "llama3",
            "factor": config.scaling.factor,
            "low_freq_factor": config.scaling.low,
            "high_freq_factor": config.scaling.high,
            "original_max_position_embeddings": config.scaling.context,
        }
    theirs = LlamaForCausalLM(
        LlamaConfig(
            vocab_size=config.vocab_size,
            hidden_size=config.d_model,
            intermediate_size=config.d_ff,
            num_hidden_layers=config.n_layers,
            num_attention_heads=config.n_heads,
            num_key_value_heads=config.n_kv_heads,
            head_dim=config.d_k,
            max_position_embeddings=config.context,
            rms_norm_eps=config.eps,
            rope_parameters=rope,
            tie_word_embeddings=config.tied,
            bos_token_id=None,
            eos_token_id=None,
        )
    )
    return _pair(models.llama(config), theirs, llama.rules(config))


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
    return _pair(ours, theirs, rules)


def t5_pair(config: models.T5Config) -> Pair:
    """A T5, and ``T5ForConditionalGeneration``."""
    from transformers import T5Config, T5ForConditionalGeneration

    theirs = T5ForConditionalGeneration(
        T5Config(
            vocab_size=config.vocab_size,
            d_model=config.d_model,
            d_kv=config.d_k,
            d_ff=config.d_ff,
            num_layers=config.n_layers,
            num_heads=config.n_heads,
            relative_attention_num_buckets=config.n_buckets,
            relative_attention_max_distance=config.max_distance,
            layer_norm_epsilon=config.eps,
            feed_forward_proj="gated-gelu" if config.gated else "relu",
            tie_word_embeddings=config.tied,
            decoder_start_token_id=0,
            pad_token_id=0,
            eos_token_id=None,
        )
    )
    if not config.tied:  # theirs ties what its config calls untied, and leaves out the scale
        theirs.lm_head = torch.nn.Linear(config.d_model, config.vocab_size, bias=False)
    return _pair(models.t5(config), theirs, t5.rules(config))


@torch.no_grad()
def _pair(ours: Any, theirs: Any, rules: list[Rule]) -> Pair:
    """Draw every weight of theirs anew, so that biases and gains count, and copy them over; nobody drops anything."""
    generator = torch.Generator().manual_seed(0)
    for parameter in theirs.parameters():
        spread = 0.5 if parameter.ndim < 2 else 1.5 / parameter.shape[-1] ** 0.5
        parameter.copy_(spread * torch.randn(parameter.shape, generator=generator))
    _fill(ours, theirs, rules)
    return Pair(ours.eval(), theirs.eval(), rules)


@torch.no_grad()
def _fill(ours: Any, theirs: Any, rules: list[Rule]) -> None:
    made, parameters = convert(rules, dict(theirs.named_parameters())), dict(ours.named_parameters())
    if made.keys() != parameters.keys():
        raise ValueError(f"{sorted(made.keys() ^ parameters.keys())[:5]} have no rule, or no place")
    for name, parameter in parameters.items():
        parameter.copy_(made[name])


def in_float64(pair: Pair) -> Pair:
    """Give both in float64, and theirs without the places where it rounds to float32 whatever its weights are.

    These are the norms without means of Llama and T5, and the angles of Llama's rotation, which it takes from ours.
    """
    ours, theirs = pair.ours.double(), pair.theirs.double()
    for module in theirs.modules():
        if type(module).__name__ in ("LlamaRMSNorm", "T5LayerNorm"):
            gain, eps = module.weight, module.variance_epsilon
            module.forward = partial(torch.rms_norm, normalized_shape=gain.shape, weight=gain, eps=eps)
        elif type(module).__name__ == "LlamaRotaryEmbedding":
            module.forward = partial(_angles, ours.blocks[0].attention.rotary)
    _fill(ours, theirs, pair.rules)
    return pair


def _angles(rotary: RotaryEncoding, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Give cosines and sines as theirs wants them: each pair of features twice."""
    cos, sin = (torch.cat([table, table], dim=-1)[position_ids].to(x.dtype) for table in (rotary.cos, rotary.sin))
    return cos, sin
