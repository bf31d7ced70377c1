"""Models that other people trained: a folder as Hugging Face writes it becomes a named model, and back.

``load(folder)`` gives a model and its tokenizer, ``save`` writes them. Each architecture has one file, ``gpt2``,
``llama``, ``bert`` (and RoBERTa) and ``t5``: what its settings mean, and one rule for each tensor.
"""

from clearformer.checkpoints.loading import load, load_model
from clearformer.checkpoints.saving import save

__all__ = ["load", "load_model", "save"]
