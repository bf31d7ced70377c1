"""tokenization.viterbi: (word, log_p of a piece) -> its two best cuts, each with its log-probability."""

from collections.abc import Callable
from math import inf, isclose
from typing import Any

from linebyline.exercises.core import Answer, Law, Rng, Write

_DREAMS = {"d": -4.0, "r": -4.0, "e": -4.0, "a": -4.0, "m": -4.0, "s": -4.0, "dre": -3.0, "dream": -5.0, "ams": -3.5}


def _by_hand(answer: Answer, rng: Rng) -> None:
    _hold(answer, "dreams", _DREAMS, [-6.5, -9.0])  # dre|ams, then dream|s


def _same_end(answer: Answer, rng: Rng) -> None:
    _hold(answer, "aab", {"a": -1.0, "aa": -3.0, "b": -1.0, "ab": -9.0}, [-3.0, -4.0])  # a|a|b, then aa|b


def _fewer(answer: Answer, rng: Rng) -> None:
    _hold(answer, "abc", {"ab": -1.0, "c": -1.0, "a": -1.0}, [-2.0])
    _hold(answer, "abc", {"abc": -1.0}, [-1.0])
    _hold(answer, "ab", {"a": -1.0}, [])


def _all_listed(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        word = "".join(rng.choice(list("abc"), size=7))
        spans = sorted({word[s:t] for s in range(7) for t in range(s + 1, min(s + 4, 7) + 1)})
        log_p = {piece: float(rng.uniform(-9, -1)) for piece in spans if rng.random() < 0.7}
        scores = [sum(map(log_p.__getitem__, cut)) for cut in _list(word, log_p.__contains__)]
        _hold(answer, word, log_p, sorted(scores, reverse=True)[:2])


def _long_word(answer: Answer, rng: Rng) -> None:
    _hold(answer, "ab" * 12, {"a": -1.0, "b": -2.0, "ab": -2.5}, [-30.0, -30.5])  # one of twelve ab in two


def _hold(answer: Answer, word: str, log_p: dict[str, float], scores: list[float]) -> None:
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


def _counting(log_p: dict[str, float], most: int) -> Callable[[str], float]:
    asked = 0

    def ask(piece: str) -> float:
        nonlocal asked
        asked += 1
        assert asked <= most, f"expected at most {most} calls of log_p, got more"
        return log_p.get(piece, -inf)

    return ask


def _list(word: str, known: Callable[[str], bool]) -> list[tuple[str, ...]]:
    ends = [t for t in range(1, len(word) + 1) if known(word[:t])]
    return [(word[:t], *rest) for t in ends for rest in _list(word[t:], known)] if word else [()]


def _cuts(
    word: str, log_p: Any, *, kept: int = 2, least: float = -1e9, score: Any = lambda before, piece: before + piece
) -> Any:
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


def _list_all(word: str, log_p: Any) -> Any:
    ways = [(sum(map(log_p, cut)), cut) for cut in _list(word, lambda piece: log_p(piece) > -inf)]
    return sorted(ways, reverse=True)[:2]


EXERCISE = Write(
    id="tokenization.viterbi",
    entry="two_best_cuts",
    title="The two best cuts",
    difficulty="medium",
    points=3,
    minutes=20,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("both cuts may end alike", _same_end),
        Law("where there are fewer cuts there are fewer pairs", _fewer),
        Law("equal to all cuts, listed, for random words", _all_listed),
        Law("a word with too many cuts to list", _long_word),
    ),
    wrong_answers={
        "takes a second cut that ends in another piece": lambda word, log_p: _cuts(word, log_p, kept=1),
        "takes the most probable piece, whatever comes before it": lambda word, log_p: _cuts(
            word, log_p, score=lambda before, piece: piece
        ),
        "multiplies logarithms": lambda word, log_p: _cuts(word, log_p, score=lambda before, piece: before * piece),
        "takes the least probable cuts": lambda word, log_p: _cuts(
            word, log_p, score=lambda before, piece: -(before + piece)
        ),
        "counts what is no piece": lambda word, log_p: _cuts(word, log_p, least=-inf),
        "gives the best cut twice": lambda word, log_p: 2 * _cuts(word, log_p)[:1],
        "gives the second first": lambda word, log_p: _cuts(word, log_p)[::-1],
        "lists all cuts": _list_all,
    },
)
