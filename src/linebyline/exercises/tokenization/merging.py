"""The first exercises on tokenization: merges, and pieces of words."""

from itertools import pairwise
from typing import Any

from clearformer.tokenizers import BPETokenizer, WordPieceTokenizer
from linebyline.exercises.core import Chapter, also, expect_equal

chapter = Chapter("tokenization")


def merged(tokens, pair):
    """Merge a pair wherever it occurs, from the left."""
    result: list[Any] = []
    for token in tokens:
        if result and (result[-1], token) == pair:
            result[-1] += token
        else:
            result.append(token)
    return result


def _merged_once(tokens, pair):
    for i in range(len(tokens) - 1):
        if (tokens[i], tokens[i + 1]) == pair:
            return [*tokens[:i], pair[0] + pair[1], *tokens[i + 2 :]]
    return list(tokens)


def _merged_in_text(tokens, pair):
    return " ".join(tokens).replace(" ".join(pair), "".join(pair)).split(" ")


@chapter.predict(
    "One letter, again and again · easy · 1 point · 5 minutes · may use pen and paper",
    "merges",
    within=0.05,
    right=4,
    wrong={
        "This would add one letter with each merge. A merge joins its pair everywhere in the word.": 15,
        "That many pairs the first merge joins, all at once. How many tokens are left then?": 8,
        "This counts the tokens learned and the single letter, which no merge made.": 5,
        "The first merge leaves a word of equal tokens, half as many. Then there is a pair again.": 1,
        "A merge of one pair makes one new token, however often the pair occurs.": 16,
    },
)
def doubling(rng):
    return len(BPETokenizer.train(rng.choice(list("abcxyz")) * 16, vocab_size=10_000).merges)


OPTIONS = ("un ##able", "una ##le", "una [UNK]", "[UNK]")


@chapter.pick(
    "The longest match first · easy · 2 points · 5 minutes · may use pen and paper",
    "the pieces of unable",
    OPTIONS,
    right="[UNK]",
    wrong={
        "These two would spell it. Which piece comes first, though, if the longest known one is taken?": OPTIONS[0],
        "Written together they lack a letter, and none may be skipped.": OPTIONS[1],
        "The beginning is right. What does the chapter say becomes of a word that cannot be finished?": OPTIONS[2],
    },
)
def wordpiece(rng):
    """Cut the word; the ids of the pieces do not matter, so they are drawn."""
    names = ["[UNK]", *rng.permutation(["un", "una", "##able", "##le"]).tolist()]
    vocab = {piece: i for i, piece in enumerate(names) if i}
    return " ".join(names[i] for i in WordPieceTokenizer(vocab, {"[UNK]": 0}).encode("unable"))


@chapter.diagnose(
    "Applying a merge · easy · 2 points · 10 minutes · may use Python's standard library",
    """
def apply_merge(tokens, pair):
    joined = "".join(pair)
?   This is the new token, and it is spelled as its two halves.
    result = []
?   The list starts empty and is a new one, so the caller's stays what it was.
    for token in tokens:
?   One walk over the tokens, from the left, is what was asked for.
        if result and result[-1] + token == joined:
!       if result and (result[-1], token) == pair:
?   Two other tokens may spell the same: a and bc read like ab and c. The pair itself must be compared, token by
?   token.
            result[-1] = joined
?   The left half is in the list already, and becomes the new token.
        else:
?   A token that completes no pair is kept.
            result.append(token)
?   The token is kept; it may yet be the left half of a pair.
    return result
?   All tokens have been seen by then.
""",
    wrong={
        "compares with the last letter of the token before": "if result and (result[-1][-1], token) == pair:",
        "compares the right half only": "if result and token == pair[1]:",
        "takes the pair in either order": "if result and sorted((result[-1], token)) == sorted(pair):",
        "merges the first occurrence only": _merged_once,
        "starts from the right": lambda tokens, pair: [
            t[::-1] for t in merged([t[::-1] for t in tokens[::-1]], (pair[1][::-1], pair[0][::-1]))
        ][::-1],
        "replaces in the joined text": _merged_in_text,
        "keeps the left half beside the new token": also(5, "result.append(joined)"),
        "keeps the left half in place of the new token": also(5, "pass"),
        "changes the caller's list": also(8, "tokens[:] = result; return tokens"),
        "forgets what follows the last merge": also(8, "return result[:-1]"),
    },
)
class apply_merge:
    def a_case_worked_by_hand(self, answer, rng):
        got = answer(list("icecream"), ("c", "e"))
        expect_equal(got, ["i", "ce", "c", "r", "e", "a", "m"], "icecream and the pair c, e")

    def every_occurrence_is_merged(self, answer, rng):
        expect_equal(answer(list("banana"), ("a", "n")), ["b", "an", "an", "a"], "banana and the pair a, n")

    def of_overlapping_pairs_the_left_one_is_merged(self, answer, rng):
        expect_equal(answer(list("aaaaa"), ("a", "a")), ["aa", "aa", "a"], "aaaaa and the pair a, a")

    def only_whole_tokens_make_a_pair(self, answer, rng):
        expect_equal(answer(["dre", "am", "a", "m"], ("a", "m")), ["dre", "am", "am"], "dre|am|a|m and the pair a, m")
        tokens = ["re", "am", "s"]
        expect_equal(answer(tokens, ("e", "am")), tokens, "re|am|s and the pair e, am, which is not there")

    def what_spells_the_same_need_not_be_the_pair(self, answer, rng):
        expect_equal(answer(["a", "bc", "ab", "c"], ("ab", "c")), ["a", "bc", "abc"], "a|bc|ab|c and the pair ab, c")
        tokens, pair = rng.choice(["a", "b", "ab", "aab", "ba"], size=30).tolist(), ("ab", "a")
        expect_equal(answer(tokens, pair), merged(tokens, pair), f"{'|'.join(tokens)} and the pair ab, a")

    def left_and_right_are_not_exchanged(self, answer, rng):
        expect_equal(answer(list("abcba"), ("b", "a")), ["a", "b", "c", "ba"], "abcba and the pair b, a")

    def the_text_stays_what_it_was(self, answer, rng):
        tokens = rng.choice(list("ab"), size=12).tolist()
        got = answer(tokens, ("a", "b"))
        assert got is not None, "expected a list, got None (is a return missing?)"
        expect_equal("".join(got), "".join(tokens), f"the text that {tokens} spells, after merging a, b")


