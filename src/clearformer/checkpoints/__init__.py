"""Models that other people trained: a folder as Hugging Face writes it becomes a named model, and back.

``load`` gives a model and its tokenizer, of a folder or of a GGUF file, and ``save`` writes a folder. Each
architecture has one file, ``gpt2``, ``llama``, ``bert`` (and RoBERTa) and ``t5``: what its settings mean, and one rule
for each tensor.
"""

from clearformer.checkpoints.gguf_file import GGUFFile
from clearformer.checkpoints.loading import fill, load, load_model, open_checkpoint
from clearformer.checkpoints.saving import save

__all__ = ["GGUFFile", "fill", "load", "load_model", "open_checkpoint", "save"]
