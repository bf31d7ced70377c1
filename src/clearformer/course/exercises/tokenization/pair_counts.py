"""tokenization.pair_counts: {word as a tuple of tokens: count} -> {pair: count}."""

from collections import Counter
from itertools import combinations, pairwise, product
from typing import Any

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_equal


def _counted(got: Any) -> Any:
    return {pair: count for pair, count in got.items() if count} if isinstance(got, dict) else got


def _counts_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer({("i", "c", "e"): 1, ("i", "c", "y"): 1})
    expected = {("i", "c"): 2, ("c", "e"): 1, ("c", "y"): 1}
    expect_equal(_counted(got), expected, "ice and icy, once each")


def _counts_weighted(answer: Answer, rng: Rng) -> None:
    got = answer({("i", "c", "e"): 3, ("c", "e", "l", "l"): 4})
    expected = {("i", "c"): 3, ("c", "e"): 7, ("e", "l"): 4, ("l", "l"): 4}
    expect_equal(_counted(got), expected, "ice three times, cell four times")


def _counts_repeats(answer: Answer, rng: Rng) -> None:
    got = answer({tuple("banana"): 1})
    expected = {("b", "a"): 1, ("a", "n"): 2, ("n", "a"): 2}
    expect_equal(_counted(got), expected, "banana")


def _counts_tokens(answer: Answer, rng: Rng) -> None:
    got = answer({("cre", "am"): 2, ("dre", "am", "s"): 1})
    expected = {("cre", "am"): 2, ("dre", "am"): 1, ("am", "s"): 1}
    expect_equal(_counted(got), expected, "cre|am twice, dre|am|s once")


def _counts_nothing(answer: Answer, rng: Rng) -> None:
    expect_equal(_counted(answer({("a",): 5, ("ice",): 2})), {}, "words of one token")


def _counts_random(answer: Answer, rng: Rng) -> None:
    words = {tuple(rng.choice(list("abc"), size=size).tolist()): int(rng.integers(1, 9)) for size in range(2, 9)}
    expected: dict[Any, int] = {}
    for left, right in product("abc", repeat=2):
        places = sum(
            n for word, n in words.items() for i in range(1, len(word)) if word[i - 1 : i + 1] == (left, right)
        )
        expected |= {(left, right): places} if places else {}
    expect_equal(_counted(answer(words)), expected, "words of 2 to 8 tokens from a, b and c")


def _count_pairs(words: Any) -> Any:
    counts: Counter[Any] = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count
    return dict(counts)


def _count_across(words: Any) -> Any:
    return dict(Counter(pairwise(token for word, count in words.items() for token in word * count)))


EXERCISE = Write(
    id="tokenization.pair_counts",
    title="Counting pairs",
    difficulty="easy",
    points=1,
    minutes=5,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _counts_by_hand),
        Law("a word counts as often as it occurs", _counts_weighted),
        Law("a pair may occur twice in a word", _counts_repeats),
        Law("tokens are counted, not letters", _counts_tokens),
        Law("a word of one token has no pair", _counts_nothing),
        Law("random words, pair by pair", _counts_random),
    ),
    wrong_answers={
        "forgets how often a word occurs": lambda words: dict(Counter(p for w in words for p in pairwise(w))),
        "counts a pair once a word": lambda words: _count_pairs({tuple(dict.fromkeys(w)): n for w, n in words.items()}),
        "counts across the ends of words": _count_across,
        "counts letters": lambda words: _count_pairs({tuple("".join(w)): n for w, n in words.items()}),
        "pairs every two tokens of a word": lambda words: dict(
            Counter(p for w, n in words.items() for p in combinations(w, 2) for _ in range(n))
        ),
        "ignores the order within a pair": lambda words: dict(
            Counter(tuple(sorted(p)) for w, n in words.items() for p in pairwise(w) for _ in range(n))
        ),
    },
)
