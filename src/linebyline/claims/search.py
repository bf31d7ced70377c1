"""Claims on greedy search, beam search and length."""

import math
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from clearformer.decoding import beam_search, greedy_search
from linebyline.claims.declare import claim, corrected, depends, holds

# Three words, then one of three endings each: the third word is the least probable and has a certain ending.
_FIRST = np.array([0.40, 0.35, 0.25])
_SECOND = np.array([[0.34, 0.33, 0.33], [0.40, 0.31, 0.29], [0.98, 0.01, 0.01]])


def _tree(ids: Tensor) -> Tensor:
    return torch.from_numpy(np.log([_FIRST if len(row) == 1 else _SECOND[row[-1]] for row in ids.tolist()]))


def _ending(probability: float, vocab_size: int) -> Callable[[Tensor], Tensor]:
    """A model that ends, with token 0, with the same probability after each token; the others are equally likely."""
    row = [probability, *[(1 - probability) / (vocab_size - 1)] * (vocab_size - 1)]
    return lambda ids: torch.tensor([row] * len(ids), dtype=torch.float64).log()


def _chain(ids: Tensor) -> Tensor:
    """A model that looks at the last of 11 tokens only."""
    return torch.from_numpy(np.random.default_rng(0).normal(size=(11, 11))[ids[:, -1].numpy()])


@claim("004", "search-problem", "The probability of a sequence is the product of its tokens' conditional ones.")
@holds("It is the product rule; over all sequences these products sum to 1.")
def _objective() -> str:
    paths = _FIRST[:, None] * _SECOND  # (3, 3)
    return f"{paths.size} paths of 2 tokens sum to {paths.sum():.3f}; the best has {paths.max():.3f}"


@claim("004", "greedy", "Greedy search takes the most probable token at each step.")
@holds("With one beam, beam search does the same.")
def _greedy() -> str:
    ((first, second),) = greedy_search(_tree, [[0]], 2)
    return f"tokens {first}, {second}: the largest of .40 .35 .25, then of .34 .33 .33"


@claim("004", "greedy", "Greedy search sees local optima and may miss the best sequence.")
@holds("A token that looks worse can have a better continuation.")
def _greedy_local() -> str:
    ((first, second),) = greedy_search(_tree, [[0]], 2)
    return f"greedy {_FIRST[first] * _SECOND[first, second]:.3f}, best path {(_FIRST[:, None] * _SECOND).max():.3f}"


@claim("004", "more-beams", "Beam search ends with the most probable sequence.")
@corrected("With a likely one. Two beams miss the best of nine; only all paths at once are sure of it.")
def _beam_most_probable() -> str:
    best = (_FIRST[:, None] * _SECOND).max()
    scores = [beam_search(_tree, [0], 2, n_beams=n, length_penalty=0.0)[0].score for n in (1, 2, 3)]
    return "beams 1, 2, 3: " + ", ".join(f"{math.exp(score):.3f}" for score in scores) + f"; best {best:.3f}"


@claim("004", "beam", "It starts with the k likeliest tokens, then chooses k among k times vocabulary continuations.")
@holds("The first step has one row of candidates, each later one k rows.")
def _beam_candidates() -> str:
    rows: list[int] = []

    def spy(ids: Tensor) -> Tensor:
        rows.append(len(ids))
        return torch.from_numpy(np.log(np.tile(_SECOND[0], (len(ids), 1))))

    beam_search(spy, [0], 4, n_beams=2)
    return f"2 beams, 3 tokens: candidates at each step {', '.join(str(3 * n) for n in rows)}"


@claim("004", "finished", "It stops at the greatest length, or when all beams have produced the end token.")
@depends("Finished ones go to a pool of their own; open beams that cannot enter it any more need not end.")
def _beam_stop() -> str:
    calls: list[int] = []

    def spy(ids: Tensor) -> Tensor:
        calls.append(len(ids))
        return _ending(0.9, 3)(ids)

    found = beam_search(spy, [1], 50, n_beams=2, length_penalty=0.0, stop_ids=[0])
    return f"2 beams, at most 50 tokens, end .9: stops after {len(calls)}, {len(found)} sentences, open beams left"


@claim("004", "short-sentences")
@holds("Log-probabilities are never positive, so length can only cost.")
def _beam_short() -> str:
    """Beam search favors short sequences, as each further log-probability lowers the score."""
    found = [beam_search(_ending(e, 2), [1], 10, n_beams=2, length_penalty=0.0, stop_ids=[0])[0] for e in (0.6, 0.8)]
    return f"end .6 and .8 after each token, 10 allowed: best length {len(found[0].tokens)} and {len(found[1].tokens)}"


@claim("004", "short-sentences", "The remedy is to divide the sum by a power of the length.")
@holds("The exponent decides: 0 prefers the shortest, and 1 may prefer the longest.")
def _length_normalization() -> str:
    def best_length(alpha: float) -> int:
        best, *_ = beam_search(_ending(0.2, 2), [1], 40, n_beams=2, length_penalty=alpha, stop_ids=[0])
        return len(best.tokens)

    lengths = ", ".join(f"{best_length(alpha)} at α={alpha:g}" for alpha in (0, 0.5, 1))
    return f"end .2 after each token, 40 allowed: best length {lengths}"


@claim("004", "short-sentences")
@depends("Open beams of a step are equally long, so it changes nothing there; it decides between finished ones.")
def _length_each_step() -> str:
    """The beams of each step are chosen by a score; the normalized score is the better one."""
    scores = np.sort(np.log(np.random.default_rng(0).random(20)))
    same = [bool((np.argsort(scores / 7**exponent) == np.arange(20)).all()) for exponent in (0.0, 0.5, 1.0)]
    return f"20 candidates of 7 tokens, order kept at α=0, 0.5, 1: {sum(same)} of 3"


@claim("004", "likely-text", "Greedy and beam search are deterministic.")
@holds("As long as no two candidates tie to the last bit.")
def _search_deterministic() -> str:
    runs = {tuple(beam_search(_chain, [0], 12, n_beams=3)[0].tokens) for _ in range(5)}
    return f"5 runs of 12 tokens with 3 beams: {len(runs)} result"


@claim("004", "likely-text", "Deterministic outcomes are generic and repetitive.")
@depends("Of necessity in a model with a short memory: a state that returns brings its future with it.")
def _deterministic_generic() -> str:
    (tokens,) = greedy_search(_chain, [[0]], 50)
    period = next(p for p in range(1, 50) if tokens[-11 - p : -p] == tokens[-11:])
    return f"greedy on a chain of 11 tokens: repeats with period {period} for ever; at most 11 is certain"
