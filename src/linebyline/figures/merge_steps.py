"""How merges join the bytes of a sentence into tokens: one slider, one merge after the other."""

from collections.abc import Iterator, Sequence
from typing import Any

from .figure import ACCENT, Figure, figure, slider

CELL = 14  # pixels; one byte
LINE = 30  # pixels; one line of text
HEAD = 26  # pixels; the line that counts
MONOSPACE = "ui-monospace, Menlo, Consolas, monospace"

Pair = tuple[bytes, bytes]


def merge_steps(
    pieces: Sequence[bytes],
    merges: Sequence[Pair],
    *,
    start: int = 0,
    columns: int = 19,
    description: str = "",
) -> Figure:
    """Interactive figure of byte-pair encoding at work on one sentence.

    The slider stops at each merge that changes the sentence; tokens that touch differ in shade.
    A blank is drawn as a dot, and a byte that is not a whole character as its number in hexadecimal.

    Args:
        pieces: the pre-tokens of the sentence, which no merge crosses.
        merges: the merges in the order learnt.
        start: number of merges at which the slider stands at first, or the next smaller stop.
        columns: bytes on a line; a pre-token is never broken.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: there is no text, no merge changes it, or a pre-token is longer than a line.

    Example:
        >>> merge_steps([b"ice"], [(b"c", b"e")], description="The word ice, joined from its letters.")
        The word ice, joined from its letters.
    """
    steps = list(token_steps(pieces, merges))
    if len(steps) < 2:
        raise ValueError(f"none of the {len(merges)} merges changes these {len(pieces)} pre-tokens")
    places = _places(pieces, columns)
    ranks = [rank for rank, _, _ in steps]
    first = max(i for i, rank in enumerate(ranks) if rank <= max(start, 0))
    counts = [sum(map(len, words)) for _, _, words in steps]
    lines = 1 + max(line for line, _ in places)
    body = {
        # The compiler guesses the width of words, and would leave room for the guess.
        "autosize": "none",
        "padding": 2,
        "width": CELL * columns,
        "height": HEAD + LINE * lines,
        "data": {"name": "lives", "values": _lives([words for _, _, words in steps], places)},
        "params": [
            slider("step", "Merges", 0, len(steps) - 1, first),
            {"name": "ranks", "value": ranks},
            {"name": "counts", "value": counts},
            {"name": "merged", "expr": "ranks[step]"},
        ],
        "transform": [
            {"filter": "datum.born <= step && step < datum.dies"},
            {"window": [{"op": "row_number", "as": "number"}], "sort": [{"field": "start"}], "groupby": ["kind"]},
        ],
        "layer": [_count_line(), _tokens(), _letters()],
    }
    table = {
        "corner": "merges",
        "columns": ["joined last", "tokens"],
        "rows": ranks,
        "cells": [
            text
            for (_, pair, _), count in zip(steps, counts, strict=True)
            for text in (" + ".join(map(show, pair)) or "–", str(count))
        ],
    }
    return figure(description, table, body, outputs={"step": "merged"})


def token_steps(
    pieces: Sequence[bytes], merges: Sequence[Pair]
) -> Iterator[tuple[int, tuple[bytes, ...], list[list[bytes]]]]:
    """Every merge that changes something: how many merges that makes, the pair, and the tokens of each piece.

    Example:
        >>> for step in token_steps([b"abab"], [(b"x", b"y"), (b"a", b"b")]):
        ...     print(step)
        (0, (), [[b'a', b'b', b'a', b'b']])
        (2, (b'a', b'b'), [[b'ab', b'ab']])
    """
    words = [[piece[i : i + 1] for i in range(len(piece))] for piece in pieces]
    yield 0, (), words
    for rank, pair in enumerate(merges, start=1):
        joined = [_join(word, pair) for word in words]
        if joined != words:
            words = joined
            yield rank, pair, words


