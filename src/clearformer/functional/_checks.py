"""Checks shared by the functions of this package; each error names the shapes and dtypes."""

import numpy as np


def require_float(**arrays: object) -> None:
    """Refuse anything but floating-point NumPy arrays."""
    for name, array in arrays.items():
        if not isinstance(array, np.ndarray):
            raise TypeError(f"{name} must be a NumPy array of floats, got {type(array).__name__}")
        if not np.issubdtype(array.dtype, np.floating):
            raise TypeError(f"{name} must hold floats, got dtype {array.dtype} and shape {array.shape}")


def require_attention_shapes(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> None:
    """Refuse queries, keys and values whose shapes do not fit together."""
    for name, array in (("q", q), ("k", k), ("v", v)):
        if array.ndim < 2:
            raise ValueError(f"{name} needs two axes or more (positions, features), got shape {array.shape}")
    if not q.shape[:-2] == k.shape[:-2] == v.shape[:-2]:
        raise ValueError(f"leading axes must agree: q {q.shape}, k {k.shape}, v {v.shape}")
    if k.shape[-2] != v.shape[-2]:
        raise ValueError(f"every key needs one value: k {k.shape} and v {v.shape} differ in S (axis -2)")


def require_same_width(q: np.ndarray, k: np.ndarray) -> None:
    """Refuse queries and keys of different widths."""
    if q.shape[-1] != k.shape[-1] or q.shape[-1] == 0:
        raise ValueError(f"q {q.shape} and k {k.shape} must share a last axis d_k of at least 1")


def require_mask(mask: object, shape: tuple[int, ...]) -> None:
    """Refuse a mask that is not boolean or does not broadcast to the scores."""
    if not isinstance(mask, np.ndarray):
        raise TypeError(f"mask must be a boolean NumPy array for scores {shape}, got {type(mask).__name__}")
    if mask.dtype != np.bool_:
        raise TypeError(
            f"mask must be boolean, True where a position may attend; got dtype {mask.dtype}, "
            f"mask {mask.shape} for scores {shape}"
        )
    try:
        np.broadcast_to(mask, shape)
    except ValueError:
        raise ValueError(f"mask {mask.shape} does not broadcast to scores {shape}") from None


def require_bias(bias: object, shape: tuple[int, ...]) -> None:
    """Refuse a position bias that does not hold floats or does not broadcast to the scores."""
    if not isinstance(bias, np.ndarray):
        raise TypeError(f"position_bias must be a NumPy array of floats for scores {shape}, got {type(bias).__name__}")
    if not np.issubdtype(bias.dtype, np.floating):
        raise TypeError(f"position_bias must hold floats, got dtype {bias.dtype}, bias {bias.shape} for scores {shape}")
    try:
        np.broadcast_to(bias, shape)
    except ValueError:
        raise ValueError(f"position_bias {bias.shape} does not broadcast to scores {shape}") from None


def bias_or_zeros(name: str, bias: np.ndarray | None, w: np.ndarray) -> np.ndarray:
    """Return the bias of a product with ``w``, or zeros if there is none."""
    if bias is None:
        return np.zeros(w.shape[1], w.dtype)
    require_float(**{name: bias})
    if bias.shape != w.shape[1:]:
        raise ValueError(f"{name} {bias.shape} must be {w.shape[1:]}, the columns of its matrix {w.shape}")
    return bias
