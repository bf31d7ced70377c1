"""Beam search on a small tree: one slider for the step, one choice for the number of beams."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .figure import Figure, draw

ROW, HEAD, FOOT = 38, 46, 26  # pixels of a sentence, of two lines of text above the tree, and of the legend
LETTER, NUMBER = 7.2, 42  # pixels: nearly the width of a letter, and that of a log-probability
SPEC = """
# The compiler estimates the width of words, and would leave room for the estimate.
autosize: none
padding: 2
width: $width
height: $height
data: {name: nodes, values: $rows}
params:
  - {slider: step, label: Step, from: 0, to: $last_steps, at: $step}
  - {name: beams, value: $beams, bind: {input: radio, options: $counts, name: "Beams "}}
  - {name: heads, value: $heads}
  - {name: run, expr: "indexof($counts, beams)"}
transform:
  - {filter: datum.beams === beams}
  - calculate:
      state: "!datum.looked || datum.depth > step ? 'not looked at' : step > datum.until ? 'dropped'
        : datum.finished ? 'finished' : 'open'"
      sign: 'datum.state === "open" && datum.depth < step ? "·"
        : {"open": "●", "finished": "■", "dropped": "×", "not looked at": "○"}[datum.state]'
      alive: datum.state === 'open' || datum.state === 'finished'
layer:
  # Two lines of text above the tree.
  - data: {name: head_0, values: [{}]}
    mark: &text {type: text, align: left, baseline: top, text: {expr: "heads[run][step][0]"}, color: currentColor}
    encoding: {x: {value: 0}, y: {value: 2}}
  - data: {name: head_1, values: [{}]}
    mark: {<<: *text, text: {expr: "heads[run][step][1]"}}
    encoding: {x: {value: 0}, y: {value: 21}}
  # The lines that lead to a word: down from its parent's line, then to the right.
  - name: edges_y
    transform: [{filter: datum.depth > 0}]
    mark: {type: rule, color: currentColor}
    encoding:
      y: &y {field: y:Q, scale: null, axis: null}
      y2: {field: y2}
      x: {field: x2:Q, scale: null, axis: null}
      size: &size {condition: {test: datum.alive, value: 2.5}, value: 1}
      opacity: &opacity {condition: {test: datum.alive, value: 1}, value: 0.35}
  - name: edges_x
    transform: [{filter: datum.depth > 0}]
    mark: {type: rule, color: currentColor}
    encoding: {x: &x {field: x:Q, scale: null, axis: null}, x2: {field: x2}, y: *y, size: *size, opacity: *opacity}
  - name: signs
    mark: {type: text, fontSize: 15, baseline: middle}
    encoding:
      x: *x
      y: *y
      text: {field: sign:N}
      color: {condition: {test: datum.alive, value: $accent}, value: currentColor}
  # The word above the line, and its probability below after the search has looked at it; a full stop is enlarged.
  - name: words
    mark: {type: text, align: left, dx: 7, dy: -9, color: currentColor}
    encoding:
      x: *x
      y: *y
      text: {field: word:N}
      size: {condition: {test: datum.word === ".", value: 26}, value: 12}
      opacity: {condition: {test: datum.alive, value: 1}, value: 0.7}
  - name: numbers
    transform: [{filter: datum.depth > 0 && datum.state !== 'not looked at'}]
    mark: {type: text, align: left, dx: 7, dy: 10, fontSize: 11, color: currentColor}
    encoding: {x: *x, y: *y, text: {field: shown:N}}
  - data: {name: legend, values: [{}]}
    mark: {type: text, align: left, baseline: bottom, fontSize: 12,
           text: "● open   ■ finished"}
    encoding: {x: {value: 0}, y: &foot {value: {expr: height - 2}}, color: {value: $accent}}
  - data: {name: legend_2, values: [{}]}
    mark: {type: text, align: left, baseline: bottom, fontSize: 12, text: "× dropped   ○ not looked at"}
    encoding: {x: {value: 128}, y: *foot, color: {value: currentColor}}
