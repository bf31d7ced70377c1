"""Weights as they travel with a page: whole numbers of one byte, with one scale a row."""

import base64
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from clearformer import functional as F


def quantized(state: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Give the weights that a live model computes with, as float32: rounded to one byte each.

    The matrices ``w`` and ``w_...`` are rounded by columns, each of which makes one output, and the tables of
    embeddings by rows. Vectors stay as they are.

    Args:
        state: The weights of a model, by its names; tensors on the CPU will do.

    Example:
        >>> state = {"embedding.table": np.array([[1.27, 0.504], [0.0, 3.0]]), "norm.gamma": np.array([0.1234567])}
        >>> quantized(state)["embedding.table"].round(3)
        array([[1.27, 0.5 ],
               [0.  , 3.  ]], dtype=float32)
    """
    rounded = {}
    for name, value in state.items():
        array = np.asarray(value, dtype=np.float32)
        rounded[name] = _by_rows(name, F.dequantize(*F.quantize(_by_rows(name, array)))) if array.ndim == 2 else array
    return rounded


def packed(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Give the layout and the bytes of weights, as ``unpack`` in the page reads them.

    All weights stand end to end: a matrix as int8 by rows and its float32 scales, a vector as float32.
    """
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


def require_names(expected: Iterable[str], arrays: Mapping[str, np.ndarray], what: str) -> None:
    """Refuse weights by other names than those of a model; ``what`` says in words what they are not."""
    differing = sorted(set(expected) ^ arrays.keys())
    if differing:
        raise ValueError(f"not {what}: {len(differing)} names differ, such as {differing[0]}")


def _by_rows(name: str, matrix: np.ndarray) -> np.ndarray:
    """Turn a matrix so that what shares a scale is a row; done twice, it is as before."""
    return matrix.T if name.rpartition(".")[2].partition("_")[0] == "w" else matrix
