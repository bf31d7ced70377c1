"""The exercise on exact search: expand the likeliest open path first, until a finished one is the likeliest."""

import heapq
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_close, expect_equal

Ask = Callable[[list[int]], np.ndarray]


def _best_first(ask: Ask, stop: int, priority: Any = lambda log_p, n: -log_p) -> tuple[list[int], float]:
    count = itertools.count()
    heap: list[tuple[float, int, float, list[int]]] = [(0.0, next(count), 0.0, [])]
    while True:
        _, _, log_p, tokens = heapq.heappop(heap)
        if tokens and tokens[-1] == stop:
            return tokens, log_p
        for token, value in enumerate(ask(tokens)):
            if value > -np.inf:
                total = log_p + float(value)
                heapq.heappush(heap, (priority(total, len(tokens) + 1), next(count), total, [*tokens, token]))


def _table(branches: Mapping[tuple[int, ...], list[float]]) -> Ask:
    def ask(tokens: list[int]) -> np.ndarray:
        with np.errstate(divide="ignore"):
            return np.log(branches[tuple(tokens)])

    return ask


_SURE = [1.0, 0.0, 0.0, 0.0]


# Token 0 is the end. The third word looks worst, and is the best.
_TREE: dict[tuple[int, ...], list[float]] = {
    (): [0.0, 0.40, 0.35, 0.25],
    (1,): [0.34, 0.33, 0.33, 0.0],
    (2,): [0.40, 0.30, 0.0, 0.30],
    (3,): [0.98, 0.02, 0.0, 0.0],
    **dict.fromkeys([(1, 1), (1, 2), (2, 1), (2, 3), (3, 1)], _SURE),
}


def _random(rng: Rng, depth: int = 4, vocab_size: int = 3) -> dict[tuple[int, ...], list[float]]:
    """A random tree in which every path has ended after ``depth`` tokens."""
    tree: dict[tuple[int, ...], list[float]] = {}
    for n in range(depth):
        for path in itertools.product(range(1, vocab_size), repeat=n):
            last = [1.0] + [0.0] * (vocab_size - 1)
            tree[path] = last if n == depth - 1 else rng.dirichlet(np.full(vocab_size, 0.7)).tolist()
    return tree


def _all(branches: Mapping[tuple[int, ...], list[float]]) -> dict[tuple[int, ...], float]:
    return {(*path, 0): math.prod(branches[path[:i]][token] for i, token in enumerate((*path, 0))) for path in branches}


def _expect(got: Any, tokens: list[int], log_p: float, what: str) -> None:
    found = got if isinstance(got, tuple) and len(got) == 2 else (got, None)
    expect_equal([int(token) for token in found[0]], tokens, f"{what}: tokens")
    expect_close(found[1], log_p, f"{what}: log-probability")


def _by_hand(answer: Answer, rng: Rng) -> None:
    _expect(answer(_table(_TREE), 0), [3, 0], math.log(0.245), "the chapter's kind of tree, .245 behind a first .25")


def _exhaustive(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        tree = _random(rng)
        paths = _all(tree)
        best = max(paths, key=lambda path: paths[path])
        _expect(answer(_table(tree), 0), list(best), math.log(paths[best]), "a random tree, against all its paths")


def _asks_little(answer: Answer, rng: Rng) -> None:
    asked: list[tuple[int, ...]] = []
    ask = _table(_TREE)

    def spy(tokens: list[int]) -> np.ndarray:
        asked.append(tuple(tokens))
        return ask(tokens)

    answer(spy, 0)
    if len(asked) > 4 or len(set(asked)) < len(asked):
        raise AssertionError(f"expected 4 calls, each about another path, got {len(asked)} about {len(set(asked))}")


def _endless(answer: Answer, rng: Rng) -> None:
    def ask(tokens: list[int]) -> np.ndarray:
        if len(tokens) > 99:
            raise AssertionError("expected an end, got a path of 100 tokens")
        return np.log([0.6, 0.4]) if tokens else np.log([0.3, 0.7])

    _expect(answer(ask, 0), [1, 0], math.log(0.42), "a model without a greatest length: .3, then .7 times .6")


def _greedy(ask: Ask, stop: int) -> tuple[list[int], float]:
    tokens: list[int] = []
    log_p = 0.0
    while not tokens or tokens[-1] != stop:
        values = ask(tokens)
        tokens, log_p = [*tokens, int(values.argmax())], log_p + float(values.max())
    return tokens, log_p


def _first_finished(ask: Ask, stop: int) -> tuple[list[int], float]:
    """Returns when a finished path is made, not when it is the likeliest."""
    heap: list[tuple[float, list[int]]] = [(0.0, [])]
    while True:
        cost, tokens = heapq.heappop(heap)
        values = ask(tokens)
        if values[stop] > -np.inf:
            return [*tokens, stop], float(values[stop]) - cost
        for token, value in enumerate(values):
            if value > -np.inf:
                heapq.heappush(heap, (cost - float(value), [*tokens, token]))


def _depth_first(ask: Ask, stop: int) -> tuple[list[int], float]:
    def walk(tokens: list[int], log_p: float) -> tuple[list[int], float]:
        if tokens and tokens[-1] == stop:
            return tokens, log_p
        paths = [
            walk([*tokens, token], log_p + float(value))
            for token, value in enumerate(ask(tokens))
            if value > -np.inf and len(tokens) < 60
        ]
        return max(paths, key=lambda path: path[1], default=(tokens, -np.inf))

    return walk([], 0.0)


EXERCISE = Write(
    id="search.best_first",
    title="A search that cannot miss",
    difficulty="hard",
    points=6,
    minutes=40,
    may_use="NumPy and Python's standard library",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("equal to the best of all paths", _exhaustive),
        Law("it asks about no path that cannot win", _asks_little),
        Law("it ends where paths need not", _endless),
    ),
    wrong_answers={
        "takes the likeliest token each time": _greedy,
        "returns the first path that ends": _first_finished,
        "tries every path": _depth_first,
        "expands the unlikeliest first": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: log_p),
        "ranks by the mean over tokens": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: -log_p / n),
        "expands the shortest first": lambda ask, stop: _best_first(ask, stop, lambda log_p, n: n),
        "leaves the end out of the tokens": lambda ask, stop: (
            _best_first(ask, stop)[0][:-1],
            _best_first(ask, stop)[1],
        ),
        "gives the probability": lambda ask, stop: (_best_first(ask, stop)[0], math.exp(_best_first(ask, stop)[1])),
    },
)
