"""A folder as Hugging Face writes it: ``config.json``, and safetensors in one file or in shards."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearformer import tokenizers
from clearformer.checkpoints.safetensors_file import Entry, SafetensorsFile
from clearformer.checkpoints.settings import read_object

if TYPE_CHECKING:
    from torch import Tensor
else:
    Tensor = Any

INDEX = "model.safetensors.index.json"


class Folder:
    """The tensors of a folder by their names; headers are read at once, numbers when they are asked for.

    Args:
        path: The folder.

    Raises:
        FileNotFoundError: there is no such folder, or a file is missing in it.
        ValueError: a file cannot be what it is named, or the shards and their index disagree.

    Example:
        >>> Folder("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is no folder
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise FileNotFoundError(f"{self.path} is no folder")
        if not (self.path / "config.json").is_file():
            raise FileNotFoundError(f"{self.path} has no config.json")
        self.source = str(self.path / "config.json")
        self.config: dict[str, Any] = read_object(self.source)
        self._file_of = _files(self.path)
        self.entries: dict[str, Entry] = {name: file.entries[name] for name, file in self._file_of.items()}

    def read(self, name: str) -> Tensor:
        """Give a tensor, a window into its file."""
        return self._file_of[name].read(name)

    def release(self, name: str) -> None:
        """Give the memory of a tensor back to which no window is left."""
        self._file_of[name].release(name)

    def place(self, name: str) -> str:
        """Give the file that a tensor is in."""
        return str(self._file_of[name].path)

    def tokenizer(self) -> tokenizers.PublishedTokenizer:
        """Read ``tokenizer.json``.

        Raises:
            FileNotFoundError: there is none.
            ValueError: it is damaged, or asks for what is not supported.
        """
        file = self.path / "tokenizer.json"
        if not file.is_file():
            raise FileNotFoundError(f"{self.path} has no tokenizer.json; load_model loads the model alone")
        return tokenizers.load(file)

    def tokenizer_config(self) -> dict[str, Any]:
        """Read ``tokenizer_config.json``, which may be missing, and the template of chats, which may lie beside it."""
        file, template = self.path / "tokenizer_config.json", self.path / "chat_template.jinja"
        found = read_object(file) if file.is_file() else {}
        return {**found, "chat_template": template.read_text("utf-8")} if template.is_file() else found

    def generation(self) -> dict[str, Any]:
        """Give what begins a text and what ends it: ``generation_config.json``, or else the settings."""
        file = self.path / "generation_config.json"
        return {**self.config, **(read_object(file) if file.is_file() else {})}


def _files(folder: Path) -> dict[str, SafetensorsFile]:
    """Find the file of each tensor."""
    if (folder / INDEX).is_file():
        return _shards(folder)
    whole = sorted(folder.glob("*.safetensors"))
    if len(whole) == 1 or folder / "model.safetensors" in whole:
        file = SafetensorsFile(folder / "model.safetensors" if len(whole) > 1 else whole[0])
        return dict.fromkeys(file.entries, file)
    if whole:
        raise FileNotFoundError(f"{folder} has {len(whole)} safetensors files, and no {INDEX} that joins them")
    pickled = sorted(folder.glob("*.bin"))
    if pickled:
        how = "convert it with transformers: AutoModel....from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        raise FileNotFoundError(f"{folder} has {pickled[0].name} only, a pickle, which could run any code: {how}")
    raise FileNotFoundError(f"{folder} has no safetensors file")


def _shards(folder: Path) -> dict[str, SafetensorsFile]:
    """Open the shards that the index names, and hold each against it."""
    weight_map = read_object(folder / INDEX).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise ValueError(f"{folder / INDEX} has no weight_map that names tensors")
    files: dict[str, SafetensorsFile] = {}
    for name in weight_map.values():
        if name in files:
            continue
        if not isinstance(name, str) or name != os.path.basename(name) or not (folder / name).is_file():
            raise FileNotFoundError(f"{folder / INDEX} names a file {str(name)[:80]!r} that is not beside it")
        files[name] = SafetensorsFile(folder / name)
    listed = {(tensor, file) for tensor, file in weight_map.items()}
    held = {(tensor, name) for name, file in files.items() for tensor in file.entries}
    if listed != held:
        tensor, file = min(listed ^ held)
        where = "named by the index only" if (tensor, file) in listed else "not in the index"
        raise ValueError(f"{folder}: {tensor[:80]} in {file} is {where} ({len(listed ^ held)} such tensors)")
    return {tensor: files[file] for tensor, file in weight_map.items()}
