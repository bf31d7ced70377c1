"""GPT-2 beside that of ``transformers``."""

from clearformer import models
from clearformer.checkpoints import gpt2
from clearformer.checkpoints.rules import within
from linebyline.parity.peers.pair import Pair, pair


def gpt2_pair(config: models.GPT2Config) -> Pair:
    """A GPT-2, and ``GPT2LMHeadModel``."""
    from transformers import GPT2Config, GPT2LMHeadModel

    drops = {"resid_pdrop": config.dropout, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    settings = gpt2.describe(config) | drops | {"bos_token_id": None, "eos_token_id": None}
    theirs = GPT2LMHeadModel(GPT2Config(**settings))
    return pair(models.gpt2(config), theirs, within("transformer.", gpt2.rules(config)))
