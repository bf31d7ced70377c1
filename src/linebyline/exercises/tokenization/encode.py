"""tokenization.encode: (word, merges in the order learnt) -> tokens."""

from itertools import pairwise
from typing import Any

from clearformer.tokenizers import BPETokenizer
from linebyline.exercises.core import Answer, Law, Rng, Write, expect_equal
from linebyline.exercises.tokenization._merging import apply, apply_in_text, apply_once


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


def _encode_in_order(word: Any, merges: Any, apply: Any = apply) -> Any:
    tokens = list(word)
    for pair in merges:
        tokens = apply(tokens, pair)
    return tokens


def _encode_leftmost(word: Any, merges: Any) -> Any:
    tokens = list(word)
    while pairs := [i for i, pair in enumerate(pairwise(tokens)) if pair in set(merges)]:
        tokens[pairs[0] : pairs[0] + 2] = [tokens[pairs[0]] + tokens[pairs[0] + 1]]
    return tokens


EXERCISE = Write(
    id="tokenization.encode",
    title="Merges in the order learnt",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="Python's standard library and `merged`",
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
        "merges the first occurrence only": lambda word, merges: _encode_in_order(word, merges, apply_once),
        "replaces in the joined text": lambda word, merges: _encode_in_order(word, merges, apply_in_text),
        "drops letters that no merge knows": lambda word, merges: [
            token for token in _encode_in_order(word, merges) if len(token) > 1
        ],
    },
)
