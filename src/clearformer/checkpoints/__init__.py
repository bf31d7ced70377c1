"""Models that other people trained: a folder as Hugging Face writes it becomes a named model, and back.

``load`` returns a model and its tokenizer, from a folder or a GGUF file, and ``save`` writes a folder. What the
settings of an architecture mean and how its tensors are named is at the end of its file in ``clearformer.models``.
"""

from clearformer.checkpoints.folder import Folder
from clearformer.checkpoints.loading import Checkpoint, load, load_model, open_checkpoint, plan
from clearformer.checkpoints.saving import save

__all__ = ["Checkpoint", "Folder", "load", "load_model", "open_checkpoint", "plan", "save"]