def _encode_longest(word, merges):
    vocab = {left + right for left, right in merges}
    tokens: list[str] = []
    while rest := word[len("".join(tokens)) :]:
        tokens.append(next((rest[:n] for n in range(len(rest), 1, -1) if rest[:n] in vocab), rest[0]))
    return tokens


def _encode_in_order(word, merges, merged=merged):
    tokens = list(word)
    for pair in merges:
        tokens = merged(tokens, pair)
    return tokens


def _encode_leftmost(word, merges):
    tokens = list(word)
    while pairs := [i for i, pair in enumerate(pairwise(tokens)) if pair in set(merges)]:
        tokens[pairs[0] : pairs[0] + 2] = [tokens[pairs[0]] + tokens[pairs[0] + 1]]
    return tokens


@chapter.write(
    "Merges in the order learned · medium · 3 points · 15 minutes · may use Python's standard library and `merged`",
    right=_encode_in_order,
    wrong={
        "takes the longest token first": _encode_longest,
        "takes the leftmost pair first": _encode_leftmost,
        "replays the merges backwards": lambda word, merges: _encode_in_order(word, merges[::-1]),
        "merges the first occurrence only": lambda word, merges: _encode_in_order(word, merges, _merged_once),
        "replaces in the joined text": lambda word, merges: _encode_in_order(word, merges, _merged_in_text),
        "drops letters that no merge knows": lambda *args: [t for t in _encode_in_order(*args) if len(t) > 1],
    },
)
class encode:
    def a_case_worked_by_hand(self, answer, rng):
        merges = [("r", "e"), ("c", "re"), ("a", "m"), ("cre", "am"), ("c", "e")]
        expect_equal(answer("icecream", merges), ["i", "ce", "cream"], f"icecream with {merges}")

    def the_merge_learned_first_comes_first(self, answer, rng):
        merges = [("b", "c"), ("a", "b"), ("ab", "c")]
        expect_equal(answer("abc", merges), ["a", "bc"], f"abc with {merges}")

    def every_occurrence_is_merged(self, answer, rng):
        merges = [("a", "n"), ("an", "an")]
        expect_equal(answer("bananan", merges), ["b", "anan", "an"], f"bananan with {merges}")

    def what_no_merge_knows_stays_single(self, answer, rng):
        expect_equal(answer("", [("a", "b")]), [], "the empty word")
        expect_equal(answer("xyz", [("a", "b")]), ["x", "y", "z"], "xyz with the merge a, b")

    def equal_to_the_package_on_random_words(self, answer, rng):
        text = " ".join("".join(rng.choice(list("abcd"), size=6)) for _ in range(40))
        tokenizer = BPETokenizer.train(text, 256 + 20, pattern=r"\p{L}+")
        merges = [(left.decode(), right.decode()) for left, right in tokenizer.merges]
        for _ in range(20):
            word = "".join(rng.choice(list("abcd"), size=9))
            expected = [tokenizer.decode([i]) for i in tokenizer.encode(word)]
            expect_equal(answer(word, merges), expected, f"{word} with {len(merges)} learned merges")
