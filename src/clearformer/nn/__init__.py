"""The same parts as PyTorch modules: same file names and argument names as ``clearformer.functional``.

The two never import each other; the tests compare them.
"""

from clearformer.nn.attention import MultiHeadAttention
from clearformer.nn.attention_maps import attention_maps
from clearformer.nn.block import Block, PostNormBlock
from clearformer.nn.cache import KeyValueCache
from clearformer.nn.embedding import Embedding
from clearformer.nn.feed_forward import ACTIVATIONS, FeedForward, GatedFeedForward
from clearformer.nn.normalization import LayerNorm, RMSNorm
from clearformer.nn.packing import Packing
from clearformer.nn.position import LearnedEncoding, RotaryEncoding, SinusoidalEncoding
from clearformer.nn.position_bias import AlibiBias, RelativeBias

__all__ = [
    "ACTIVATIONS",
    "AlibiBias",
    "Block",
    "Embedding",
    "FeedForward",
    "GatedFeedForward",
    "KeyValueCache",
    "LayerNorm",
    "LearnedEncoding",
    "MultiHeadAttention",
    "Packing",
    "PostNormBlock",
    "RMSNorm",
    "RelativeBias",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "attention_maps",
]
