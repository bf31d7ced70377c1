"""Refusals shared by the functions of this package: each names what came, with the numbers."""

import math
from collections.abc import Collection

import torch
from torch import Tensor


def require_logits(logits: object, name: str = "logits") -> None:
    """Refuse logits from which no token can be chosen.

    Raises:
        TypeError: they are not a float tensor.
        ValueError: they are not (B, vocab_size), or a row holds NaN, or +inf, or nothing but -inf.
    """
    if not isinstance(logits, Tensor):
        raise TypeError(f"{name} must be a tensor (B, vocab_size) of floats, got {type(logits).__name__}")
    shape = tuple(logits.shape)
    if len(shape) != 2 or 0 in shape:
        hint = "; take those of the last position, logits[:, -1]" if len(shape) == 3 else ""
        raise ValueError(f"{name} must be (B, vocab_size), got shape {shape}{hint}")
    if not logits.is_floating_point():
        raise TypeError(f"{name} must hold floats, got dtype {logits.dtype} and shape {shape}")
    # NaN beats every number in a maximum, so the maximum of a row shows all that can be wrong with it.
    highest = logits.amax(dim=-1).tolist()  # (B,)
    if all(map(math.isfinite, highest)):
        return
    row = [math.isfinite(number) for number in highest].index(False)
    count = shape[1]
    if math.isnan(highest[row]):
        found = int(logits[row].isnan().sum())
        raise ValueError(f"row {row} of {name} holds NaN at {found} of {count} tokens")
    if highest[row] > 0:
        raise ValueError(f"row {row} of {name} holds +inf, which has no softmax")
    raise ValueError(f"row {row} of {name} leaves no token: all {count} are -inf")


def require_ids(ids: object, logits: Tensor) -> None:
    """Refuse tokens so far, (B, T), that do not belong to logits (B, vocab_size).

    Raises:
        TypeError: they are not an int64 tensor.
        ValueError: they have another B, or a token lies outside the vocabulary.
    """
    if not isinstance(ids, Tensor) or ids.dtype != torch.int64:
        got = f"dtype {ids.dtype}" if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"ids must be an int64 tensor (B, T), got {got}")
    if ids.ndim != 2 or len(ids) != len(logits):
        raise ValueError(f"ids must be (B, T) with B={len(logits)} as in the logits, got shape {tuple(ids.shape)}")
    if ids.numel():
        low, high = (int(end) for end in ids.aminmax())
        require_in_vocabulary(low, high, logits.shape[1], "ids hold")


def require_in_vocabulary(low: int, high: int, vocab_size: int, what: str) -> None:
    """Refuse a range of tokens that leaves the vocabulary.

    Raises:
        ValueError: the lowest is negative, or the highest is ``vocab_size`` or more.
    """
    if low < 0 or high >= vocab_size:
        outside = low if low < 0 else high
        raise ValueError(f"{what} {outside}, outside the vocabulary of {vocab_size} tokens, 0 to {vocab_size - 1}")


def require_number(name: str, number: float, *, positive: bool = False) -> None:
    """Refuse NaN and infinities, and, where only positive numbers make sense, the others.

    Raises:
        ValueError: the number is not finite, or not positive.
    """
    if not math.isfinite(number) or (positive and number <= 0):
        raise ValueError(f"{name}={number} must be a {'positive, ' if positive else ''}finite number")


def require_count(name: str, count: object) -> None:
    """Refuse anything but a whole number of 1 or more.

    Raises:
        TypeError: it is not an integer.
        ValueError: it is below 1.
    """
    if not isinstance(count, int) or isinstance(count, bool):
        raise TypeError(f"{name}={count} must be an integer, got {type(count).__name__}")
    if count < 1:
        raise ValueError(f"{name}={count} must be at least 1")


def require_share(name: str, share: float) -> None:
    """Refuse a probability outside (0, 1].

    Raises:
        ValueError: it is 0, negative, above 1 or NaN.
    """
    if not 0 < share <= 1:
        raise ValueError(f"{name}={share} must be above 0 and at most 1")


def stop_set(stop_ids: Collection[int]) -> frozenset[int]:
    """Give the stop tokens as a set.

    Raises:
        TypeError: they are not a collection of integers.
        ValueError: one is negative.
    """
    if not isinstance(stop_ids, Collection):
        raise TypeError(f"stop_ids must be a collection of token ids such as (0,), got {type(stop_ids).__name__}")
    for token in stop_ids:
        if not isinstance(token, int) or isinstance(token, bool):
            raise TypeError(f"stop_ids must be integers, got {token!r}")
        if token < 0:
            raise ValueError(f"stop_ids hold {token}, and a token id is at least 0")
    return frozenset(stop_ids)
