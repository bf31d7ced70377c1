"""The tree of a beam search, step by step."""

from .tree import beam_tree, log_probabilities

__all__ = ["beam_tree", "log_probabilities"]
