"""T5 beside that of ``transformers``."""

import torch

from clearformer import models
from clearformer.checkpoints import t5
from linebyline.parity.peers.pair import Pair, pair


def t5_pair(config: models.T5Config) -> Pair:
    """A T5, and ``T5ForConditionalGeneration``."""
    from transformers import T5Config, T5ForConditionalGeneration

    theirs = T5ForConditionalGeneration(T5Config(**(t5.describe(config) | {"eos_token_id": None})))
    if not config.tied:  # theirs ties what its config calls untied, and leaves out the scale
        theirs.lm_head = torch.nn.Linear(config.d_model, config.vocab_size, bias=False)
    # As T5 starts: the first norm would magnify shorter vectors, and their rounding with them.
    return pair(models.t5(config), theirs, t5.rules(config), {"shared.weight": 1.0})
