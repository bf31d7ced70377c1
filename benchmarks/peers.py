"""Our models with random weights, and those of ``transformers`` with the same."""

from functools import partial

import torch
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

from clearformer.models import Decoder, DecoderConfig
from clearformer.nn import FeedForward

OUTSIDE = {"wte.weight": "embedding", "wpe.weight": "position.table", "ln_f.weight": "norm.gamma"}
INSIDE = {
    "ln_1.weight": "norm_attention.gamma",
    "ln_1.bias": "norm_attention.beta",
    "attn.c_attn.weight": "attention.w_qkv",
    "attn.c_attn.bias": "attention.b_qkv",
    "attn.c_proj.weight": "attention.w_o",
    "attn.c_proj.bias": "attention.b_o",
    "ln_2.weight": "norm_feed_forward.gamma",
    "ln_2.bias": "norm_feed_forward.beta",
    "mlp.c_fc.weight": "feed_forward.w_in",
    "mlp.c_fc.bias": "feed_forward.b_in",
    "mlp.c_proj.weight": "feed_forward.w_out",
    "mlp.c_proj.bias": "feed_forward.b_out",
}


def gpt2_pair(config: DecoderConfig) -> tuple[Decoder, GPT2LMHeadModel]:
    """Our decoder with random weights, and theirs with the same."""
    gelu_tanh = partial(FeedForward, activation=partial(nn.functional.gelu, approximate="tanh"))
    ours = Decoder(config, generator=torch.Generator().manual_seed(0), feed_forward=gelu_tanh).eval()
    theirs = GPT2LMHeadModel(
        GPT2Config(
            vocab_size=config.vocab_size,
            n_positions=config.context,
            n_embd=config.d_model,
            n_layer=config.n_layers,
            n_head=config.n_heads,
            bos_token_id=None,
            eos_token_id=None,
            resid_pdrop=0.0,
            embd_pdrop=0.0,
            attn_pdrop=0.0,
        )
    ).eval()
    names = {**OUTSIDE, "ln_f.bias": "norm.beta"}
    names |= {f"h.{n}.{a}": f"blocks.{n}.{b}" for n in range(config.n_layers) for a, b in INSIDE.items()}
    state = ours.state_dict()
    theirs.transformer.load_state_dict({name: state[our_name] for name, our_name in names.items()})
    return ours, theirs
