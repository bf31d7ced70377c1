"""A folder as Hugging Face writes it: ``config.json``, and safetensors in one file or in shards."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from torch import Tensor

from clearformer.models.settings import read_object
from clearformer.tokenizers import PublishedTokenizer

INDEX = "model.safetensors.index.json"


@dataclass(frozen=True)
class Entry:
    """What a file says of a tensor before its numbers are read: axes, and the kind of numbers, such as ``"BF16"``."""

    shape: tuple[int, ...]
    kind: str


class Folder:
    """The tensors of a folder by their names; headers are read at once, numbers when they are asked for.

    A missing file is a FileNotFoundError; a damaged one, and an index that its shards contradict, are a ValueError.

    Example:
        >>> Folder("nowhere")
        Traceback (most recent call last):
        FileNotFoundError: nowhere is not a folder
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if not self.path.is_dir():
            raise FileNotFoundError(f"{self.path} is not a folder")
        if not (self.path / "config.json").is_file():
            raise FileNotFoundError(f"{self.path} has no config.json")
        self.source = str(self.path / "config.json")
        self.config: dict[str, Any] = read_object(self.source)
        self.entries: dict[str, Entry] = {}
        self._file_of: dict[str, Path] = {}
        self._open: dict[Path, Any] = {}
        for file in _files(self.path):
            self._add(file)

    def read(self, name: str) -> Tensor:
        """Return a tensor."""
        tensor: Tensor = self._open[self._file_of[name]].get_tensor(name)
        return tensor

    def place(self, name: str) -> str:
        """Return the path of the file that a tensor is in."""
        return str(self._file_of[name])

    def tokenizer(self) -> PublishedTokenizer:
        """Read ``tokenizer.json``: a missing one is a FileNotFoundError, a damaged one a ValueError."""
        file = self.path / "tokenizer.json"
        if not file.is_file():
            raise FileNotFoundError(f"{self.path} has no tokenizer.json; checkpoints.load_model needs none")
        return PublishedTokenizer.load(file)

    def tokenizer_config(self) -> dict[str, Any]:
        """Read ``tokenizer_config.json`` and ``chat_template.jinja``, either of which may be missing."""
        file, template = self.path / "tokenizer_config.json", self.path / "chat_template.jinja"
        found = read_object(file) if file.is_file() else {}
        return {**found, "chat_template": template.read_text("utf-8")} if template.is_file() else found

    def generation(self) -> dict[str, Any]:
        """Return the settings, with those of ``generation_config.json`` where it exists: how texts begin and end."""
        file = self.path / "generation_config.json"
        return {**self.config, **(read_object(file) if file.is_file() else {})}

    def _add(self, file: Path) -> None:
        """Open a file, and take in what its header says."""
        try:
            opened: Any = safe_open(file, framework="pt")
            for name in opened.keys():  # noqa: SIM118 (an opened file is no mapping)
                part = opened.get_slice(name)
                self.entries[name], self._file_of[name] = Entry(tuple(part.get_shape()), part.get_dtype()), file
        except (SafetensorError, OSError) as error:
            raise ValueError(f"{file} is damaged or not a safetensors file: {str(error)[:200]}") from None
        self._open[file] = opened


def _files(folder: Path) -> list[Path]:
    """Find the safetensors files of a folder."""
    if (folder / INDEX).is_file():
        return _shards(folder)
    whole = sorted(folder.glob("*.safetensors"))
    if folder / "model.safetensors" in whole:
        return [folder / "model.safetensors"]
    if len(whole) == 1:
        return whole
    if whole:
        raise FileNotFoundError(f"{folder} has {len(whole)} safetensors files, and no {INDEX} that joins them")
    pickled = sorted(folder.glob("*.bin"))
    if pickled:
        how = "convert it with transformers: AutoModel....from_pretrained(FOLDER).save_pretrained(NEW_FOLDER)"
        raise FileNotFoundError(f"{folder} has {pickled[0].name} only, a pickle, which could run any code: {how}")
    raise FileNotFoundError(f"{folder} has no safetensors file")


def _shards(folder: Path) -> list[Path]:
    """Return the shards that the index names. That tensors are in none of them is noticed when they are needed."""
    weight_map = read_object(folder / INDEX).get("weight_map")
    if not isinstance(weight_map, dict) or not weight_map:
        raise ValueError(f"{folder / INDEX} has no weight_map that names tensors")
    names = list(dict.fromkeys(map(str, weight_map.values())))
    for name in names:
        if name != os.path.basename(name) or not (folder / name).is_file():
            raise FileNotFoundError(f"{folder / INDEX} names the file {name[:80]!r}, which is not in the folder")
    return [folder / name for name in names]
