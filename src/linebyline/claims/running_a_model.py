"""Claims on Llama: what the sizes mean that a program prints on loading one."""

import torch

from clearformer.models import Decoder, LlamaConfig, llama
from clearformer.nn import MultiHeadAttention, RotaryEncoding
from linebyline.claims.declare import claim, corrected, depends, holds

N_CTX, N_EMBD = 2048, 4096  # printed in document 001
FIRST = LlamaConfig(context=N_CTX)  # its other sizes are those of Llama 2 7B


def _model(config: LlamaConfig) -> Decoder:
    """A model of shapes, without numbers."""
    with torch.device("meta"):
        return llama(config)


def _attention(model: Decoder) -> MultiHeadAttention:
    """The attention of the first block."""
    return next(module for module in model.modules() if isinstance(module, MultiHeadAttention))


@claim("001", "rope-where", "Of the 4096 features a head has 128, and all of them are turned.")
@holds("The width of a head is that of the model by the number of heads; others turn a part only.")
def _heads_turn() -> str:
    attention = _attention(_model(FIRST))
    assert isinstance(attention.rotary, RotaryEncoding)
    turned = 2 * attention.rotary.cos.shape[1]
    return f"{N_EMBD:,} / {attention.n_heads} = {attention.d_k}; the table of angles turns {turned} features"


@claim("001", "shared-heads", "There are as many heads of keys as of queries, so keys are 4096 wide.")
@depends("In the 7B models. Llama 2 70B shares each head of keys among eight.")
def _not_shared() -> str:
    largest = LlamaConfig(d_model=8192, n_heads=64, n_kv_heads=8, n_layers=1, d_ff=28_672)
    widths = [_attention(_model(config)).w_qkv[:, config.d_model :].shape[1] // 2 for config in (FIRST, largest)]
    return f"keys of a token are {widths[0]:,} numbers wide in the 7B, {widths[1]:,} in the 70B of twice the width"


@claim("001", "llama", "The 4096 is the context length, and this is what is expanded from.")
@corrected("What is expanded is the width of one token, n_embd. The context counts tokens and is in no weight.")
def _width_is_context() -> str:
    tensors = list[torch.Tensor]()  # as in a file, which separates queries, keys and values
    for name, p in _model(FIRST).named_parameters():
        tensors += p.chunk(3, dim=1) if name.endswith("w_qkv") else [p]
    counts = {n: sum(n in tensor.shape for tensor in tensors) for n in (N_EMBD, N_CTX)}
    return f"of {len(tensors)} tensors {counts[N_EMBD]} have an axis of 4,096, {counts[N_CTX]} one of 2,048"


@claim("001", "llama", "The 4096 are bytes, which is 32Kb.")
@corrected("They are features, each of two bytes or more. Only as bytes would they be 4 KiB, or 32 kibibits.")
def _bytes() -> str:
    vector = N_EMBD * 2 / 1024
    return f"by arithmetic: 4,096 bytes are {4096 / 1024:.0f} KiB; 4,096 features of 2 bytes each are {vector:.0f} KiB"


@claim("001", "llama", "The printed sizes are those of Llama 2.")
@depends("The 7B of both families has these tensors, but the printed context is that of the first Llama.")
def _which_llama() -> str:
    total = sum(p.numel() for p in _model(FIRST).parameters())
    return f"{total:,} parameters in both; n_ctx_train = 2,048 is LLaMA's, Llama 2 has 4,096"


@claim("001", "gated", "A row goes from 4096 to 11008 features and back.")
@holds("The 11008 is two thirds of the usual 4 x 4096, rounded up to a multiple of 256.")
def _hidden_width() -> str:
    least = 2 * 4 * N_EMBD // 3
    rounded = -(-least // 256) * 256
    return f"by arithmetic: 2/3 of 4 x 4,096 is {least:,}, the next multiple of 256 is {rounded:,}"
