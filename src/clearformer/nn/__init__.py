"""The same parts as PyTorch modules: same file names and argument names as ``clearformer.functional``.

The two never import each other; the tests compare them.
"""

from clearformer.nn.position import LearnedEncoding, RotaryEncoding, SinusoidalEncoding

__all__ = ["LearnedEncoding", "RotaryEncoding", "SinusoidalEncoding"]
