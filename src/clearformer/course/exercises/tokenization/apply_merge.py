"""tokenization.apply_merge: (tokens, pair) -> tokens."""

from itertools import pairwise
from typing import Any

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_equal
from clearformer.course.exercises.tokenization._merging import apply, apply_in_text, apply_once


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


def _apply_from_right(tokens: Any, pair: Any) -> Any:
    return [t[::-1] for t in apply([t[::-1] for t in tokens[::-1]], (pair[1][::-1], pair[0][::-1]))][::-1]


def _apply_in_place(tokens: Any, pair: Any) -> Any:
    tokens[:] = apply(tokens, pair)
    return tokens


EXERCISE = Write(
    id="tokenization.apply_merge",
    title="Applying a merge",
    difficulty="easy",
    points=2,
    minutes=10,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _merge_by_hand),
        Law("every occurrence is merged", _merge_all),
        Law("of overlapping pairs the left one is merged", _merge_from_left),
        Law("only whole tokens make a pair", _merge_whole_tokens),
        Law("left and right are not exchanged", _merge_keeps_order),
        Law("the text stays what it was", _merge_keeps_text),
    ),
    wrong_answers={
        "merges the first occurrence only": apply_once,
        "starts from the right": _apply_from_right,
        "replaces in the joined text": apply_in_text,
        "takes the pair in either order": lambda tokens, pair: apply(apply(tokens, pair), pair[::-1]),
        "repeats the token that overlapping pairs share": lambda tokens, pair: [
            a + b if (a, b) == pair else a for a, b in pairwise([*tokens, ""])
        ],
        "changes the caller's list": _apply_in_place,
        "forgets what follows the last merge": lambda tokens, pair: apply(tokens, pair)[:-1],
    },
)
