"""Checks shared by the functions of this package; each error names the shapes and dtypes."""

import numpy as np
from jaxtyping import Float

# The arrays of attention.
Queries = Float[np.ndarray, "*batch T d_k"]
Keys = Float[np.ndarray, "*batch S d_k"]
Values = Float[np.ndarray, "*batch S d_v"]
Output = Float[np.ndarray, "*batch T d_v"]


def require_float(**arrays: object) -> None:
    """Refuse anything but floating-point NumPy arrays."""
    for name, array in arrays.items():
        _require_kind(name, array, "floats", np.floating)


def require_integers(name: str, array: object) -> None:
    """Refuse anything but a NumPy array of integers."""
    _require_kind(name, array, "integers", np.integer)


def _require_kind(name: str, array: object, numbers: str, kind: type[np.floating | np.integer]) -> None:
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array of {numbers}, got {type(array).__name__}")
    if not np.issubdtype(array.dtype, kind):
        raise TypeError(f"{name} must hold {numbers}, got dtype {array.dtype} and shape {array.shape}")


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
        got = f"dtype {mask.dtype}, mask {mask.shape} for scores {shape}"
        raise TypeError(f"mask must be boolean, True where a position may attend; got {got}")
    require_broadcast("mask", mask, f"scores {shape}", shape)


def require_bias(bias: np.ndarray, shape: tuple[int, ...]) -> None:
    """Refuse a position bias that does not hold floats or does not broadcast to the scores."""
    require_float(position_bias=bias)
    require_broadcast("position_bias", bias, f"scores {shape}", shape)


def require_broadcast(name: str, array: np.ndarray, target: str, shape: tuple[int, ...]) -> None:
    """Refuse an array that does not broadcast to the shape of the target."""
    try:
        np.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name} {array.shape} does not broadcast to {target}") from None


def key_positions(T: int, S: int | None) -> np.ndarray:
    """Return the positions of the keys, (S,), if the queries can be the last T of them."""
    S = T if S is None else S
    if not 0 <= T <= S:
        raise ValueError(f"T={T} query positions must be the last of S={S} key positions: need 0 <= T <= S")
    return np.arange(S)


def bias_or_zeros(name: str, bias: np.ndarray | None, w: np.ndarray) -> np.ndarray:
    """Return the bias of a product with ``w``, or zeros if there is none."""
    if bias is None:
        return np.zeros(w.shape[1], w.dtype)
    require_float(**{name: bias})
    if bias.shape != w.shape[1:]:
        raise ValueError(f"{name} {bias.shape} must be {w.shape[1:]}, the columns of its matrix {w.shape}")
    return bias
