"""tokenization.stream: the tokens of an answer, as bytes -> the text to show after each."""

import codecs
from itertools import pairwise
from typing import Any

from linebyline.exercises.core import Answer, Law, Rng, Write, expect_equal

SIGNS = "ab é語🍦\N{REPLACEMENT CHARACTER}"


def _by_hand(answer: Answer, rng: Rng) -> None:
    expect_equal(answer([b"caf", b"\xc3", b"\xa9", b"!"]), ["caf", "", "é", "!"], "caf, C3, A9, ! in turn")


def _at_once(answer: Answer, rng: Rng) -> None:
    words = [b"Dan", b" loves", b" ice"]
    expect_equal(answer(words), ["Dan", " loves", " ice"], "tokens that are whole text")
    expect_equal(answer([]), [], "no tokens")


def _borders(answer: Answer, rng: Rng) -> None:
    tokens = [b"\xf0\x9f", b"\x8d\xa6 \xe8", b"\xaa", b"\x9ex"]
    expect_equal(answer(tokens), ["", "🍦 ", "", "語x"], "two signs whose bytes lie in two and in three tokens")


def _replacement(answer: Answer, rng: Rng) -> None:
    expect_equal(answer(["\ufffd".encode(), b"!"]), ["\ufffd", "!"], "U+FFFD as a character of the text")


def _random(answer: Answer, rng: Rng) -> None:
    for _ in range(20):
        data = "".join(rng.choice(list(SIGNS), size=12)).encode()
        cuts = [0, *sorted(rng.choice(len(data), size=6, replace=False).tolist()), len(data)]
        tokens = [data[start:end] for start, end in pairwise(cuts)]
        expect_equal(answer(tokens), _decoded(tokens), f"{data!r} cut at {cuts[1:-1]}")


def _decoded(tokens: Any) -> list[str]:
    decoder = codecs.getincrementaldecoder("utf-8")()
    return [decoder.decode(token) for token in tokens]


def _when_it_ends_well(tokens: Any) -> list[str]:
    shown, waiting = [], b""
    for token in tokens:
        waiting += token
        text = waiting.decode(errors="replace")
        shown.append("" if text.endswith("\ufffd") else text)
        waiting = waiting if text.endswith("\ufffd") else b""
    return shown


def _one_late(tokens: Any) -> list[str]:
    return ["", *_decoded(tokens)][: len(tokens)]


def _so_far(tokens: Any) -> list[str]:
    texts = _decoded(tokens)
    return ["".join(texts[: i + 1]) for i in range(len(texts))]


def _without_nothing(tokens: Any) -> list[str]:
    return [text for text in _decoded(tokens) if text]


EXERCISE = Write(
    id="tokenization.stream",
    title="Showing an answer as it comes",
    difficulty="medium",
    points=4,
    minutes=20,
    may_use="Python's standard library",
    laws=(
        Law("a case worked by hand", _by_hand),
        Law("whole text is shown at once", _at_once),
        Law("a token may end one sign and begin another", _borders),
        Law("the replacement character may stand in a text", _replacement),
        Law("random signs, cut anywhere", _random),
    ),
    wrong_answers={
        "decodes each token alone": lambda tokens: [token.decode(errors="replace") for token in tokens],
        "drops what is no text": lambda tokens: [token.decode(errors="ignore") for token in tokens],
        "waits while the text ends in U+FFFD": _when_it_ends_well,
        "shows everything with the last token": lambda tokens: [""] * (len(tokens) - 1) + [b"".join(tokens).decode()],
        "is one token late": _one_late,
        "shows all of the text again each time": _so_far,
        "leaves out tokens that show nothing": _without_nothing,
    },
)
