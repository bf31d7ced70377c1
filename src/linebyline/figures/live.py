"""Models that run in the book's page: how they display themselves, and their weights as the page reads them.

Weights travel as integers of one byte, with one scale for each row.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import nn

from clearformer import functional as F


@dataclass(frozen=True)
class LiveModel:
    """A model with its text, which runs in the book's page and is its description elsewhere.

    The weights, and what follows from them, differ from machine to machine. They are in the metadata of the output,
    which no comparison of notebooks looks at.
    """

    mime_type: str
    page: Mapping[str, Any]
    weights: Mapping[str, Any]

    def _repr_mimebundle_(self, **unused: object) -> tuple[dict[str, Any], dict[str, Any]]:
        return {self.mime_type: dict(self.page), "text/plain": repr(self)}, {self.mime_type: dict(self.weights)}

    def __repr__(self) -> str:
        return f"{self.page['description']} It runs in the book's page."


def quantized(state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """The weights with which a live model computes, as float32: rounded to one byte each.

    The matrices ``w`` and ``w_...`` are rounded by columns, one for each output, and the tables of embeddings by
    rows. Vectors are not rounded.
    """
    rounded = {}
    for name, value in state.items():
        array = np.asarray(value, dtype=np.float32)
        rounded[name] = _by_rows(name, F.dequantize(*F.quantize(_by_rows(name, array)))) if array.ndim == 2 else array
    return rounded


def packed(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """The layout of weights and their bytes, end to end: matrices as int8 by rows and scales, vectors as float32."""
    layout, parts = [], []
    for name, array in arrays.items():
        if array.ndim == 2:
            codes, scale = F.quantize(_by_rows(name, array))
            parts += [codes.tobytes(), scale.astype("<f4").tobytes()]
            layout.append([name, *codes.shape])
        else:
            parts.append(array.astype("<f4").tobytes())
            layout.append([name, *array.shape])
    return {"tensors": layout, "bytes": base64.b64encode(b"".join(parts)).decode("ascii")}


def weights_script(model: Mapping[str, Any]) -> tuple[str, str]:
    """The script with the weights, and the key under which the page finds them.

    It is a script because a page opened from disk may load nothing else.
    """
    text = json.dumps(model, ensure_ascii=True, separators=(",", ":"))
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f'(globalThis.clearformerModels ??= {{}})["{key}"] = {text};\n', key


def weights_of(state: Mapping[str, np.ndarray], build: Callable[[], nn.Module], what: str) -> dict[str, np.ndarray]:
    """The weights as float32; refuses those with other names than those of a model, which ``what`` describes."""
    with torch.device("meta"):  # shapes only
        differing = sorted(build().state_dict().keys() ^ state.keys())
    if differing:
        raise ValueError(f"not {what}: {len(differing)} names differ, such as {differing[0]}")
    return {name: np.asarray(array, dtype=np.float32) for name, array in state.items()}


def _by_rows(name: str, matrix: np.ndarray) -> np.ndarray:
    """A matrix turned so that what shares a scale is a row; done twice, it is as before."""
    return matrix.T if name.rpartition(".")[2].partition("_")[0] == "w" else matrix
