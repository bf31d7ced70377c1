"""The equations in NumPy: pure functions without state, with shapes in every signature.

Import it as ``from clearformer import functional as F``. It needs NumPy alone; GELU and SiLU load SciPy when called.
"""

from clearformer.functional.activations import gelu, gelu_tanh, log_softmax, relu, silu, softmax, softmax_backward
from clearformer.functional.attention import (
    additive_attention,
    scaled_dot_product_attention,
    scaled_dot_product_attention_backward,
)
from clearformer.functional.attention_free import attention_free
from clearformer.functional.block import block, post_norm_block
from clearformer.functional.decoder import decoder, lay_out
from clearformer.functional.embedding import embed, embed_backward, one_hot
from clearformer.functional.encoder_decoder import encoder_decoder
from clearformer.functional.feed_forward import feed_forward, gated_feed_forward
from clearformer.functional.heads import merge_heads, multi_head_attention, split_heads
from clearformer.functional.masks import causal_blocks, causal_mask, padding_mask
from clearformer.functional.normalization import (
    batch_norm,
    batch_norm_training,
    layer_norm,
    layer_norm_backward,
    rms_norm,
)
from clearformer.functional.optimizer import adam_step, adamw_step, momentum_step
from clearformer.functional.position import rotary_encoding, sinusoidal_encoding
from clearformer.functional.position_bias import alibi_bias, position_bias, relative_buckets
from clearformer.functional.quantization import dequantize, quantize
from clearformer.functional.streaming import (
    streaming_attention,
    streaming_attention_backward,
    streaming_attention_with_logsumexp,
)

__all__ = [
    "adam_step",
    "adamw_step",
    "additive_attention",
    "alibi_bias",
    "attention_free",
    "batch_norm",
    "batch_norm_training",
    "block",
    "causal_blocks",
    "causal_mask",
    "decoder",
    "dequantize",
    "embed",
    "embed_backward",
    "encoder_decoder",
    "feed_forward",
    "gated_feed_forward",
    "gelu",
    "gelu_tanh",
    "lay_out",
    "layer_norm",
    "layer_norm_backward",
    "log_softmax",
    "merge_heads",
    "momentum_step",
    "multi_head_attention",
    "one_hot",
    "padding_mask",
    "position_bias",
    "post_norm_block",
    "quantize",
    "relative_buckets",
    "relu",
    "rms_norm",
    "rotary_encoding",
    "scaled_dot_product_attention",
    "scaled_dot_product_attention_backward",
    "silu",
    "sinusoidal_encoding",
    "softmax",
    "softmax_backward",
    "split_heads",
    "streaming_attention",
    "streaming_attention_backward",
    "streaming_attention_with_logsumexp",
]
