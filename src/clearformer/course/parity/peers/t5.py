"""T5 beside that of ``transformers``."""

import torch

from clearformer import models
from clearformer.checkpoints import t5
from clearformer.course.parity.peers.pair import Pair, pair


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
    # As T5 starts: the first norm would magnify shorter vectors, and their rounding with them.
    return pair(models.t5(config), theirs, t5.rules(config), {"shared.weight": 1.0})
