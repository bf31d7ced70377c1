"""The models that ``clearformer.checkpoints`` reads, beside those of ``transformers``, by the rules of their files."""

from dataclasses import replace
from functools import partial

import torch

from clearformer import models
from clearformer.models.bert import bert_head_rules, bert_rules, bert_settings, bert_with_head
from clearformer.models.gpt2 import gpt2_rules, gpt2_settings
from clearformer.models.llama import llama_rules, llama_settings
from clearformer.models.t5 import t5_rules, t5_settings
from clearformer.models.tensor_names import Plan, within
from linebyline.parity.peers.weights import Pair, same_weights

NO_MARKS = {"bos_token_id": None, "eos_token_id": None}


def gpt2_pair(config: models.GPT2Config) -> Pair:
    """Make a GPT-2, and ``GPT2LMHeadModel``."""
    from transformers import GPT2Config, GPT2LMHeadModel

    dropouts = {"resid_pdrop": config.dropout, "embd_pdrop": 0.0, "attn_pdrop": 0.0}
    theirs = GPT2LMHeadModel(GPT2Config(**(gpt2_settings(config) | dropouts | NO_MARKS)))
    return same_weights(models.gpt2(config), theirs, within("transformer.", gpt2_rules(config)))


def llama_pair(config: models.LlamaConfig) -> Pair:
    """Make a Llama, and ``LlamaForCausalLM``."""
    from transformers import LlamaConfig, LlamaForCausalLM

    theirs = LlamaForCausalLM(LlamaConfig(**(llama_settings(config) | NO_MARKS)))
    return same_weights(models.llama(config), theirs, llama_rules(config))


def bert_pair(config: models.BertConfig, peer: str = "BertModel", n_outputs: int = 3) -> Pair:
    """Make a BERT, or a RoBERTa from a ``RobertaConfig``, and its peer, such as ``"BertForTokenClassification"``."""
    import transformers

    kind, _, head = peer.replace("Model", "For").partition("For")
    head = head or "Model"
    settings = bert_settings(config, head, n_outputs)
    options = {"add_pooling_layer": False} if head == "Model" else {}
    theirs = getattr(transformers, peer)(getattr(transformers, f"{kind}Config")(**settings), **options)
    rules = bert_rules(config) + bert_head_rules(config, head)
    build = partial(bert_with_head, config, head, n_outputs)
    plan = Plan(config, build, rules, "" if head == "Model" else f"{kind.lower()}.")
    rules = [replace(rule, theirs=tuple(plan.published(name) for name in rule.theirs)) for rule in rules]
    return same_weights(build(), theirs, rules)


def t5_pair(config: models.T5Config) -> Pair:
    """Make a T5, and ``T5ForConditionalGeneration``."""
    from transformers import T5Config, T5ForConditionalGeneration

    theirs = T5ForConditionalGeneration(T5Config(**(t5_settings(config) | {"eos_token_id": None})))
    if not config.tied:  # theirs ties the embedding even if its config says not to, and leaves out the scale
        theirs.lm_head = torch.nn.Linear(config.d_model, config.vocab_size, bias=False)
    # As T5 starts: the first norm would magnify shorter vectors, and their rounding with them.
    return same_weights(models.t5(config), theirs, t5_rules(config), {"shared.weight": 1.0})
