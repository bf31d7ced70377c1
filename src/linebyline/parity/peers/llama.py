"""Llama beside that of ``transformers``."""

from clearformer import models
from clearformer.checkpoints import llama
from linebyline.parity.peers.pair import Pair, pair


def llama_pair(config: models.LlamaConfig) -> Pair:
    """A Llama, and ``LlamaForCausalLM``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    theirs = LlamaForCausalLM(LlamaConfig(**llama.describe(config), bos_token_id=None, eos_token_id=None))
    return pair(models.llama(config), theirs, llama.rules(config))
