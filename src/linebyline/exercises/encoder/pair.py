"""encoder.pair: (a, b, context, cls, sep) -> ids and segments of a pair that is cut to fit."""

from collections.abc import Sequence
from typing import Any

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_equal, expect_raises

CLS, SEP = 2, 3


def _pair(a: Sequence[int], b: Sequence[int], context: int, cls: int, sep: int) -> Any:
    if context < 5:
        raise ValueError(f"context={context} has no room for a token of each")
    a, b = list(a), list(b)
    while len(a) + len(b) + 3 > context:
        (a if len(a) >= len(b) else b).pop()
    return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


def _expect(answer: Answer, a: list[int], b: list[int], context: int) -> None:
    got, what = answer(list(a), list(b), context, CLS, SEP), f"{len(a)} and {len(b)} tokens, context {context}"
    parts = got if isinstance(got, tuple) and len(got) == 2 else (None, None)
    for part, expected, name in zip(parts, _pair(a, b, context, CLS, SEP), ("ids", "segments"), strict=True):
        expect_equal(part, expected, f"{what}: {name}")


def _by_hand(answer: Answer, rng: Rng) -> None:
    _expect(answer, [11, 12], [21], 16)
    _expect(answer, [11, 12, 13, 14], [21, 22], 8)


def _random(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        a, b = (rng.integers(10, 90, size=rng.integers(1, 12)).tolist() for _ in range(2))
        _expect(answer, a, b, int(rng.integers(5, 20)))


def _short_stays(answer: Answer, rng: Rng) -> None:
    long, short = rng.integers(10, 90, size=40).tolist(), rng.integers(10, 90, size=3).tolist()
    _expect(answer, long, short, 16)
    _expect(answer, short, long, 16)


def _refused(answer: Answer, rng: Rng) -> None:
    expect_raises(lambda: answer([11], [21], 4, CLS, SEP), ValueError, "a context of 4")


def _cut(a: Sequence[int], b: Sequence[int], context: int, cls: int, sep: int) -> Any:
    """Cut the whole at its end."""
    ids, segments = _pair(a, b, max(context, len(a) + len(b) + 3), cls, sep)
    if context < 5:
        raise ValueError("no room")
    return ids[:context], segments[:context]


def _second_only(a: Sequence[int], b: Sequence[int], context: int, cls: int, sep: int) -> Any:
    if context < 5:
        raise ValueError("no room")
    a = list(a)[: context - 4]
    b = list(b)[: context - 3 - len(a)]
    return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


def _halves(a: Sequence[int], b: Sequence[int], context: int, cls: int, sep: int) -> Any:
    if context < 5:
        raise ValueError("no room")
    room = context - 3
    if len(a) + len(b) > room:
        a, b = list(a)[: room - room // 2], list(b)[: room // 2]
    return [cls, *a, sep, *b, sep], [0] * (len(a) + 2) + [1] * (len(b) + 1)


def _from_the_front(a: Sequence[int], b: Sequence[int], context: int, cls: int, sep: int) -> Any:
    ids, segments = _pair(list(a)[::-1], list(b)[::-1], context, cls, sep)
    n = ids.index(sep) if sep not in a else 0
    return [cls, *ids[1:n][::-1], sep, *ids[n + 1 : -1][::-1], sep], segments


EXERCISE = Write(
    id="encoder.pair",
    title="Two texts in one row",
    difficulty="medium",
    points=3,
    minutes=20,
    may_use="plain Python",
    laws=(
        Law("cases worked by hand", _by_hand),
        Law("pairs of any lengths", _random),
        Law("a short text stays whole beside a long one", _short_stays),
        Law("no room for both", _refused),
    ),
    wrong_answers={
        "cuts the whole at its end": _cut,
        "cuts the second text first": _second_only,
        "gives each text half of the room": _halves,
        "cuts at the beginning": _from_the_front,
        "counts the first [SEP] to the second text": lambda a, b, context, cls, sep: (
            _pair(a, b, context, cls, sep)[0],
            [0] * (_pair(a, b, context, cls, sep)[1].count(0) - 1)
            + [1] * (_pair(a, b, context, cls, sep)[1].count(1) + 1),
        ),
        "forgets the last [SEP]": lambda a, b, context, cls, sep: tuple(
            part[:-1] for part in _pair(a, b, context, cls, sep)
        ),
        "keeps no room for the special tokens": lambda a, b, context, cls, sep: _pair(
            a, b, context + 3 if context >= 5 else context, cls, sep
        ),
        "cuts what does not fit to nothing": lambda a, b, context, cls, sep: _pair(a, b, max(context, 5), cls, sep),
    },
)
