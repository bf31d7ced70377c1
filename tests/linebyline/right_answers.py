"""A right answer to every exercise: beside its wrong ones, or here for chapters that have not moved yet."""

import heapq
from collections.abc import Callable
from functools import cache

import numpy as np

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


_APART = {
    "tokenization.doubling": np.log2(16),
    "tokenization.wordpiece": "[UNK]",
    "tokenization.apply_merge": apply,
    "tokenization.encode": _encode_in_order,
    "tokenization.viterbi": two_best_cuts,
    "tokenization.stream": as_it_comes,
    "tokenization.train": _likelihood,
    **RIGHT_DECODING,
}

RIGHT = {id: _APART.get(id, exercise.right) for id, exercise in registry().items()}