table: {corner: step, columns: $columns, rows: $steps, cells: $cells}
"""
Path = tuple[str, ...]
Tree = Mapping[Path, Mapping[str, float]]
# The open beams of each step, as beam search asked about them, and the sentences that it returned.
Run = tuple[Sequence[Sequence[Path]], Sequence[Path]]


def beam_tree(
    tree: Tree, runs: Mapping[int, Run], *, root: str = "", beams: int = 2, step: int = 0, description: str
) -> Figure:
    """Tree of sentences with the probability of the sentence up to each word, in which beam search takes its steps.

    ``tree`` has the next words and their probabilities for each path of words, beginning with ``()``. ``runs`` has for
    each number of beams which paths were open at each step, and which sentences were returned. Beams are open,
    finished or dropped; a beam whose continuations were all dropped is dropped with them.
    """
    scores = log_probabilities(tree)
    last, places = max(map(len, scores)), _places(scores, root)
    rows = [row for n_beams, run in runs.items() for row in _rows(n_beams, run, scores, places, last)]
    rows = [row if row["depth"] else {**row, "word": root} for row in rows]
    steps = range(last + 1)
    heads = [[_headline(run, scores, at) for at in steps] for run in runs.values()]
    width = max(x + max(LETTER * len(path[-1]) if path else 0, NUMBER) for path, (x, _) in places.items()) + 8
    height = HEAD + ROW * (1 + max(line for _, line in places.values())) + FOOT
    cells = [_cell(run, scores, at) for at in steps for run in runs.values()]
    table = {"columns": [f"{n} beam{'s' * (n > 1)}" for n in runs], "steps": list(steps), "cells": cells}
    start = {"beams": beams, "step": step}
    return draw(
        SPEC, description, rows=rows, counts=list(runs), heads=heads, width=width, height=height, **start, **table
    )


def log_probabilities(tree: Tree) -> dict[Path, float]:
    """The log-probability of each path of the tree, in the order in which it is drawn, from top to bottom."""

    def walk(path: Path, score: float) -> Iterator[tuple[Path, float]]:
        yield path, score
        for word, probability in tree.get(path, {}).items():
            yield from walk((*path, word), score + math.log(probability))

    return dict(walk((), 0.0))


def _places(scores: Mapping[Path, float], root: str) -> dict[Path, tuple[float, int]]:
    """Column in pixels and line of each path; the first child is on its parent's line."""
    widest: dict[int, float] = {0: max(14.0, LETTER * len(root))}
    for path in scores:
        if path:
            widest[len(path)] = max(widest.get(len(path), NUMBER), LETTER * len(path[-1]))
    columns = [8 + sum(widest[i] + 18 for i in range(depth)) for depth in widest]
    places: dict[Path, tuple[float, int]] = {}
    line = -1
    before: Path | None = None
    for path in scores:
        line += path == () or before != path[:-1]
        places[path] = columns[len(path)], line
        before = path
    return places


def _rows(
    n_beams: int, run: Run, scores: Mapping[Path, float], places: Mapping[Path, tuple[float, int]], last: int
) -> Iterator[dict[str, Any]]:
    """A row for each path: where it is drawn, whether it is selected, and the last step at which it is alive."""
    steps, finished = run
    expanded = {path for paths in steps for path in paths}
    for path, score in scores.items():
        x, line = places[path]
        parent_x, parent_line = places[path[:-1]]
        first = line == parent_line
        alive = [at for at, paths in enumerate(steps) if any(beam[: len(path)] == path for beam in paths)]
        alive += [last for sentence in finished if sentence[: len(path)] == path]
        words = {"beams": n_beams, "path": " ".join(path), "word": path[-1] if path else "", "depth": len(path)}
        number = {"log_p": score, "shown": _shown(score) if path else ""}
        until = max(alive, default=len(path) - 1)
        state = {"looked": not path or path[:-1] in expanded, "until": until, "finished": path in finished}
        end = {"x": x, "y": HEAD + ROW * (line + 0.5)}
        begin = {"x2": parent_x if first else x - 12, "y2": HEAD + ROW * ((line if first else parent_line) + 0.5)}
        yield {**words, **number, **state, **end, **begin}


def _at(run: Run, at: int) -> tuple[list[Path], list[Path]]:
    """Open beams and finished sentences after a step."""
    steps, finished = run
    return list(steps[at]) if at < len(steps) else [], [path for path in finished if len(path) <= at]


def _headline(run: Run, scores: Mapping[Path, float], at: int) -> list[str]:
    beams, done = _at(run, at)
    best = max(done, key=lambda path: scores[path], default=None)
    likeliest = "none finished yet" if best is None else f"likeliest finished: {' '.join(best)}"
    return [f"{len(beams)} open, {len(done)} finished", likeliest]


def _cell(run: Run, scores: Mapping[Path, float], at: int) -> str:
    """One cell of the table: the open beams and the finished sentences, with their probabilities."""
    words = [
        f"{name}: " + ", ".join(f"{' '.join(path) or 'the start'} ({_shown(scores[path])})" for path in paths)
        for name, paths in zip(("open", "finished"), _at(run, at), strict=True)
        if paths
    ]
    return "; ".join(words) or "–"


def _shown(score: float) -> str:
    """The probability to a log-probability, in the digits of the drawing of the same tree."""
    return f"{math.exp(score):.4g}"
