"""tokenization.viterbi: (word, t, best, log_p) -> best score of t letters, and where the last piece begins."""

from math import inf
from typing import Any

from clearformer.course.exercises.core import Answer, Law, Rng, Write, expect_equal
from clearformer.tokenizers import UnigramTokenizer

_LOG_P = {"d": -4.0, "r": -4.0, "e": -4.0, "a": -4.0, "m": -4.0, "s": -4.0, "dre": -3.0, "dream": -5.0, "ams": -3.5}


def _by_hand(answer: Answer, rng: Rng) -> None:
    best = [0.0, -4.0, -8.0, -3.0, -7.0, -5.0]
    expect_equal(answer("dreams", 6, best, _LOG_P), [-6.5, 3], "dreams, t = 6: dre|ams has -3 - 3.5")
    expect_equal(answer("dreams", 4, best, _LOG_P), [-7.0, 3], "dreams, t = 4: dre|a has -3 - 4")


def _whole_beginning(answer: Answer, rng: Rng) -> None:
    best = [0.0, -4.0, -8.0, -3.0, -7.0]
    expect_equal(answer("dreams", 5, best, _LOG_P), [-5.0, 0], "dreams, t = 5: dream is one piece")


def _no_piece(answer: Answer, rng: Rng) -> None:
    expect_equal(answer("ab", 2, [0.0, -1.0], {"a": -1.0}), [-inf, None], "ab, t = 2, and a is the only piece")
    got = answer("xab", 3, [0.0, -inf, -inf], {"ab": -1.0, "a": -2.0})
    expect_equal(got, [-inf, None], "xab, t = 3: ab ends there, and no cut leads to it")


def _package(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        word = "".join(rng.choice(list("abc"), size=9))
        spans = {word[s:t] for s in range(9) for t in range(s + 1, min(s + 4, 9) + 1)}
        log_p = {piece: float(rng.uniform(-9, -1)) for piece in sorted(spans) if len(piece) == 1 or rng.random() < 0.6}
        best: list[float] = [0.0]
        begins: list[Any] = [0]
        for t in range(1, 10):
            got = answer(word, t, list(best), log_p)
            assert isinstance(got, list | tuple) and len(got) == 2, f"expected a pair, got {got!r}"
            best.append(got[0])
            begins.append(got[1])
        tokenizer = UnigramTokenizer([("<unk>", 0.0), *log_p.items()], {"<unk>": 0})
        cut, expected = _follow(word, begins), tokenizer.best_cut(word)
        # Two cuts of the same pieces in another order are equally probable, and either will do.
        same = "".join(cut) == word and abs(sum(log_p[x] for x in cut) - sum(log_p[x] for x in expected)) < 1e-9
        assert same, f"the cut of {word} with {len(log_p)} pieces, step by step: expected {expected}, got {cut}"


def _follow(word: str, begins: list[Any]) -> list[str]:
    pieces: list[str] = []
    t = len(word)
    while t and isinstance(begins[t], int) and 0 <= begins[t] < t:
        pieces.append(word[begins[t] : t])
        t = begins[t]
    return pieces[::-1]


def _step(word: Any, t: Any, best: Any, log_p: Any, *, first: int = 0, score: Any = lambda b, p: b + p) -> Any:
    ways = [(score(best[s], log_p[word[s:t]]), s) for s in range(first, t) if word[s:t] in log_p]
    ways = [way for way in ways if way[0] > -inf]
    return max(ways) if ways else (-inf, None)


def _longest(word: Any, t: Any, best: Any, log_p: Any) -> Any:
    begin = next((s for s in range(t) if word[s:t] in log_p and best[s] > -inf), None)
    return (-inf, None) if begin is None else (best[begin] + log_p[word[begin:t]], begin)


def _length(word: Any, t: Any, best: Any, log_p: Any) -> Any:
    score, begin = _step(word, t, best, log_p)
    return score, None if begin is None else t - begin


EXERCISE = Write(
    id="tokenization.viterbi",
    entry="viterbi_step",
    title="One step of Viterbi's algorithm",
    difficulty="medium",
    points=3,
    minutes=15,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("a beginning can be one piece", _whole_beginning),
        Law("where no cut ends there is none", _no_piece),
        Law("equal to the package on random words", _package),
    ),
    wrong_answers={
        "takes the longest piece": _longest,
        "takes the most probable piece, whatever comes before it": lambda word, t, best, log_p: _step(
            word, t, best, log_p, score=lambda before, piece: piece
        ),
        "multiplies logarithms": lambda word, t, best, log_p: _step(
            word, t, best, log_p, score=lambda before, piece: before * piece
        ),
        "takes the least probable cut": lambda word, t, best, log_p: _step(
            word, t, best, log_p, score=lambda before, piece: -(before + piece)
        ),
        "leaves out the piece that begins the word": lambda word, t, best, log_p: _step(word, t, best, log_p, first=1),
        "gives the length of the piece": _length,
    },
)
