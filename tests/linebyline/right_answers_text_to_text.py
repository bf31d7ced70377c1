"""Right answers to the exercises on text to text."""

import numpy as np


def prefix_mask(lengths: np.ndarray, T: int) -> np.ndarray:
    """Where a token may look ends behind itself, or behind the prefix, whichever is farther."""
    ends = np.maximum(np.arange(1, T + 1), lengths[:, None])  # (B, T)
    return np.arange(T) < ends[..., None]


def mixture(sizes: np.ndarray, limit: float, temperature: float) -> np.ndarray:
    logits = np.log(np.clip(sizes, None, limit)) / temperature
    weights = np.exp(logits - logits.max())
    return weights / weights.sum()


def distance_bias(table: np.ndarray, T: int, S: int) -> np.ndarray:
    """All S positions at once, and of those the last T."""
    back = np.clip(np.subtract.outer(np.arange(S), np.arange(S)), 0, len(table) - 1)
    return np.moveaxis(table[back], -1, 0)[:, S - T :]


RIGHT_TEXT_TO_TEXT = {
    "text_to_text.lengths": (512 - 77 + 26, 77 + 26 + 1),
    "text_to_text.half": (2, 60),
    "text_to_text.unused": (31, 32),
    "text_to_text.bias": distance_bias,
    "text_to_text.mixture": mixture,
    "text_to_text.prefix_mask": prefix_mask,
}
