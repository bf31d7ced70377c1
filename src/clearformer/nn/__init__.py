"""The parts of a model as PyTorch modules: attention, blocks, feed-forward layers, embeddings, norms, positions.

Initial weights come from ``generator``, or from PyTorch's default generator; ``dtype`` is their number type. A size
that is not positive is refused with a ``ValueError``.

The parts share names with the equations of ``clearformer.functional``. The two never import each other; tests compare
them.
"""

from clearformer.nn._base import ACTIVATIONS
from clearformer.nn.attention import KeyValueCache, MultiHeadAttention
from clearformer.nn.attention_maps import attention_maps
from clearformer.nn.block import Block, FeedForward, GatedFeedForward, PostNormBlock
from clearformer.nn.embedding import Embedding, LearnedEncoding, TiedLMHead
from clearformer.nn.normalization import LayerNorm, RMSNorm
from clearformer.nn.position import RotaryEncoding, SinusoidalEncoding
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
    "PostNormBlock",
    "RMSNorm",
    "RelativeBias",
    "RotaryEncoding",
    "SinusoidalEncoding",
    "TiedLMHead",
    "attention_maps",
]
