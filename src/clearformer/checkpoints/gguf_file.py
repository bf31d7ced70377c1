"""A GGUF file as a checkpoint: settings, tensors and tokenizer in one file, under the names of Hugging Face."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import gguf
import numpy as np
from gguf import GGMLQuantizationType as Kind

from clearformer import tokenizers
from clearformer.checkpoints import gguf_tokenizer
from clearformer.checkpoints.gguf_header import TensorInfo, read_header
from clearformer.checkpoints.gguf_names import ARCHITECTURES, scaling, settings
from clearformer.checkpoints.late import Late
from clearformer.checkpoints.mapped import MappedFile
from clearformer.checkpoints.safetensors_file import Entry

if TYPE_CHECKING:
    import torch
    from torch import Tensor
else:
    torch, Tensor = Late("torch"), Any

Made = TypeVar("Made")

PLAIN = {Kind.F32: "float32", Kind.F16: "float16", Kind.BF16: "bfloat16"}
# Those that ``gguf.dequantize`` computes; others have no numbers of their own, or are whole numbers.
QUANTIZED = (
    *("Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "TQ1_0", "TQ2_0"),
    *("IQ1_S", "IQ1_M", "IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S", "IQ4_NL", "IQ4_XS"),
)
ROTATED = "rope_freqs.weight"


class GGUFFile:
    """The tensors of a GGUF file by the names of Hugging Face; each is computed when it is asked for.

    Quantized ones are float32 then. The rows of Llama's queries and keys, which GGUF orders by interleaved pairs,
    are put back into halves, and GPT-2's matrices are turned.

    Args:
        path: The file.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: it is not whole, or its architecture, a setting or the type of a tensor is not supported.

    Example:
        >>> GGUFFile("pyproject.toml")
        Traceback (most recent call last):
        ValueError: pyproject.toml is no GGUF file: it begins with b'[bui'
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self.source = str(self.path)
        header = read_header(self.path)
        self.metadata: Mapping[str, Any] = header.metadata
        self._mapped = MappedFile(self.path)
        try:
            self.config = settings(header.metadata, header.tensors)
            self._names = ARCHITECTURES[self.config["model_type"]]
            self._rotation(header.tensors)
            named = {self._names.published(name): name for name in header.tensors if name != ROTATED}
            self._infos = {theirs: (name, header.tensors[name]) for theirs, name in named.items()}
            if len(self._infos) < len(header.tensors.keys() - {ROTATED}):
                raise ValueError("two tensors have the same place")
            self.entries = {theirs: self._entry(*said) for theirs, said in self._infos.items()}
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def read(self, name: str) -> Tensor:
        """Give a tensor: a window into the file, or computed from one where it is quantized or put in order."""
        theirs, info = self._infos[name]
        stored = self._stored(info)
        if theirs.endswith("attn_q.weight"):
            return _halves(stored, self.config["num_attention_heads"])
        if theirs.endswith("attn_k.weight"):
            heads = self.config.get("num_key_value_heads", self.config["num_attention_heads"])
            return _halves(stored, heads)
        return stored.mT if self._is_turned(theirs) else stored

    def release(self, name: str) -> None:
        """Give the memory of a tensor back to which no window is left."""
        _, info = self._infos[name]
        self._mapped.release(info.start, info.nbytes)

    def place(self, name: str) -> str:
        """Give the file that a tensor is in."""
        return str(self.path)

    def tokenizer(self) -> tokenizers.PublishedTokenizer:
        """Make the tokenizer that the file describes.

        Raises:
            ValueError: the file has none, or one that is not supported.
        """
        return self._of_metadata(gguf_tokenizer.tokenizer)

    def tokenizer_config(self) -> dict[str, Any]:
        """Give what ``tokenizer_config.json`` would say: the template of chats, and the tokens it may ask for."""
        return self._of_metadata(gguf_tokenizer.config)

    def generation(self) -> dict[str, Any]:
        """Give the settings: what ends a text is among them."""
        return self.config

    def _of_metadata(self, make: Callable[[Mapping[str, Any]], Made]) -> Made:
        try:
            return make(self.metadata)
        except ValueError as error:
            raise ValueError(f"{self.path}: {error}") from None

    def _rotation(self, tensors: Mapping[str, TensorInfo]) -> None:
        """Take the factors of rotary frequencies into the settings, which is where Hugging Face has them."""
        if ROTATED in tensors and "rope_parameters" in self.config:
            rope, info = self.config["rope_parameters"], tensors[ROTATED]
            if info.kind != Kind.F32 or len(info.shape) != 1:
                raise ValueError(f"{ROTATED} {info.shape} {info.kind.name} must be a row of F32")
            rope |= scaling(self._stored(info), rope["rope_theta"])

    def _is_turned(self, theirs: str) -> bool:
        return any(theirs.endswith(f".{name}") for name in self._names.turned)

    def _entry(self, theirs: str, info: TensorInfo) -> Entry:
        if info.kind not in PLAIN and info.kind.name not in QUANTIZED:
            raise ValueError(f"{theirs[:80]} has type {info.kind.name}, which is not supported")
        shape = info.shape[::-1] if self._is_turned(theirs) else info.shape
        return Entry(info.kind.name, PLAIN.get(info.kind, "float32"), shape, info.start, info.nbytes)

    def _stored(self, info: TensorInfo) -> Tensor:
        """Give the numbers in the order of the file."""
        if info.kind in PLAIN:
            return self._mapped.window(info.start, info.nbytes, PLAIN[info.kind]).reshape(info.shape)
        stored = self._mapped.window(info.start, info.nbytes).reshape(*info.shape[:-1], -1).numpy()
        with np.errstate(all="ignore"):  # a damaged scale gives NaN, which is refused where parameters are filled
            numbers = gguf.dequantize(stored, info.kind)
        return torch.from_numpy(numbers)


def _halves(rows: Tensor, n_heads: int) -> Tensor:
    """Put the rows of each head that GGUF has as pairs side by side, 0, 1, 0, 1, ..., into halves, 0, 0, ..., 1, 1."""
    n_rows = len(rows)
    if type(n_heads) is not int or n_heads < 1 or n_rows % (2 * n_heads):
        raise ValueError(f"{n_rows} rows of queries or keys cannot be pairs of {n_heads} heads")
    pairs = rows.reshape(n_heads, n_rows // n_heads // 2, 2, *rows.shape[1:])
    return pairs.transpose(1, 2).reshape(rows.shape)
