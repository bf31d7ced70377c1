"""The exercises on pairs of texts and on spans of them."""

import numpy as np

from linebyline.exercises.core import expect_close, expect_equal, expect_raises
from linebyline.exercises.encoder.masks_and_means import chapter

CLS, SEP = 2, 3


def _packing(shorten):
    """An answer that makes a pair of what ``shorten(a, b, room)`` leaves of the two texts."""

    def pack(a, b, context, cls, sep):
        if context < 5:
            raise ValueError(f"context={context} has no room for a token of each")
        a, b = shorten(list(a), list(b), context - 3)
        return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)

    return pack


def _shorten_the_longer(a, b, room):
    while len(a) + len(b) > room:
        (a if len(a) >= len(b) else b).pop()
    return a, b


_pack = _packing(_shorten_the_longer)


@_packing
def _pack_by_lengths(a, b, room):
    """The longer text gives way down to half of the room, the first one first."""
    n, m = len(a), len(b)
    if n + m > room:
        n = min(n, max(room // 2, room - m))
        m = min(m, room - n)
    return a[:n], b[:m]


@chapter.write(
    "Two texts in one row · medium · 3 points · 20 minutes · may use plain Python",
    right=_pack_by_lengths,
    wrong={
        "cuts the whole at its end": lambda a, b, context, *rest: tuple(
            part[:context] for part in _pack(a, b, 99 if context >= 5 else context, *rest)
        ),
        "cuts the second text first": _packing(lambda a, b, room: (a[: room - 1], b[: max(1, room - len(a))])),
        "gives each text half of the room": _packing(
            lambda a, b, room: (a, b) if len(a) + len(b) <= room else (a[: room - room // 2], b[: room // 2])
        ),
        "cuts at the beginning": _packing(lambda a, b, n: [x[::-1] for x in _shorten_the_longer(a[::-1], b[::-1], n)]),
        "counts the first [SEP] to the second text": lambda *case: (_pack(*case)[0], [*_pack(*case)[1][1:], 1]),
        "forgets the last [SEP]": lambda *case: tuple(part[:-1] for part in _pack(*case)),
        "keeps no room for the special tokens": _packing(lambda a, b, room: _shorten_the_longer(a, b, room + 3)),
        "cuts what does not fit to nothing": lambda a, b, context, *rest: _pack(a, b, max(context, 5), *rest),
    },
)
class pair:
    def _expect_packed(self, answer, a, b, context):
        got, expected = answer(a, b, context, CLS, SEP), _pack(a, b, context, CLS, SEP)
        parts = got if isinstance(got, tuple) and len(got) == 2 else (None, None)
        for part, right, name in zip(parts, expected, ("ids", "segments"), strict=True):
            expect_equal(part, right, f"{len(a)} and {len(b)} tokens, context {context}: {name}")

    def cases_worked_by_hand(self, answer, rng):
        self._expect_packed(answer, [11, 12], [21], 16)
        self._expect_packed(answer, [11, 12, 13, 14], [21, 22], 8)

    def pairs_of_any_lengths(self, answer, rng):
        for _ in range(20):
            a, b = (rng.integers(10, 90, size=rng.integers(1, 12)).tolist() for _ in range(2))
            self._expect_packed(answer, a, b, int(rng.integers(5, 20)))

    def a_short_text_stays_whole_beside_a_long_one(self, answer, rng):
        long, short = rng.integers(10, 90, size=40).tolist(), rng.integers(10, 90, size=3).tolist()
        self._expect_packed(answer, long, short, 16)
        self._expect_packed(answer, short, long, 16)

    def no_room_for_both(self, answer, rng):
        expect_raises(lambda: answer([11], [21], 4, CLS, SEP), ValueError, "a context of 4")


def _best_span(start, end, longest, shortest=1):
    T = len(start)
    pairs = [(i, j) for i in range(T) for j in range(i + shortest - 1, min(T, i + longest))]
    i, j = max(pairs, key=lambda pair: start[pair[0]] + end[pair[1]])
    return i, j, start[i] + end[j]


def _all_pairs_at_once(start, end, longest):
    t = np.arange(len(start))
    scores = np.where((t >= t[:, None]) & (t < t[:, None] + longest), start[:, None] + end, -np.inf)
    i, j = np.unravel_index(scores.argmax(), scores.shape)
    return int(i), int(j), float(scores[i, j])


def _choosing(choose):
    """An answer that chooses a span and adds up its scores."""

    def answer(start, end, longest):
        i, j = choose(start, end, longest)
        return i, j, start[i] + end[j]

    return answer


@chapter.write(
    "An answer is a stretch of text · hard · 4 points · 25 minutes · may use NumPy",
    entry="best_span",
    right=_all_pairs_at_once,
    wrong={
        "takes the best start and the best end, each by itself": _choosing(lambda s, e, n: (s.argmax(), e.argmax())),
        "takes the best start, and the best end behind it": _choosing(
            lambda s, e, n: ((i := s.argmax()), i + e[i : i + n].argmax())
        ),
        "turns a span around that is the wrong way round": _choosing(lambda s, e, n: sorted((s.argmax(), e.argmax()))),
        "lets a span be as long as it likes": lambda start, end, longest: _best_span(start, end, len(start)),
        "lets a span be one token longer": lambda start, end, longest: _best_span(start, end, longest + 1),
        "leaves spans of one token out": lambda s, e, n: _best_span(s, e, n, shortest=min(2, n, len(s))),
        "cuts scores off at 0": lambda start, end, longest: _best_span(start.clip(0), end.clip(0), longest),
    },
)
class span:
    def cases_worked_by_hand(self, answer, rng):
        start, end = np.array([[0.0, 1.0, 5.0, 0.0], [4.0, 0.0, 2.0, 1.0]])
        expect_close(answer(start, end, 4), [2.0, 2.0, 7.0], "the best end lies before the best start")
        start, end = np.array([[5.0, 1.0, 0.0, 2.0], [0.0, 1.0, 0.0, 6.0]])
        expect_close(answer(start, end, 2), [3.0, 3.0, 8.0], "the best pair is longer than 2 tokens")

    def texts_of_any_length(self, answer, rng):
        for T in (1, 2, 5, 9, 17):
            start, end = rng.normal(size=(2, T))
            for longest in (1, 3, T):
                what = f"{T} tokens, spans of {longest} at most"
                expect_close(answer(start, end, longest), _best_span(start, end, longest), what)

    def starts_that_rise_and_ends_that_fall(self, answer, rng):
        start, end = np.sort(rng.normal(size=11)), -np.sort(rng.normal(size=11))
        what = "scores of starts that rise, of ends that fall"
        expect_close(answer(start, end, 11), _best_span(start, end, 11), what)

    def low_scores(self, answer, rng):
        start, end = rng.normal(size=(2, 7)) - 50
        expect_close(answer(start, end, 3), _best_span(start, end, 3), "all scores far below 0")
