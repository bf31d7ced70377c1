"""tokenization.train: ({word: count}, number of merges) -> merges, by likelihood."""

from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_equal


def _train_by_hand(answer: Answer, rng: Rng) -> None:
    # ai: 4 / (6 * 5); ax: 2 / (6 * 2); zi: 1 / (1 * 5). The most frequent pair, ai, scores least.
    got = answer({"ai": 4, "ax": 2, "zi": 1}, 1)
    expect_equal(_pairs(got), [("z", "i")], "ai 4 times, ax twice, zi once; one merge")


def _train_weighted(answer: Answer, rng: Rng) -> None:
    # ab: 9 / (9 * 10); cb: 1 / (3 * 10); cd: 2 / (3 * 2). Unweighted, ab and cd would tie.
    got = answer({"ab": 9, "cb": 1, "cd": 2}, 1)
    expect_equal(_pairs(got), [("c", "d")], "ab 9 times, cb once, cd twice; one merge")


def _train_ties(answer: Answer, rng: Rng) -> None:
    got = answer({"xy": 1, "dc": 1, "ab": 1}, 3)
    expect_equal(_pairs(got), [("a", "b"), ("d", "c"), ("x", "y")], "xy, dc and ab, once each")


def _train_numbers(answer: Answer, rng: Rng) -> None:
    # After ab, the pairs (ab, c) and (d, e) tie; d is number 3 and ab is number 7.
    got = answer({"abc": 2, "de": 2, "c": 2, "d": 2, "f": 1, "g": 1}, 2)
    expect_equal(_pairs(got), [("a", "b"), ("d", "e")], "abc, de, c and d, twice each, f and g; two merges")


def _train_recounts(answer: Answer, rng: Rng) -> None:
    got = answer({"abcd": 1}, 3)
    expect_equal(_pairs(got), [("a", "b"), ("c", "d"), ("ab", "cd")], "abcd, three merges")


def _train_stops(answer: Answer, rng: Rng) -> None:
    expect_equal(_pairs(answer({"ab": 3, "c": 2}, 10)), [("a", "b")], "ab and c, ten merges asked for")
    expect_equal(_pairs(answer({}, 2)), [], "no words")


def _train_reference(answer: Answer, rng: Rng) -> None:
    words = ["".join(rng.choice(list("abcd"), size=rng.integers(1, 7))) for _ in range(30)]
    counts = {word: int(rng.integers(1, 9)) for word in words}
    expect_equal(_pairs(answer(counts, 12)), _likelihood(counts, 12), f"{len(counts)} random words, 12 merges")


def _pairs(got: Any) -> Any:
    return [tuple(pair) for pair in got] if isinstance(got, list | tuple) else got


Score = Callable[[int, int, int], float]


def _likelihood(
    word_counts: Any,
    n_merges: Any,
    *,
    score: Score = lambda pair, left, right: pair / (left * right),
    weigh: bool = True,
    by_number: bool = True,
    recount: bool = True,
) -> Any:
    """Train by likelihood; the options are the mistakes."""
    words = {tuple(word): count if weigh else 1 for word, count in word_counts.items()}
    number = {token: i for i, token in enumerate(sorted({token for word in words for token in word}))}
    merges: list[tuple[str, str]] = []
    first: list[tuple[str, str]] = []
    while len(merges) < n_merges:
        tokens: Counter[str] = Counter()
        pairs: Counter[tuple[str, str]] = Counter()
        for word, count in words.items():
            for token in word:
                tokens[token] += count
            for pair in pairwise(word):
                pairs[pair] += count
        scores = {(a, b): score(n, tokens[a], tokens[b]) for (a, b), n in pairs.items()}
        ties = {(a, b): (number[a], number[b]) if by_number else (a, b) for a, b in pairs}
        ranked = sorted(scores, key=lambda pair: (-scores[pair], ties[pair]))
        first = first or ranked
        if not recount:
            return first[:n_merges]
        if not ranked:
            break
        merges.append(ranked[0])
        number.setdefault("".join(ranked[0]), len(number))
        words = _merged(words, ranked[0])
    return merges


def _merged(words: Any, pair: tuple[str, str]) -> dict[tuple[str, ...], int]:
    merged: Counter[tuple[str, ...]] = Counter()
    for word, count in words.items():
        tokens: list[str] = []
        for token in word:
            if tokens and (tokens[-1], token) == pair:
                tokens[-1] += token
            else:
                tokens.append(token)
        merged[tuple(tokens)] += count
    return dict(merged)


def _mistake(**options: Any) -> Answer:
    return lambda word_counts, n_merges: _likelihood(word_counts, n_merges, **options)


def _never_stops(word_counts: Any, n_merges: Any) -> Any:
    merges = _likelihood(word_counts, n_merges)
    return [*merges, *[("", "")] * (n_merges - len(merges))]


EXERCISE = Write(
    id="tokenization.train",
    title="Training by likelihood",
    difficulty="hard",
    points=6,
    minutes=40,
    may_use="Python's standard library and `merged`",
    laws=(
        Law("a case worked by hand", _train_by_hand),
        Law("a word counts as often as it occurs", _train_weighted),
        Law("ties go to the smaller numbers", _train_ties),
        Law("new tokens have larger numbers than all before", _train_numbers),
        Law("everything is counted again after a merge", _train_recounts),
        Law("training ends when no pair is left", _train_stops),
        Law("equal to a reference on random words", _train_reference),
    ),
    wrong_answers={
        "takes the most frequent pair": _mistake(score=lambda pair, left, right: pair),
        "divides by the left token only": _mistake(score=lambda pair, left, right: pair / left),
        "divides by the sum of the counts": _mistake(score=lambda pair, left, right: pair / (left + right)),
        "forgets how often a word occurs": _mistake(weigh=False),
        "breaks ties by spelling": _mistake(by_number=False),
        "breaks ties by first occurrence": lambda word_counts, n_merges: _mistake()(
            dict(sorted(word_counts.items(), reverse=True)), n_merges
        )[::-1],
        "never counts again": _mistake(recount=False),
        "goes on without pairs": _never_stops,
    },
)
