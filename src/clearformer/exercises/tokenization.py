"""The exercises on byte-pair encoding: laws that right answers obey, and wrong answers that break them."""

from collections import Counter
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from clearformer.exercises.core import Answer, Exercise, Law, expect_equal
from clearformer.exercises.wordpiece import TRAIN, WORDPIECE
from clearformer.tokenizers import BPETokenizer

Rng = np.random.Generator


# --- tokenization.pair_counts: {word as a tuple of tokens: count} -> {pair: count} ---


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


def _count_pairs(words: Any) -> Any:
    counts: Counter[Any] = Counter()
    for word, count in words.items():
        for pair in pairwise(word):
            counts[pair] += count
    return dict(counts)


def _count_across(words: Any) -> Any:
    return dict(Counter(pairwise(token for word, count in words.items() for token in word * count)))


PAIR_COUNTS = Exercise(
    id="tokenization.pair_counts",
    title="Counting pairs",
    difficulty="easy",
    points=1,
    minutes=5,
    laws=(
        Law("a case worked by hand", _counts_by_hand),
        Law("a word counts as often as it occurs", _counts_weighted),
        Law("a pair may occur twice in a word", _counts_repeats),
        Law("tokens are counted, not letters", _counts_tokens),
        Law("a word of one token has no pair", _counts_nothing),
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


# --- tokenization.apply_merge: (tokens, pair) -> tokens ---


def _merge_by_hand(answer: Answer, rng: Rng) -> None:
    got = answer(list("icecream"), ("c", "e"))
    expect_equal(got, ["i", "ce", "c", "r", "e", "a", "m"], "icecream and the pair c, e")


def _merge_all(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(list("banana"), ("a", "n")), ["b", "an", "an", "a"], "banana and the pair a, n")


def _merge_from_left(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(list("aaaaa"), ("a", "a")), ["aa", "aa", "a"], "aaaaa and the pair a, a")


def _merge_whole_tokens(answer: Answer, rng: Rng) -> None:
    got = answer(["dre", "am", "a", "m"], ("a", "m"))
    expect_equal(got, ["dre", "am", "am"], "dre|am|a|m and the pair a, m")
    got = answer(["re", "am", "s"], ("e", "am"))
    expect_equal(got, ["re", "am", "s"], "re|am|s and the pair e, am, which is not there")


def _merge_keeps_order(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(list("abcba"), ("b", "a")), ["a", "b", "c", "ba"], "abcba and the pair b, a")


def _merge_keeps_text(answer: Answer, rng: Rng) -> None:
    tokens = rng.choice(list("ab"), size=12).tolist()
    got = answer(tokens, ("a", "b"))
    assert got is not None, "expected a list, got None (is a return missing?)"
    expect_equal("".join(got), "".join(tokens), f"the text that {tokens} spells, after merging a, b")


def _apply(tokens: Any, pair: Any) -> list[Any]:
    merged: list[Any] = []
    for token in tokens:
        if merged and (merged[-1], token) == pair:
            merged[-1] += token
        else:
            merged.append(token)
    return merged


def _apply_once(tokens: Any, pair: Any) -> Any:
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == pair:
            return [*tokens[:i], pair[0] + pair[1], *tokens[i + 2 :]]
    return list(tokens)


def _apply_from_right(tokens: Any, pair: Any) -> Any:
    return [t[::-1] for t in _apply([t[::-1] for t in tokens[::-1]], (pair[1][::-1], pair[0][::-1]))][::-1]


def _apply_in_text(tokens: Any, pair: Any) -> Any:
    blanks = " ".join(tokens).replace(f"{pair[0]} {pair[1]}", pair[0] + pair[1])
    return blanks.split(" ")


def _apply_in_place(tokens: Any, pair: Any) -> Any:
    tokens[:] = _apply(tokens, pair)
    return tokens


APPLY_MERGE = Exercise(
    id="tokenization.apply_merge",
    title="Applying a merge",
    difficulty="easy",
    points=2,
    minutes=10,
    laws=(
        Law("a case worked by hand", _merge_by_hand),
        Law("every occurrence is merged", _merge_all),
        Law("of overlapping pairs the left one is merged", _merge_from_left),
        Law("only whole tokens make a pair", _merge_whole_tokens),
        Law("left and right are not exchanged", _merge_keeps_order),
        Law("the text stays what it was", _merge_keeps_text),
    ),
    wrong_answers={
        "merges the first occurrence only": _apply_once,
        "starts from the right": _apply_from_right,
        "replaces in the joined text": _apply_in_text,
        "takes the pair in either order": lambda tokens, pair: _apply(_apply(tokens, pair), pair[::-1]),
        "repeats the token that overlapping pairs share": lambda tokens, pair: [
            a + b if (a, b) == pair else a for a, b in pairwise([*tokens, ""])
        ],
        "changes the caller's list": _apply_in_place,
        "forgets what follows the last merge": lambda tokens, pair: _apply(tokens, pair)[:-1],
    },
)


# --- tokenization.encode: (word, merges in the order learnt) -> tokens ---


def _encode_by_hand(answer: Answer, rng: Rng) -> None:
    merges = [("r", "e"), ("c", "re"), ("a", "m"), ("cre", "am"), ("c", "e")]
    expect_equal(answer("icecream", merges), ["i", "ce", "cream"], f"icecream with {merges}")


def _encode_by_rank(answer: Answer, rng: Rng) -> None:
    merges = [("b", "c"), ("a", "b"), ("ab", "c")]
    expect_equal(answer("abc", merges), ["a", "bc"], f"abc with {merges}")


def _encode_everywhere(answer: Answer, rng: Rng) -> None:
    merges = [("a", "n"), ("an", "an")]
    expect_equal(answer("bananan", merges), ["b", "anan", "an"], f"bananan with {merges}")


def _encode_unknown(answer: Answer, rng: Rng) -> None:
    expect_equal(answer("", [("a", "b")]), [], "the empty word")
    expect_equal(answer("xyz", [("a", "b")]), ["x", "y", "z"], "xyz with the merge a, b")


def _encode_package(answer: Answer, rng: Rng) -> None:
    text = " ".join("".join(rng.choice(list("abcd"), size=6)) for _ in range(40))
    tokenizer = BPETokenizer.train(text, 256 + 20, pattern=r"\p{L}+")
    merges = [(left.decode(), right.decode()) for left, right in tokenizer.merges]
    for _ in range(20):
        word = "".join(rng.choice(list("abcd"), size=9))
        expected = [tokenizer.decode([i]) for i in tokenizer.encode(word)]
        expect_equal(answer(word, merges), expected, f"{word} with {len(merges)} learnt merges")


def _encode_longest(word: Any, merges: Any) -> Any:
    vocab = {left + right for left, right in merges}
    tokens: list[str] = []
    start = 0
    while start < len(word):
        ends = range(len(word), start + 1, -1)
        end = next((end for end in ends if word[start:end] in vocab), start + 1)
        tokens.append(word[start:end])
        start = end
    return tokens


def _encode_in_order(word: Any, merges: Any, apply: Any = _apply) -> Any:
    tokens = list(word)
    for pair in merges:
        tokens = apply(tokens, pair)
    return tokens


def _encode_leftmost(word: Any, merges: Any) -> Any:
    tokens = list(word)
    while pairs := [i for i, pair in enumerate(pairwise(tokens)) if pair in set(merges)]:
        tokens[pairs[0] : pairs[0] + 2] = [tokens[pairs[0]] + tokens[pairs[0] + 1]]
    return tokens


ENCODE = Exercise(
    id="tokenization.encode",
    title="Merges in the order learnt",
    difficulty="medium",
    points=3,
    minutes=15,
    laws=(
        Law("a case worked by hand", _encode_by_hand),
        Law("the merge learnt first comes first", _encode_by_rank),
        Law("every occurrence is merged", _encode_everywhere),
        Law("what no merge knows stays single", _encode_unknown),
        Law("equal to the package on random words", _encode_package),
    ),
    wrong_answers={
        "takes the longest token first": _encode_longest,
        "takes the leftmost pair first": _encode_leftmost,
        "replays the merges backwards": lambda word, merges: _encode_in_order(word, merges[::-1]),
        "merges the first occurrence only": lambda word, merges: _encode_in_order(word, merges, _apply_once),
        "replaces in the joined text": lambda word, merges: _encode_in_order(word, merges, _apply_in_text),
        "drops letters that no merge knows": lambda word, merges: [
            token for token in _encode_in_order(word, merges) if len(token) > 1
        ],
    },
)

EXERCISES = (PAIR_COUNTS, APPLY_MERGE, ENCODE, WORDPIECE, TRAIN)
