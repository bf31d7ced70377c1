"""Checks shared by the functions of this package; each error names the numbers."""

import math
from collections.abc import Collection

import torch
from torch import Tensor


def require_logits(logits: object, name: str = "logits") -> None:
    """Refuse logits that are not floats (B, vocab_size), or a row without a softmax."""
    if not isinstance(logits, Tensor):
        raise TypeError(f"{name} must be a tensor (B, vocab_size) of floats, got {type(logits).__name__}")
    shape = tuple(logits.shape)
    if len(shape) != 2 or 0 in shape:
        hint = "; take those of the last position, logits[:, -1]" if len(shape) == 3 else ""
        raise ValueError(f"{name} must be (B, vocab_size), got shape {shape}{hint}")
    if not logits.is_floating_point():
        raise TypeError(f"{name} must hold floats, got dtype {logits.dtype} and shape {shape}")
    # NaN wins every maximum, so the maximum of a row shows everything that can be wrong with it.
    highest = logits.amax(dim=-1).tolist()  # (B,)
    for row, value in enumerate(highest):
        if math.isnan(value):
            n_nan = int(logits[row].isnan().sum())
            raise ValueError(f"row {row} of {name} holds NaN at {n_nan} of {shape[1]} tokens")
        if math.isinf(value):
            problem = "holds +inf, which has no softmax" if value > 0 else f"leaves no token: all {shape[1]} are -inf"
            raise ValueError(f"row {row} of {name} {problem}")


def require_ids(ids: object, logits: Tensor) -> None:
    """Refuse tokens that are not int64 (B, T) with the B and the vocabulary of the logits."""
    if not isinstance(ids, Tensor) or ids.dtype != torch.int64:
        got = f"dtype {ids.dtype}" if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"ids must be an int64 tensor (B, T), got {got}")
    if ids.ndim != 2 or len(ids) != len(logits):
        raise ValueError(f"ids must be (B, T) with B={len(logits)} as in the logits, got shape {tuple(ids.shape)}")
    if ids.numel():
        low, high = (int(end) for end in ids.aminmax())
        require_in_vocabulary(low, high, logits.shape[1], "ids hold")


def require_in_vocabulary(low: int, high: int, vocab_size: int, what: str) -> None:
    """Refuse a range of tokens that leaves the vocabulary."""
    if low < 0 or high >= vocab_size:
        outside = low if low < 0 else high
        raise ValueError(f"{what} {outside}, outside the vocabulary of {vocab_size} tokens, 0 to {vocab_size - 1}")


def require_number(name: str, number: float, *, positive: bool = False) -> None:
    """Refuse a number that is not finite or, if it has to be, not positive."""
    if not math.isfinite(number) or (positive and number <= 0):
        raise ValueError(f"{name}={number} must be a {'positive, ' if positive else ''}finite number")


def require_count(name: str, count: object) -> None:
    """Refuse anything but an integer of at least 1."""
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{name}={count} must be an integer, got {type(count).__name__}")
    if count < 1:
        raise ValueError(f"{name}={count} must be at least 1")


def require_fraction(name: str, fraction: float) -> None:
    """Refuse a probability outside (0, 1]."""
    if not 0 < fraction <= 1:
        raise ValueError(f"{name}={fraction} must be above 0 and at most 1")


def stop_set(stop_ids: Collection[int]) -> frozenset[int]:
    """Return the stop tokens as a set."""
    if not isinstance(stop_ids, Collection):
        raise TypeError(f"stop_ids must be a collection of token ids such as (0,), got {type(stop_ids).__name__}")
    for token in stop_ids:
        if not isinstance(token, int) or isinstance(token, bool):
            raise TypeError(f"stop_ids must be integers, got {token!r}")
        if token < 0:
            raise ValueError(f"stop_ids hold {token}, and a token id is at least 0")
    return frozenset(stop_ids)
