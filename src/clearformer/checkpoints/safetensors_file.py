"""One safetensors file: its header read and examined first, its tensors windows into the file."""

import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clearformer.checkpoints.mapped import MappedFile

if TYPE_CHECKING:
    from torch import Tensor
else:
    Tensor = Any

# The format allows no larger header; this one would name a million tensors.
LARGEST_HEADER = 100_000_000
MOST_AXES = 8
# PyTorch's name of each type, and the bytes of a number.
DTYPES = {
    "F64": ("float64", 8),
    "F32": ("float32", 4),
    "F16": ("float16", 2),
    "BF16": ("bfloat16", 2),
    "I64": ("int64", 8),
    "I32": ("int32", 4),
    "I16": ("int16", 2),
    "I8": ("int8", 1),
    "U8": ("uint8", 1),
    "BOOL": ("bool", 1),
}


@dataclass(frozen=True)
class Entry:
    """What a file says of a tensor before its numbers are read.

    Args:
        kind: How the file stores the numbers, such as ``"BF16"``.
        dtype: What they are once read, by PyTorch's name.
        shape: The axes.
        start: Where its bytes begin in the file.
        nbytes: How many there are.
    """

    kind: str
    dtype: str
    shape: tuple[int, ...]
    start: int
    nbytes: int


class SafetensorsFile:
    """The tensors of a file, by name; nothing but the header is read until one is asked for.

    Args:
        path: The file.

    Raises:
        ValueError: this is no safetensors file, or not a whole one: what the header says does not fit the bytes.

    Example:
        >>> import tempfile
        >>> import torch
        >>> from clearformer.tensor_files import save_tensors
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     save_tensors(f"{folder}/a.safetensors", {"w": torch.ones(2, 3)}, {})
        ...     file = SafetensorsFile(f"{folder}/a.safetensors")
        ...     file.entries["w"].shape, file.read("w").sum().item()
        ((2, 3), 6.0)
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        header, start, size = _header(self.path)
        self.entries = _entries(self.path, header, start, size)
        self._mapped = MappedFile(self.path)

    def read(self, name: str) -> Tensor:
        """Give a tensor: a window into the file, whose bytes come from the disk as they are used.

        Who writes into it does not write into the file.
        """
        entry = self.entries[name]
        return self._mapped.window(entry.start, entry.nbytes, entry.dtype).reshape(entry.shape)

    def release(self, name: str) -> None:
        """Give the memory of a tensor back that was read and copied, and to which no window is left."""
        entry = self.entries[name]
        self._mapped.release(entry.start, entry.nbytes)


def _header(path: Path) -> tuple[dict[str, Any], int, int]:
    """Read the header, and give where the tensors begin and the file ends."""
    with open(path, "rb") as file:
        size, first = os.fstat(file.fileno()).st_size, file.read(8)
        length = int.from_bytes(first, "little")
        if len(first) < 8 or length > min(size - 8, LARGEST_HEADER):
            raise ValueError(f"{path} is no whole safetensors file: a header of {length:,} bytes in {size:,}")
        text = file.read(length)
    try:
        header = json.loads(text, object_pairs_hook=_without_repetition)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path}: the header is not JSON: {str(error)[:80]}") from None
    if not isinstance(header, dict):
        raise ValueError(f"{path}: the header must name tensors, got a {type(header).__name__}")
    header.pop("__metadata__", None)
    return header, 8 + length, size


def _entries(path: Path, header: Mapping[str, Any], start: int, size: int) -> dict[str, Entry]:
    """Examine what is said of each tensor: together they must be the rest of the file, without gap or overlap."""
    entries = {name: _entry(path, name, said, start) for name, said in header.items()}
    end = start
    for name, entry in sorted(entries.items(), key=lambda item: (item[1].start, item[1].nbytes)):
        if entry.start != end:
            raise ValueError(f"{path}: {name} begins at byte {entry.start:,}, and the one before ends at {end:,}")
        end += entry.nbytes
    if end != size:
        raise ValueError(f"{path} has {size:,} bytes, and its tensors end at {end:,}: it is cut short or too long")
    return entries


def _entry(path: Path, name: str, said: Any, start: int) -> Entry:
    try:
        kind, shape, (begin, end) = said["dtype"], tuple(said["shape"]), said["data_offsets"]
    except (TypeError, KeyError, ValueError):
        raise ValueError(f"{path}: {name[:80]} must have dtype, shape and two data_offsets") from None
    if not isinstance(kind, str) or kind not in DTYPES:
        raise ValueError(f"{path}: {name[:80]} has dtype {str(kind)[:20]!r}, which is none of {', '.join(DTYPES)}")
    if len(shape) > MOST_AXES or not all(type(n) is int and 0 <= n < 1 << 62 for n in (*shape, begin, end)):
        raise ValueError(f"{path}: {name[:80]} has shape {str(shape)[:80]}, bytes {str(begin)[:20]} to {str(end)[:20]}")
    dtype, itemsize = DTYPES[kind]
    if end - begin != math.prod(shape) * itemsize:
        raise ValueError(f"{path}: {name[:80]} has shape {shape} of {kind}, and {end - begin:,} bytes")
    return Entry(kind, dtype, shape, start + begin, end - begin)


def _without_repetition(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"{name[:60]!r} stands there twice")
        found[name] = value
    return found
