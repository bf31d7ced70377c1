"""The last exercise on tokenization: training by likelihood."""

from collections import Counter
from functools import partial
from itertools import pairwise

from linebyline.exercises.core import expect_equal
from linebyline.exercises.tokenization.cutting import chapter
from linebyline.exercises.tokenization.merging import merged


def _expect_merges(answer, word_counts, n_merges, expected, what):
    got = answer(word_counts, n_merges)
    expect_equal([tuple(pair) for pair in got] if isinstance(got, list | tuple) else got, expected, what)


def _ratio(pair, left, right):
    return pair / (left * right)


def _likelihood(word_counts, n_merges, *, score=_ratio, weigh=True, by_number=True, recount=True):
    """Train by likelihood; the options are the mistakes."""
    words = {tuple(word): count if weigh else 1 for word, count in word_counts.items()}
    number = {token: i for i, token in enumerate(sorted({token for word in words for token in word}))}
    merges: list[tuple[str, str]] = []
    while len(merges) < n_merges:
        tokens, pairs = Counter[str](), Counter[tuple[str, str]]()
        for word, count in words.items():
            for token in word:
                tokens[token] += count
            for pair in pairwise(word):
                pairs[pair] += count
        scores = {(a, b): score(n, tokens[a], tokens[b]) for (a, b), n in pairs.items()}
        ties = {(a, b): (number[a], number[b]) if by_number else (a, b) for a, b in pairs}
        ranked = sorted(scores, key=lambda pair: (-scores[pair], ties[pair]))
        if not recount:
            return ranked[:n_merges]
        if not ranked:
            break
        merges.append(ranked[0])
        number.setdefault("".join(ranked[0]), len(number))
        words = {tuple(merged(word, ranked[0])): count for word, count in words.items()}
    return merges


@chapter.write(
    "Training by likelihood · hard · 6 points · 40 minutes · may use Python's standard library and `merged`",
    right=_likelihood,
    wrong={
        "takes the most frequent pair": partial(_likelihood, score=lambda pair, left, right: pair),
        "divides by the left token only": partial(_likelihood, score=lambda pair, left, right: pair / left),
        "divides by the sum of the counts": partial(_likelihood, score=lambda pair, left, right: pair / (left + right)),
        "forgets how often a word occurs": partial(_likelihood, weigh=False),
        "breaks ties by spelling": partial(_likelihood, by_number=False),
        "breaks ties by first occurrence": lambda w, n: _likelihood(dict(sorted(w.items(), reverse=True)), n)[::-1],
        "never counts again": partial(_likelihood, recount=False),
        "continues without pairs": lambda word_counts, n: [*_likelihood(word_counts, n), *[("", "")] * n][:n],
    },
)
class train:
    def a_case_worked_by_hand(self, answer, rng):
        # ai: 4 / (6 * 5); ax: 2 / (6 * 2); zi: 1 / (1 * 5). The most frequent pair, ai, scores least.
        _expect_merges(answer, {"ai": 4, "ax": 2, "zi": 1}, 1, [("z", "i")], "ai 4 times, ax twice, zi once; one merge")

    def a_word_counts_as_often_as_it_occurs(self, answer, rng):
        # ab: 9 / (9 * 10); cb: 1 / (3 * 10); cd: 2 / (3 * 2). Unweighted, ab and cd would tie.
        _expect_merges(answer, {"ab": 9, "cb": 1, "cd": 2}, 1, [("c", "d")], "ab 9 times, cb once, cd twice; one merge")

    def ties_go_to_the_smaller_numbers(self, answer, rng):
        expected = [("a", "b"), ("d", "c"), ("x", "y")]
        _expect_merges(answer, {"xy": 1, "dc": 1, "ab": 1}, 3, expected, "xy, dc and ab, once each")

    def new_tokens_have_larger_numbers_than_all_before(self, answer, rng):
        # After ab, the pairs (ab, c) and (d, e) tie; d is number 3 and ab is number 7.
        counts, what = {"abc": 2, "de": 2, "c": 2, "d": 2, "f": 1, "g": 1}, "abc, de, c and d, twice each, f and g"
        _expect_merges(answer, counts, 2, [("a", "b"), ("d", "e")], f"{what}; two merges")

    def everything_is_counted_again_after_a_merge(self, answer, rng):
        _expect_merges(answer, {"abcd": 1}, 3, [("a", "b"), ("c", "d"), ("ab", "cd")], "abcd, three merges")

    def training_ends_when_no_pair_is_left(self, answer, rng):
        _expect_merges(answer, {"ab": 3, "c": 2}, 10, [("a", "b")], "ab and c, ten merges asked for")
        _expect_merges(answer, {}, 2, [], "no words")

    def equal_to_a_reference_on_random_words(self, answer, rng):
        words = ["".join(rng.choice(list("abcd"), size=rng.integers(1, 7))) for _ in range(30)]
        counts = {word: int(rng.integers(1, 9)) for word in words}
        _expect_merges(answer, counts, 12, _likelihood(counts, 12), f"{len(counts)} random words, 12 merges")
