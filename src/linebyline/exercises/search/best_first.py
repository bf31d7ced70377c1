"""The exercise on a search that finds the likeliest text of all."""

import heapq
import itertools
import math

import numpy as np

from linebyline.exercises.core import Chapter, expect_close, expect_equal

chapter = Chapter("search")


def _best_first(ask, stop, priority=lambda log_p, n: -log_p):
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


def _best_of_a_dictionary(ask, stop):
    paths: dict[tuple[int, ...], float] = {(): 0.0}
    while True:
        path = max(paths, key=paths.__getitem__)
        if path[-1:] == (stop,):
            return list(path), paths[path]
        before = paths.pop(path)
        paths |= {(*path, v): before + value for v, value in enumerate(ask(list(path))) if value > -np.inf}


def _greedy(ask, stop):
    tokens: list[int] = []
    log_p = 0.0
    while not tokens or tokens[-1] != stop:
        values = ask(tokens)
        tokens, log_p = [*tokens, int(values.argmax())], log_p + float(values.max())
    return tokens, log_p


def _first_finished(ask, stop):
    """Return when a finished path is made, not when it is the likeliest."""
    heap: list[tuple[float, list[int]]] = [(0.0, [])]
    while True:
        cost, tokens = heapq.heappop(heap)
        values = ask(tokens)
        if values[stop] > -np.inf:
            return [*tokens, stop], float(values[stop]) - cost
        for token, value in enumerate(values):
            if value > -np.inf:
                heapq.heappush(heap, (cost - float(value), [*tokens, token]))


def _depth_first(ask, stop, tokens=(), log_p=0.0):
    if tokens and tokens[-1] == stop:
        return list(tokens), log_p
    paths = [
        _depth_first(ask, stop, (*tokens, token), log_p + float(value))
        for token, value in enumerate(ask(list(tokens)))
        if value > -np.inf and len(tokens) < 60
    ]
    return max(paths, key=lambda path: path[1], default=(list(tokens), -np.inf))


SURE = [1.0, 0.0, 0.0, 0.0]
TREE: dict[tuple[int, ...], list[float]] = {  # token 0 is the end; the third word looks worst, and is the best
    (): [0.0, 0.40, 0.35, 0.25],
    (1,): [0.34, 0.33, 0.33, 0.0],
    (2,): [0.40, 0.30, 0.0, 0.30],
    (3,): [0.98, 0.02, 0.0, 0.0],
    **dict.fromkeys([(1, 1), (1, 2), (2, 1), (2, 3), (3, 1)], SURE),
}


def _asking(tree):
    def ask(tokens):
        with np.errstate(divide="ignore"):
            return np.log(tree[tuple(tokens)])

    return ask


def _draw_tree(rng, depth=4):
    """Draw a tree of three tokens in which every path has ended after ``depth`` of them."""
    tree = {}
    for n in range(depth):
        for path in itertools.product((1, 2), repeat=n):
            tree[path] = [1.0, 0.0, 0.0] if n == depth - 1 else rng.dirichlet(np.full(3, 0.7)).tolist()
    return tree


def _whole_paths(tree):
    """Return the probability of each path that has ended."""
    return {(*path, 0): math.prod(tree[path[:i]][token] for i, token in enumerate((*path, 0))) for path in tree}


@chapter.write(
    "best_first",
    "A search that cannot miss",
    "hard · 6 points · 40 minutes · may use NumPy and Python's standard library",
    right=_best_of_a_dictionary,
    wrong={
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
def _(law):
    def expect_path(got, tokens, log_p, what):
        path, score = got if isinstance(got, tuple) and len(got) == 2 else (got, None)
        expect_equal([int(token) for token in path], tokens, f"{what}: tokens")
        expect_close(score, log_p, f"{what}: log-probability")

    @law("a case worked by hand")
    def _(answer, rng):
        got = answer(_asking(TREE), 0)
        expect_path(got, [3, 0], math.log(0.245), "the chapter's kind of tree, .245 behind a first .25")

    @law("equal to the best of all paths")
    def _(answer, rng):
        for _ in range(20):
            tree = _draw_tree(rng)
            path, p = max(_whole_paths(tree).items(), key=lambda item: item[1])
            expect_path(answer(_asking(tree), 0), list(path), math.log(p), "a random tree, against all its paths")

    @law("it asks about no path that cannot win")
    def _(answer, rng):
        asked, ask = [], _asking(TREE)

        def spy(tokens):
            asked.append(tuple(tokens))
            return ask(tokens)

        answer(spy, 0)
        if len(asked) > 4 or len(set(asked)) < len(asked):
            raise AssertionError(f"expected 4 calls, each about another path, got {len(asked)} about {len(set(asked))}")

    @law("it ends where paths need not")
    def _(answer, rng):
        def ask(tokens):
            if len(tokens) > 99:
                raise AssertionError("expected an end, got a path of 100 tokens")
            return np.log([0.6, 0.4]) if tokens else np.log([0.3, 0.7])

        got = answer(ask, 0)
        expect_path(got, [1, 0], math.log(0.42), "a model without a greatest length: .3, then .7 times .6")
