"""Everything that is there for speed alone: ``prepare`` makes a fast copy of a model for inference.

What the copy computes is what the model computes; the tests compare the two. It has products that suit a step of one
token (``products``), a cache with room to grow (``cache``), and parts that skip checks, dropout and hooks (``parts``).
"""

from clearformer.inference.prepare import prepare

__all__ = ["prepare"]
