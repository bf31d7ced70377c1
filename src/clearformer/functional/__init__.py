"""The equations in NumPy: pure functions, no state, shapes in every signature.

Imported as ``from clearformer import functional as F``.
"""

from clearformer.functional.activations import log_softmax, softmax, softmax_backward
from clearformer.functional.attention import (
    additive_attention,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from clearformer.functional.embedding import embed, embed_backward, one_hot
from clearformer.functional.heads import merge_heads, multi_head_attention, split_heads
from clearformer.functional.masks import causal_mask, padding_mask
from clearformer.functional.position import alibi_bias, rotary_encoding, sinusoidal_encoding

__all__ = [
    "additive_attention",
    "alibi_bias",
    "causal_mask",
    "embed",
    "embed_backward",
    "log_softmax",
    "merge_heads",
    "multi_head_attention",
    "one_hot",
    "padding_mask",
    "rotary_encoding",
    "scaled_dot_product_attention",
    "scaled_dot_product_attention_backward",
    "sinusoidal_encoding",
    "softmax",
    "softmax_backward",
    "split_heads",
]
