"""The same parts as PyTorch modules: same file names and argument names as ``clearformer.functional``.

The two never import each other; the tests compare them.
"""

from clearformer.nn.attention import MultiHeadAttention
from clearformer.nn.block import Block, PostNormBlock
from clearformer.nn.cache import KeyValueCache
from clearformer.nn.feed_forward import FeedForward, SwiGLU
from clearformer.nn.normalization import LayerNorm, RMSNorm
from clearformer.nn.position import LearnedEncoding, RotaryEncoding, SinusoidalEncoding

__all__ = [
    "Block",
    "FeedForward",
    "KeyValueCache",
    "LayerNorm",
    "LearnedEncoding",
    "MultiHeadAttention",
    "PostNormBlock",
    "RMSNorm",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "SwiGLU",
]
