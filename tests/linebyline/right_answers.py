"""A right answer to every exercise: beside its wrong ones, or here for chapters that have not moved yet."""

import heapq
from collections.abc import Callable
from functools import cache

import numpy as np
import torch

from clearformer import functional as F
from linebyline.exercises import registry
from linebyline.exercises.tokenization._merging import apply
from linebyline.exercises.tokenization.encode import _encode_in_order
from linebyline.exercises.tokenization.train import _likelihood
from tests.linebyline.right_answers_decoding import RIGHT_DECODING


def as_it_comes(tokens: list[bytes]) -> list[str]:
    """Cut each beginning of the answer after its last whole character."""
    wholes = [b"".join(tokens[: i + 1]).decode(errors="ignore") for i in range(len(tokens))]
    return [whole[len(before) :] for before, whole in zip(["", *wholes], wholes, strict=False)]


def two_best_cuts(word: str, log_p: Callable[[str], float]) -> list[tuple[float, tuple[str, ...]]]:
    """Go from the end of the word, and remember how each rest of it is cut."""

    @cache
    def of_rest(begin: int) -> list[tuple[float, tuple[str, ...]]]:
        if begin == len(word):
            return [(0.0, ())]
        scored = [(word[begin:end], log_p(word[begin:end]), end) for end in range(begin + 1, len(word) + 1)]
        known = [(piece, score, end) for piece, score, end in scored if score > -np.inf]
        ways = [(score + s, (piece, *cut)) for piece, score, end in known for s, cut in of_rest(end)]
        return heapq.nlargest(2, ways)

    return of_rest(0)


def self_attention_backward(d_output: np.ndarray, *inputs: np.ndarray) -> np.ndarray:
    x, *matrices = (torch.tensor(array, requires_grad=True) for array in inputs)
    output = torch.nn.functional.scaled_dot_product_attention(*(x @ w for w in matrices))
    output.backward(torch.tensor(d_output))
    assert x.grad is not None
    return x.grad.numpy()


def merge(a: tuple, b: tuple) -> tuple:
    """Through logarithms of the sums: log(l) + m is what the parts have in common."""
    m = np.maximum(a[0], b[0])
    with np.errstate(divide="ignore"):
        logs = [part[0] + np.log(part[1]) for part in (a, b)]
    both = np.logaddexp(*logs)
    seen = np.isfinite(both)
    parts = [
        np.where(seen, np.exp(log - np.where(seen, both, 0)), 0)[..., None] * y
        for log, (_, _, y) in zip(logs, (a, b), strict=True)
    ]
    return m, np.where(seen, np.exp(both - np.where(seen, m, 0)), 0), sum(parts)


def stream(blocks) -> float:
    total = -np.inf
    for block in blocks:
        total = np.logaddexp(total, np.logaddexp.reduce(block))
    return total


_APART = {
    "tokenization.doubling": np.log2(16),
    "tokenization.wordpiece": "[UNK]",
    "tokenization.apply_merge": apply,
    "tokenization.encode": _encode_in_order,
    "tokenization.viterbi": two_best_cuts,
    "tokenization.stream": as_it_comes,
    "tokenization.train": _likelihood,
    **RIGHT_DECODING,
    "attention_backward.score_gradient": (-0.21, -0.06, 0.27),
    "attention_backward.d_x": self_attention_backward,
    "attention_backward.backward": F.scaled_dot_product_attention_backward,
    "attention_cost.layer_flops": 5.125 * 512,
    "attention_cost.merge": merge,
    "attention_cost.stream": stream,
    "attention_cost.streaming": lambda q, k, v, chunk: F.streaming_attention(
        q, k, v, F.causal_blocks(len(q)), chunk=chunk
    ),
}

RIGHT = {id: _APART.get(id, exercise.right) for id, exercise in registry().items()}
