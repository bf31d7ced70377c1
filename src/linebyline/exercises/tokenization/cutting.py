"""Exercises on tokenization: the best cuts of a word, and bytes that end up as text."""

import codecs
import heapq
from functools import cache, partial
from itertools import accumulate, count, pairwise
from math import inf, isclose
from typing import Any

from linebyline.exercises.core import expect_equal
from linebyline.exercises.tokenization.merging import chapter


def _two_best_from_the_end(word, log_p):
    """Go from the end of the word, and remember how each rest of it is cut."""

    @cache
    def of_rest(begin):
        if begin == len(word):
            return [(0.0, ())]
        scored = [(word[begin:end], log_p(word[begin:end]), end) for end in range(begin + 1, len(word) + 1)]
        ways = [(s + score, (p, *cut)) for p, s, end in scored if s > -inf for score, cut in of_rest(end)]
        return heapq.nlargest(2, ways)

    return of_rest(0)


def _expect_cuts(answer, word, log_p, scores):
    """Refuse cuts that are not of the word, or do not have these log-probabilities."""
    got = answer(word, _counting(log_p, len(word) ** 2))
    what = f"{word} with {log_p}: expected cuts with {scores}"
    assert isinstance(got, list) and all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in got), (
        f"{what} in a list of pairs, got {got!r}"
    )
    same = len(got) == len(scores) and all(isclose(pair[0], score) for pair, score in zip(got, scores, strict=True))
    assert same, f"{what}, got {got!r}"
    for score, cut in got:
        right = "".join(cut) == word and isclose(sum(log_p.get(piece, -inf) for piece in cut), score)
        assert right, f"{what}, got {cut!r} with {score}"
    assert len({tuple(cut) for _, cut in got}) == len(got), f"{what}, got the same cut twice: {got!r}"


def _counting(log_p, most):
    calls = count(1)

    def ask(piece):
        assert next(calls) <= most, f"expected at most {most} calls of log_p, got more"
        return log_p.get(piece, -inf)

    return ask


def _all_cuts(word, known):
    ends = [t for t in range(1, len(word) + 1) if known(word[:t])]
    return [(word[:t], *rest) for t in ends for rest in _all_cuts(word[t:], known)] if word else [()]


def _cuts(word, log_p, *, kept=2, least=-1e9, score=lambda before, piece: before + piece):
    """Keep some cuts of each beginning of the word; two at the end."""
    best: list[Any] = [[(0.0, ())]]
    for t in range(1, len(word) + 1):
        ways = [
            (score(before, piece), (*cut, word[s:t]))
            for s in range(t)
            if (piece := log_p(word[s:t])) >= least
            for before, cut in best[s][:kept]
        ]
        best.append(sorted(ways, reverse=True)[:2])
    return best[-1]


def _list_all(word, log_p):
    ways = [(sum(map(log_p, cut)), cut) for cut in _all_cuts(word, lambda piece: log_p(piece) > -inf)]
    return sorted(ways, reverse=True)[:2]


@chapter.write(
    "The two best cuts · medium · 3 points · 20 minutes · may use Python's standard library",
    entry="two_best_cuts",
    right=_two_best_from_the_end,
    wrong={
        "takes a second cut that ends in another piece": partial(_cuts, kept=1),
        "takes the most probable piece, whatever comes before it": partial(_cuts, score=lambda before, piece: piece),
        "multiplies logarithms": partial(_cuts, score=lambda before, piece: before * piece),
        "takes the least probable cuts": partial(_cuts, score=lambda before, piece: -(before + piece)),
        "counts what is no piece": partial(_cuts, least=-inf),
        "gives the best cut twice": lambda word, log_p: 2 * _cuts(word, log_p)[:1],
        "gives the second first": lambda word, log_p: _cuts(word, log_p)[::-1],
        "lists all cuts": _list_all,
    },
)
class viterbi:
    def a_case_worked_by_hand(self, answer, rng):
        log_p = dict.fromkeys("dreams", -4.0) | {"dre": -3.0, "dream": -5.0, "ams": -3.5}
        _expect_cuts(answer, "dreams", log_p, [-6.5, -9.0])

    def both_cuts_may_end_alike(self, answer, rng):
        _expect_cuts(answer, "aab", {"a": -1.0, "aa": -3.0, "b": -1.0, "ab": -9.0}, [-3.0, -4.0])

    def where_there_are_fewer_cuts_there_are_fewer_pairs(self, answer, rng):
        _expect_cuts(answer, "abc", {"ab": -1.0, "c": -1.0, "a": -1.0}, [-2.0])
        _expect_cuts(answer, "abc", {"abc": -1.0}, [-1.0])
        _expect_cuts(answer, "ab", {"a": -1.0}, [])

    def equal_to_all_cuts__listed__for_random_words(self, answer, rng):
        for _ in range(20):
            word = "".join(rng.choice(list("abc"), size=7))
            spans = sorted({word[s:t] for s in range(7) for t in range(s + 1, min(s + 4, 7) + 1)})
            log_p = {piece: float(rng.uniform(-9, -1)) for piece in spans if rng.random() < 0.7}
            scores = [sum(map(log_p.__getitem__, cut)) for cut in _all_cuts(word, log_p.__contains__)]
            _expect_cuts(answer, word, log_p, sorted(scores, reverse=True)[:2])

    def a_word_with_too_many_cuts_to_list(self, answer, rng):
        _expect_cuts(answer, "ab" * 12, {"a": -1.0, "b": -2.0, "ab": -2.5}, [-30.0, -30.5])


