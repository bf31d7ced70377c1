"""Llama beside that of ``transformers``."""

from typing import Any

from clearformer import models
from clearformer.checkpoints import llama
from clearformer.course.parity.peers.pair import Pair, pair


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
    return pair(models.llama(config), theirs, llama.rules(config))
