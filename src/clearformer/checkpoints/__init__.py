"""Models that other people trained: a folder as Hugging Face writes it becomes a named model, and back.

``load`` gives a model and its tokenizer, of a folder or of a GGUF file, and ``save`` writes a folder. Each
architecture has one file, ``gpt2``, ``llama``, ``bert`` (and RoBERTa) and ``t5``: what its settings mean, and one rule
for each tensor. Who reads headers alone, through ``open_checkpoint`` and ``plan``, does not wait for PyTorch.
"""

from typing import TYPE_CHECKING, Any

from clearformer.checkpoints.gguf_file import GGUFFile
from clearformer.checkpoints.opening import open_checkpoint, plan

if TYPE_CHECKING:
    from clearformer.checkpoints.loading import fill, load, load_model
    from clearformer.checkpoints.saving import save

__all__ = ["GGUFFile", "fill", "load", "load_model", "open_checkpoint", "plan", "save"]


def __getattr__(name: str) -> Any:
    """Import what handles numbers when it is asked for."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from clearformer.checkpoints import loading, saving

    return getattr(saving if name == "save" else loading, name)