def _by_whole_characters(tokens):
    """Cut each beginning of the answer after its last whole character."""
    wholes = [b"".join(tokens[: i + 1]).decode(errors="ignore") for i in range(len(tokens))]
    return [whole[len(before) :] for before, whole in zip(["", *wholes], wholes, strict=False)]


def _decoded(tokens):
    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(token) for token in tokens]


def _when_it_ends_well(tokens):
    shown, waiting = [], b""
    for token in tokens:
        waiting += token
        text = waiting.decode(errors="replace")
        shown.append("" if text.endswith("\ufffd") else text)
        waiting = waiting if text.endswith("\ufffd") else b""
    return shown


@chapter.write(
    "Showing an answer as it comes · medium · 4 points · 20 minutes · may use Python's standard library",
    right=_by_whole_characters,
    wrong={
        "decodes each token alone": lambda tokens: [token.decode(errors="replace") for token in tokens],
        "drops what is no text": lambda tokens: [token.decode(errors="ignore") for token in tokens],
        "waits while the text ends in U+FFFD": _when_it_ends_well,
        "shows everything with the last token": lambda tokens: [""] * (len(tokens) - 1) + [b"".join(tokens).decode()],
        "is one token late": lambda tokens: ["", *_decoded(tokens)][: len(tokens)],
        "shows all of the text again each time": lambda tokens: list(accumulate(_decoded(tokens))),
        "leaves out tokens that show nothing": lambda tokens: list(filter(None, _decoded(tokens))),
    },
)
class stream:
    def a_case_worked_by_hand(self, answer, rng):
        expect_equal(answer([b"caf", b"\xc3", b"\xa9", b"!"]), ["caf", "", "é", "!"], "caf, C3, A9, ! in turn")

    def whole_text_is_shown_at_once(self, answer, rng):
        expect_equal(answer([b"Dan", b" loves", b" ice"]), ["Dan", " loves", " ice"], "tokens that are whole text")
        expect_equal(answer([]), [], "no tokens")

    def a_token_may_end_one_sign_and_begin_another(self, answer, rng):
        tokens = [b"\xf0\x9f", b"\x8d\xa6 \xe8", b"\xaa", b"\x9ex"]
        expect_equal(
            answer(tokens), ["", "🍦 ", "", "語x"], "two characters, whose bytes are in two and in three tokens"
        )

    def the_replacement_character_may_stand_in_a_text(self, answer, rng):
        expect_equal(answer(["\ufffd".encode(), b"!"]), ["\ufffd", "!"], "U+FFFD as a character of the text")

    def random_signs__cut_anywhere(self, answer, rng):
        for _ in range(20):
            data = "".join(rng.choice(list("ab é語🍦\ufffd"), size=12)).encode()
            cuts = [0, *sorted(rng.choice(len(data), size=6, replace=False).tolist()), len(data)]
            tokens = [data[start:end] for start, end in pairwise(cuts)]
            expect_equal(answer(tokens), _decoded(tokens), f"{data!r} cut at {cuts[1:-1]}")
