"""How merges join the bytes of a sentence into tokens: one slider, one merge after the other."""

from collections.abc import Iterator, Sequence
from typing import Any

from .figure import Figure, draw

CELL, LINE, HEAD = 17, 34, 46  # pixels of a byte, of a line of text, and of the two lines above
SPEC = """
# The compiler estimates the width of words, and would leave room for the estimate.
autosize: none
padding: 2
width: $width
height: $height
data: {name: lives, values: $rows}
params:
  - {slider: step, label: Merges, from: 0, to: $last_ranks, at: $start, shows: merged}
  - {name: ranks, value: $ranks}
  - {name: counts, value: $counts}
  - {name: pairs, value: $pairs}
  - {name: merged, expr: "ranks[step]"}
transform:
  - {filter: datum.born <= step && step < datum.dies}
layer:
  - data: {name: head, values: [{}]}
    mark:
      type: text
      align: left
      baseline: top
      text:
        expr: "counts[step] + ' tokens for ' + counts[0] + ' bytes, ' + merged + (merged == 1 ? ' merge' : ' merges')"
      color: currentColor
    encoding: {x: {value: 0}, y: {value: 2}}
  - data: {name: last, values: [{}]}
    mark:
      type: text
      align: left
      baseline: top
      text: {expr: "step > 0 ? 'joined last: ' + pairs[step] : 'nothing is joined yet'"}
      color: currentColor
    encoding: {x: {value: 0}, y: {value: 21}}
  - name: tokens
    transform: [{filter: datum.kind === 'token'}]
    mark: {type: rect, fill: $accent, stroke: currentColor, cornerRadius: 3}
    encoding:
      x: {field: x:Q, scale: null, axis: null}
      x2: {field: x2}
      y: {field: y:Q, scale: null, axis: null}
      y2: {field: y2}
      fillOpacity: {condition: {test: "step > 0 && datum.born == step", value: 0.6}, value: 0.12}
      strokeWidth: {condition: {test: "step > 0 && datum.born == step", value: 2}, value: 0.5}
  - name: letters
    transform:
      - {filter: datum.kind === 'letter'}
      - {calculate: {middle: (datum.x + datum.x2) / 2, center: (datum.y + datum.y2) / 2}}
    mark: {type: text, font: "ui-monospace, Menlo, Consolas, monospace", color: currentColor}
    encoding:
      x: {field: middle:Q, scale: null, axis: null}
      y: {field: center:Q, scale: null, axis: null}
      text: {field: text:N}
      size: {condition: {test: datum.small, value: 12}, value: 18}
table: {corner: merges, columns: [joined last, tokens], rows: $ranks, cells: $cells}
"""
Pair = tuple[bytes, bytes]


def merge_steps(
    pieces: Sequence[bytes], merges: Sequence[Pair], *, start: int = 0, columns: int = 15, description: str
) -> Figure:
    """Byte-pair encoding at work on the pre-tokens of one sentence, ``columns`` bytes on a line.

    The slider stops at each merge that changes the sentence, and begins after ``start`` merges or the stop before;
    what was joined last is dark. A space is drawn as a dot, and a byte that is not a whole character as its
    hexadecimal number.
    """
    steps = list(token_steps(pieces, merges))
    ranks, counts = [rank for rank, _, _ in steps], [sum(map(len, words)) for _, _, words in steps]
    places = _places(pieces, columns)
    pairs = [" + ".join(map(show, pair)) or "–" for _, pair, _ in steps]
    cells = [text for pair, count in zip(pairs, counts, strict=True) for text in (pair, str(count))]
    rows = _lives([words for _, _, words in steps], places)
    stop = max(i for i, rank in enumerate(ranks) if rank <= max(start, 0))
    size = {"width": CELL * columns, "height": HEAD + LINE * (1 + max(line for line, _ in places))}
    return draw(SPEC, description, rows=rows, start=stop, ranks=ranks, counts=counts, pairs=pairs, cells=cells, **size)


def token_steps(
    pieces: Sequence[bytes], merges: Sequence[Pair]
) -> Iterator[tuple[int, tuple[bytes, ...], list[list[bytes]]]]:
    """Every merge that changes something: how many merges that makes, the pair, and the tokens of each pre-token."""
    words = [[piece[i : i + 1] for i in range(len(piece))] for piece in pieces]
    yield 0, (), words
    for rank, pair in enumerate(merges, start=1):
        joined = [_join(word, pair) for word in words]
        if joined != words:
            words = joined
            yield rank, pair, words


def show(token: bytes) -> str:
    r"""A token as the figure writes it: spaces as dots, bytes that are not text in hexadecimal.

    Example:
        >>> show(b" caf"), show("é".encode()), show(b"\xc3")
        ('·caf', 'é', 'C3')
    """
    text = token.decode(errors="surrogateescape")  # a byte that is not text becomes a character that is not printable
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
        if column + len(piece) > columns:
            line, column = line + 1, 0
        places += [(line, column + i) for i in range(len(piece))]
        column += len(piece)
    return places


def _lives(steps: Sequence[Sequence[Sequence[bytes]]], places: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """A row for each token and each letter that is ever drawn, with the steps at which it appears and disappears."""
    lives: dict[tuple[str, int, str, int], list[int]] = {}
    for step, words in enumerate(steps):
        start = 0
        for token in (token for word in words for token in word):
            for life in [("token", start, show(token), len(token)), *_letters(token, start)]:
                lives.setdefault(life, [step, step])[1] = step + 1
            start += len(token)
    rows = []
    for (kind, start, text, length), (born, dies) in lives.items():
        line, column = places[start]
        x, y = CELL * column, HEAD + LINE * line
        row = {"kind": kind, "text": text, "start": start, "born": born, "dies": dies, "x": x, "y": y}
        rows.append(row | {"x2": x + CELL * length - 2, "y2": y + LINE - 5, "small": len(text) > 1})
    return rows


def _letters(token: bytes, start: int) -> Iterator[tuple[str, int, str, int]]:
    """The characters of a token, each as wide as its bytes; a token that is not text has bytes instead."""
    try:
        parts = [character.encode() for character in token.decode()]
    except UnicodeDecodeError:
        parts = [token[i : i + 1] for i in range(len(token))]
    for part in parts:
        yield "letter", start, show(part), len(part)
        start += len(part)
