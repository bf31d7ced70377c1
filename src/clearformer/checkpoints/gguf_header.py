"""The header of a GGUF file: facts about the model and a list of tensors, held against the size of the file."""

import math
import mmap
import os
import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType, GGUFValueType

VERSIONS = (2, 3)
# No published file has more facts, tensors, tokens or letters in one string; a damaged one soon asks for more.
MOST = 1 << 22
MOST_AXES = 4
SMALLEST = 24  # magic, version and two counts
NUMBERS = {
    GGUFValueType.UINT8: "<u1",
    GGUFValueType.INT8: "<i1",
    GGUFValueType.UINT16: "<u2",
    GGUFValueType.INT16: "<i2",
    GGUFValueType.UINT32: "<u4",
    GGUFValueType.INT32: "<i4",
    GGUFValueType.UINT64: "<u8",
    GGUFValueType.INT64: "<i8",
    GGUFValueType.FLOAT32: "<f4",
    GGUFValueType.FLOAT64: "<f8",
    GGUFValueType.BOOL: "?",
}
_LENGTH = struct.Struct("<Q")


@dataclass(frozen=True)
class TensorInfo:
    """What a GGUF file says of a tensor.

    Args:
        kind: How its numbers are stored, such as ``Q4_0``.
        shape: The axes, the one whose numbers lie side by side last.
        start: Where its bytes begin in the file.
        nbytes: How many there are.
    """

    kind: GGMLQuantizationType
    shape: tuple[int, ...]
    start: int
    nbytes: int


@dataclass(frozen=True)
class Header:
    """What stands before the numbers.

    Args:
        metadata: Facts by their keys: numbers, texts, lists of texts, and arrays of numbers.
        tensors: Tensors by their names.
    """

    metadata: dict[str, Any]
    tensors: dict[str, TensorInfo]


def read_header(path: str | os.PathLike[str]) -> Header:
    """Read the header of a GGUF file, versions 2 and 3.

    Every count and length is held against the bytes that are left before it is believed, so a damaged file costs
    neither time nor memory.

    Args:
        path: The file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: this is no such file, or not a whole one.

    Source: the specification of GGUF in the repository of ``ggml``.

    Example:
        >>> import gguf, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     writer = gguf.GGUFWriter(f"{folder}/a.gguf", "llama")
        ...     writer.add_tensor("w", np.zeros((2, 3), np.float32))
        ...     for write in ("header", "kv_data", "tensors"):
        ...         getattr(writer, f"write_{write}_to_file")()
        ...     writer.close()
        ...     header = read_header(f"{folder}/a.gguf")
        >>> header.metadata, header.tensors["w"].shape
        ({'general.architecture': 'llama'}, (2, 3))
    """
    path = Path(path)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size < SMALLEST:
            raise ValueError(f"{path} is no GGUF file: it has {size} bytes, and the first {SMALLEST} are missing")
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _Reader(path, data, size).header()


