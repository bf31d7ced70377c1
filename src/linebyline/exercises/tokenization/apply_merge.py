"""tokenization.apply_merge: (tokens, pair) -> tokens, of which one line is at fault."""

from typing import Any

from linebyline.exercises.core import Answer, Code, Diagnose, Law, Rng, expect_equal
from linebyline.exercises.tokenization._merging import apply, apply_in_text, apply_once


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


def _merge_pair_not_spelling(answer: Answer, rng: Rng) -> None:
    got = answer(["a", "bc", "ab", "c"], ("ab", "c"))
    expect_equal(got, ["a", "bc", "abc"], "a|bc|ab|c and the pair ab, c")
    tokens, pair = rng.choice(["a", "b", "ab", "aab", "ba"], size=30).tolist(), ("ab", "a")
    expect_equal(answer(tokens, pair), apply(tokens, pair), f"{'|'.join(tokens)} and the pair ab, a")


def _merge_keeps_order(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(list("abcba"), ("b", "a")), ["a", "b", "c", "ba"], "abcba and the pair b, a")


def _merge_keeps_text(answer: Answer, rng: Rng) -> None:
    tokens = rng.choice(list("ab"), size=12).tolist()
    got = answer(tokens, ("a", "b"))
    assert got is not None, "expected a list, got None (is a return missing?)"
    expect_equal("".join(got), "".join(tokens), f"the text that {tokens} spells, after merging a, b")


def _apply_from_right(tokens: Any, pair: Any) -> Any:
    return [t[::-1] for t in apply([t[::-1] for t in tokens[::-1]], (pair[1][::-1], pair[0][::-1]))][::-1]


_START = "result = []"
_JOINED = 'joined = "".join(pair)'
_IF = "if result and result[-1] + token == joined:"
_JOIN = "result[-1] = joined"
_KEEP = "result.append(token)"
_RETURN = "return result"
_BROKEN = Code(
    """
def apply_merge(tokens, pair):
    joined = "".join(pair)
    result = []
    for token in tokens:
        if result and result[-1] + token == joined:
            result[-1] = joined
        else:
            result.append(token)
    return result
"""
)
_FIXED = _BROKEN.replace_line(_IF, "if result and (result[-1], token) == pair:")


EXERCISE = Diagnose(
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
        Law("what spells the same need not be the pair", _merge_pair_not_spelling),
        Law("left and right are not exchanged", _merge_keeps_order),
        Law("the text stays what it was", _merge_keeps_text),
    ),
    broken=_BROKEN,
    fixed=_FIXED,
    why=(
        "Two other tokens may spell the same: a and bc read like ab and c. The pair itself must be compared, "
        "token by token."
    ),
    innocent={
        _JOINED: "This is the new token, and it is spelt as its two halves.",
        _START: "The list starts empty and is a new one, so the caller's stays what it was.",
        "for token in tokens:": "One walk over the tokens, from the left, is what was asked for.",
        _JOIN: "The left half is in the list already, and becomes the new token.",
        "else:": "A token that completes no pair is kept.",
        _KEEP: "The token is kept; it may yet be the left half of a pair.",
        _RETURN: "All tokens have been seen by then.",
    },
    wrong_answers={
        "compares with the last letter of the token before": _BROKEN.replace_line(
            _IF, "if result and (result[-1][-1], token) == pair:"
        ),
        "compares the right half only": _BROKEN.replace_line(_IF, "if result and token == pair[1]:"),
        "takes the pair in either order": _BROKEN.replace_line(
            _IF, "if result and sorted((result[-1], token)) == sorted(pair):"
        ),
        "merges the first occurrence only": apply_once,
        "starts from the right": _apply_from_right,
        "replaces in the joined text": apply_in_text,
        "keeps the left half beside the new token": _FIXED.replace_line(_JOIN, "result.append(joined)"),
        "keeps the left half in place of the new token": _FIXED.replace_line(_JOIN, "pass"),
        "changes the caller's list": _FIXED.replace_line(_RETURN, "tokens[:] = result; return tokens"),
        "forgets what follows the last merge": _FIXED.replace_line(_RETURN, "return result[:-1]"),
    },
)