def show(token: bytes) -> str:
    r"""A token as the figure writes it: blanks as dots, bytes that are no text in hexadecimal.

    Example:
        >>> show(b" caf"), show("é".encode()), show(b"\xc3")
        ('·caf', 'é', 'C3')
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return token.hex(" ").upper()
    return text.replace(" ", "·") if text.isprintable() else token.hex(" ").upper()


def _join(word: list[bytes], pair: Pair) -> list[bytes]:
    joined: list[bytes] = []
    for token in word:
        if joined and (joined[-1], token) == pair:
            joined[-1] += token
        else:
            joined.append(token)
    return joined


def _places(pieces: Sequence[bytes], columns: int) -> list[tuple[int, int]]:
    """Line and column of every byte; a pre-token that does not fit begins a new line."""
    places: list[tuple[int, int]] = []
    line = column = 0
    for piece in pieces:
        if len(piece) > columns:
            raise ValueError(f"pre-token {piece!r} has {len(piece)} bytes, but a line has columns={columns}")
        if column + len(piece) > columns:
            line, column = line + 1, 0
        places += [(line, column + i) for i in range(len(piece))]
        column += len(piece)
    return places


def _lives(steps: Sequence[Sequence[Sequence[bytes]]], places: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """A row for each token and each letter that is ever drawn, with the steps at which it is born and dies."""
    lives: dict[tuple[str, int, str, int], list[int]] = {}
    for step, words in enumerate(steps):
        start = 0
        for token in (token for word in words for token in word):
            drawn = [("token", start, show(token), len(token)), *_letters_of(token, start)]
            for life in drawn:
                lives.setdefault(life, [step, step])[1] = step + 1
            start += len(token)
    rows = []
    for (kind, start, text, length), (born, dies) in lives.items():
        line, column = places[start]
        x, y = CELL * column, HEAD + LINE * line
        row = {"kind": kind, "text": text, "start": start, "born": born, "dies": dies, "x": x, "y": y}
        rows.append(row | {"x2": x + CELL * length - 1, "y2": y + LINE - 5, "small": len(text) > 1})
    return rows


def _letters_of(token: bytes, start: int) -> Iterator[tuple[str, int, str, int]]:
    """The characters of a token, each as wide as its bytes; a token that is no text has bytes instead."""
    try:
        parts = [character.encode() for character in token.decode()]
    except UnicodeDecodeError:
        parts = [token[i : i + 1] for i in range(len(token))]
    for part in parts:
        yield "letter", start, show(part), len(part)
        start += len(part)


def _at(field: str, channel: str) -> dict[str, Any]:
    return {channel: {"field": field, "type": "quantitative", "scale": None, "axis": None}}


def _count_line() -> dict[str, Any]:
    words = "counts[step] + ' tokens for ' + counts[0] + ' bytes, ' + merged + (merged == 1 ? ' merge' : ' merges')"
    return {
        "data": {"name": "head", "values": [{}]},
        "mark": {"type": "text", "align": "left", "baseline": "top", "text": {"expr": words}, "color": "currentColor"},
        "encoding": {"x": {"value": 0}, "y": {"value": 2}},
    }


def _tokens() -> dict[str, Any]:
    return {
        "name": "tokens",
        "transform": [{"filter": "datum.kind === 'token'"}],
        "mark": {"type": "rect", "fill": ACCENT, "stroke": "currentColor", "strokeWidth": 0.5, "cornerRadius": 3},
        "encoding": {
            **_at("x", "x"),
            "x2": {"field": "x2"},
            **_at("y", "y"),
            "y2": {"field": "y2"},
            "fillOpacity": {"condition": {"test": "datum.number % 2", "value": 0.45}, "value": 0.12},
        },
    }


def _letters() -> dict[str, Any]:
    return {
        "name": "letters",
        "transform": [
            {"filter": "datum.kind === 'letter'"},
            {"calculate": "(datum.x + datum.x2) / 2", "as": "middle"},
            {"calculate": "(datum.y + datum.y2) / 2", "as": "centre"},
        ],
        "mark": {"type": "text", "font": MONOSPACE, "color": "currentColor"},
        "encoding": {
            **_at("middle", "x"),
            **_at("centre", "y"),
            "text": {"field": "text", "type": "nominal"},
            "size": {"condition": {"test": "datum.small", "value": 10}, "value": 15},
        },
    }