class _Reader:
    """Goes through the header from the first byte to the last."""

    def __init__(self, path: Path, data: mmap.mmap, size: int) -> None:
        self.path, self.data, self.size, self.at = path, data, size, 0

    def header(self) -> Header:
        magic, version, n_tensors, n_facts = struct.unpack("<4sIQQ", self.take(SMALLEST, "the beginning"))
        if magic != b"GGUF":
            raise ValueError(f"{self.path} is no GGUF file: it begins with {magic!r}")
        if version not in VERSIONS:
            raise self.error(f"version {version} is not supported, only 2 and 3")
        metadata: dict[str, Any] = {}
        for _ in range(self.count(n_facts, 13, "facts")):
            key = self.name("the key of a fact", metadata)
            metadata[key] = self.value(key)
        alignment = metadata.get("general.alignment", 32)
        if type(alignment) is not int or not 8 <= alignment <= 1 << 16 or alignment & (alignment - 1):
            raise self.error(f"general.alignment={str(alignment)[:40]} must be a power of two from 8 to 65536")
        said: dict[str, tuple[GGMLQuantizationType, tuple[int, ...], int]] = {}
        for _ in range(self.count(n_tensors, 33, "tensors")):
            name = self.name("the name of a tensor", said)
            said[name] = self.tensor(name)
        return Header(metadata, self.placed(said, alignment))

    def error(self, what: str) -> ValueError:
        return ValueError(f"{self.path}: {what}")

    def take(self, length: int, what: str) -> bytes:
        """Give the next bytes."""
        if length > self.size - self.at:
            left = self.size - self.at
            raise self.error(f"{what[:80]} needs {length:,} bytes, and {left:,} are left: it is cut short or damaged")
        self.at += length
        return self.data[self.at - length : self.at]

    def count(self, count: int, nbytes: int, what: str) -> int:
        """Examine a number of things that take some bytes each at least."""
        if count > min(MOST, (self.size - self.at) // nbytes):
            raise self.error(f"{count:,} {what[:80]} do not fit into {self.size:,} bytes: it is cut short or damaged")
        return count

    def text(self, what: str) -> str:
        (length,) = _LENGTH.unpack(self.take(8, what))
        raw = self.take(self.count(length, 1, f"letters of {what}"), what)
        try:
            return raw.decode()
        except UnicodeDecodeError:
            raise self.error(f"{what[:80]} is no UTF-8: {raw[:20]!r}") from None

    def texts(self, key: str, count: int) -> list[str]:
        """Read texts one behind the other; there are hundreds of thousands, so this is written for speed."""
        data, at, last, found = self.data, self.at, self.size - 8, list[bytes]()
        for _ in range(count):
            length = _LENGTH.unpack_from(data, at)[0] if at <= last else MOST
            if length > min(last - at, MOST):
                raise self.error(f"text {len(found):,} of {key[:80]} does not fit: it is cut short or damaged")
            found.append(data[at + 8 : at + 8 + length])
            at += 8 + length
        self.at = at
        try:
            return [raw.decode() for raw in found]
        except UnicodeDecodeError as error:
            raise self.error(f"{key[:80]} holds a text that is no UTF-8: {error.object[:20]!r}") from None

    def name(self, what: str, known: dict[str, Any]) -> str:
        name = self.text(what)
        if not name or name in known:
            raise self.error(f"{what} is {'there twice: ' + name[:80] if name else 'empty'}")
        return name

    def value(self, key: str) -> Any:
        kind = self.kind(key)
        if kind == GGUFValueType.STRING:
            return self.text(key)
        if kind != GGUFValueType.ARRAY:
            return _plain(self.numbers(key, kind, 1)[0])
        kind, (length,) = self.kind(key), _LENGTH.unpack(self.take(8, key))
        if kind == GGUFValueType.STRING:
            return self.texts(key, self.count(length, 8, f"texts of {key}"))
        if kind == GGUFValueType.ARRAY:
            raise self.error(f"{key[:80]} holds lists of lists, which are not supported")
        return self.numbers(key, kind, length)

    def kind(self, key: str) -> GGUFValueType:
        (kind,) = struct.unpack("<I", self.take(4, key))
        if kind not in set(GGUFValueType):
            raise self.error(f"{key[:80]} has type {kind}, which is none of 0 to {max(GGUFValueType)}")
        return GGUFValueType(kind)

    def numbers(self, key: str, kind: GGUFValueType, count: int) -> Any:
        dtype = np.dtype(NUMBERS[kind])
        raw = self.take(self.count(count, dtype.itemsize, f"numbers of {key}") * dtype.itemsize, key)
        return np.frombuffer(raw, dtype)

    def tensor(self, name: str) -> tuple[GGMLQuantizationType, tuple[int, ...], int]:
        """Read what is said of a tensor: its type, its axes and its place among the numbers."""
        (n_axes,) = struct.unpack("<I", self.take(4, name))
        if not 1 <= n_axes <= MOST_AXES:
            raise self.error(f"{name[:80]} has {n_axes} axes, and 1 to {MOST_AXES} are possible")
        *axes, kind, offset = struct.unpack(f"<{n_axes}QIQ", self.take(8 * n_axes + 12, name))
        if kind not in set(GGMLQuantizationType):
            raise self.error(f"{name[:80]} has type {kind}, which is not known")
        if not all(0 < axis < 1 << 62 for axis in axes):
            raise self.error(f"{name[:80]} has shape {tuple(axes[::-1])}")
        return GGMLQuantizationType(kind), tuple(axes[::-1]), offset

    def placed(
        self, said: dict[str, tuple[GGMLQuantizationType, tuple[int, ...], int]], alignment: int
    ) -> dict[str, TensorInfo]:
        """Find the bytes of each tensor: one behind the other, each at a multiple of the alignment."""
        up: Callable[[int], int] = partial(_multiple, alignment)
        first, offset, found = up(self.at), 0, dict[str, TensorInfo]()
        for name, (kind, shape, at) in said.items():
            block, nbytes = GGML_QUANT_SIZES[kind]
            if shape[-1] % block:
                raise self.error(f"{name[:80]} has rows of {shape[-1]:,}, and {kind.name} stores {block} at once")
            if at != offset:
                raise self.error(f"{name[:80]} is said to begin at {at:,} of the numbers, and {offset:,} was expected")
            info = TensorInfo(kind, shape, first + at, math.prod(shape) // block * nbytes)
            end = info.start + info.nbytes
            if end > self.size:
                raise self.error(f"{name[:80]} ends at byte {end:,}, and the file has {self.size:,}: it is cut short")
            found[name], offset = info, up(at + info.nbytes)
        if self.size > first + offset:
            raise self.error(f"has {self.size:,} bytes, and its tensors end at {first + offset:,}: it is too long")
        return found


def _plain(number: Any) -> Any:
    """Give a number of Python: of a float32 the shortest decimal that means it, as 1e-05 and not 9.999999747e-06."""
    return float(str(number)) if isinstance(number, np.float32) else number.item()


def _multiple(of: int, number: int) -> int:
    return -(-number // of) * of
