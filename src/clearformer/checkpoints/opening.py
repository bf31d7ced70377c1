"""What is known of a model before a number is read: its settings, its tensors by name, and how they make a model."""

import os
from collections.abc import Callable, Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from clearformer import tokenizers
from clearformer.checkpoints import bert, gpt2, llama, t5
from clearformer.checkpoints.folder import Folder
from clearformer.checkpoints.gguf_file import GGUFFile
from clearformer.checkpoints.plan import Plan
from clearformer.checkpoints.safetensors_file import Entry
from clearformer.checkpoints.settings import Settings

if TYPE_CHECKING:
    from torch import Tensor
else:
    Tensor = Any

PLANS: dict[str, Callable[[Settings, Collection[str]], Plan]] = {
    "gpt2": gpt2.plan,
    "llama": llama.plan,
    "bert": bert.plan,
    "roberta": bert.plan,
    "t5": t5.plan,
}
# More positions than any published model of these has; their table of angles would fill the memory.
LONGEST = 1 << 20


class Checkpoint(Protocol):
    """What a model is loaded from: its settings, and tensors by the names that Hugging Face gives them."""

    path: Path
    source: str  # where the settings stand
    config: dict[str, Any]
    entries: dict[str, Entry]

    def read(self, name: str) -> Tensor:
        """Give a tensor."""

    def release(self, name: str) -> None:
        """Give the memory of a tensor back to which no window is left."""

    def place(self, name: str) -> str:
        """Give the file that a tensor is in."""

    def tokenizer(self) -> tokenizers.PublishedTokenizer:
        """Make the tokenizer."""

    def tokenizer_config(self) -> dict[str, Any]:
        """Give what is said of the tokenizer: tokens with a role, and the template of chats."""

    def generation(self) -> dict[str, Any]:
        """Give what begins a text, and what ends it."""


def open_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Open a folder as Hugging Face writes it, or a GGUF file; headers are read, and no numbers.

    Args:
        path: The folder or the file.

    Raises:
        FileNotFoundError: there is neither, or a file is missing.
        ValueError: a file is damaged, or not supported.

    Example:
        >>> open_checkpoint("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is no folder
    """
    return GGUFFile(path) if Path(path).is_file() else Folder(path)


def plan(checkpoint: Checkpoint) -> Plan:
    """Say how the settings and the names of the tensors make a model.

    Raises:
        ValueError: the architecture is not known, or a setting is not supported or odd.
    """
    settings = Settings(checkpoint.config, checkpoint.source)
    make = settings.choice("model_type", PLANS)
    for name in ("num_hidden_layers", "n_layer", "num_layers"):
        if settings.get(name) is not None and settings.size(name) > len(checkpoint.entries):
            raise settings.error(f"{name}={settings.get(name):,}, and the files hold {len(checkpoint.entries)} tensors")
    if settings.size("max_position_embeddings", default=1) > LONGEST:
        raise settings.error(f"max_position_embeddings is above {LONGEST:,}")
    try:
        return make(settings, checkpoint.entries.keys())
    except ValueError as error:  # a config refuses sizes without knowing where they come from
        raise error if str(error).startswith(settings.source) else settings.error(str(error)) from None
