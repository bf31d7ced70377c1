"""Beam search on a small tree: one slider for the step, one choice for the number of beams."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..figure import Figure, figure, slider
from .marks import SIGNS, edges, headline, legend, signs, words

ROW = 38  # pixels; one sentence
HEAD = 46  # pixels; two lines of text above the tree
FOOT = 26  # pixels; what the marks mean
LETTER = 7.2  # pixels; nearly the width of one at 13 pixels
NUMBER = 42  # pixels; a log-probability below a word

Path = tuple[str, ...]
Tree = Mapping[Path, Mapping[str, float]]
# The open beams of each step, as beam search asked about them, and the sentences it gave back.
Run = tuple[Sequence[Sequence[Path]], Sequence[Path]]


def beam_tree(tree: Tree, runs: Mapping[int, Run], *, beams: int = 2, step: int = 0, description: str = "") -> Figure:
    """Interactive tree of sentences, in which beam search is watched step by step.

    Each word has the logarithm of the probability of the sentence up to it below. A slider goes from step to
    step; beams are open, finished or dropped. A beam whose continuations were all dropped is dropped with them.

    Args:
        tree: for each path of words that goes on, its next words and their probabilities; no words, no path,
            is where all sentences start.
        runs: for each number of beams, which paths were open at each step, the empty one first, and which
            sentences came back.
        beams: the number of beams shown at first.
        step: the step shown at first.
        description: alternative text; a sentence that says what to see.

    Raises:
        ValueError: probabilities are not above 0 or do not sum to 1, a run has a path that the tree does not
            have, or there is no run with ``beams`` or no such step.

    Example:
        >>> tree = {(): {"yes": 0.6, "no": 0.4}}
        >>> beam_tree(tree, {1: ([[()]], [("yes",)])}, beams=1, description="Two words, and the likelier one.")
        Two words, and the likelier one.
    """
    scores = log_probabilities(tree)
    if beams not in runs:
        raise ValueError(f"no run with beams={beams}; there are {', '.join(map(str, runs))}")
    for asked, finished in runs.values():
        for path in (path for paths in [*asked, finished] for path in paths):
            if path not in scores:
                raise ValueError(f"the tree has no path {' '.join(path)!r}")
    last = max(map(len, scores))
    places = _places(scores)
    rows = [row for n_beams, run in runs.items() for row in _rows(n_beams, run, scores, places, last)]
    heads = [[_headline(run, scores, at) for at in range(last + 1)] for run in runs.values()]
    counts = list(runs)
    body = {
        # The compiler guesses the width of words, and would leave room for the guess.
        "autosize": "none",
        "padding": 2,
        "width": max(x + max(LETTER * len(path[-1]) if path else 0, NUMBER) for path, (x, _) in places.items()) + 8,
        "height": HEAD + ROW * (1 + max(line for _, line in places.values())) + FOOT,
        "data": {"name": "nodes", "values": rows},
        "params": [
            slider("step", "Step", 0, last, step),
            {
                "name": "beams",
                "value": beams,
                "bind": {"input": "radio", "options": counts, "name": "Beams "},
            },
            {"name": "heads", "value": heads},
            {"name": "run", "expr": f"indexof({json.dumps(counts)}, beams)"},
        ],
        "transform": [
            {"filter": "datum.beams === beams"},
            {
                "calculate": "!datum.looked || datum.depth > step ? 'not looked at' : step > datum.until ? 'dropped'"
                " : datum.finished ? 'finished' : 'open'",
                "as": "state",
            },
            {"calculate": f"{json.dumps(SIGNS, ensure_ascii=False)}[datum.state]", "as": "sign"},
            {"calculate": "datum.state === 'open' || datum.state === 'finished'", "as": "alive"},
        ],
        "layer": [headline(0), headline(1), edges("y", "y2"), edges("x", "x2"), signs(), *words(), legend()],
    }
    table = {
        "corner": "step",
        "columns": [f"{n} beam{'s' * (n > 1)}" for n in counts],
        "rows": list(range(last + 1)),
        "cells": [_said(run, scores, at) for at in range(last + 1) for run in runs.values()],
    }
    return figure(description, table, body)


def log_probabilities(tree: Tree) -> dict[Path, float]:
    """Give the log-probability of each path of the tree, in the order in which it is drawn, from top to bottom.

    Raises:
        ValueError: the probabilities after a path do not sum to 1, or one is not above 0.

    Example:
        >>> log_probabilities({(): {"yes": 1.0}})
        {(): 0.0, ('yes',): 0.0}
    """

    def walk(path: Path, score: float) -> Iterator[tuple[Path, float]]:
        yield path, score
        branches = tree.get(path, {})
        if branches and abs(sum(branches.values()) - 1) > 1e-9:
            raise ValueError(f"probabilities after {' '.join(path)!r} sum to {sum(branches.values())}, not to 1")
        for word, probability in branches.items():
            if probability <= 0:
                raise ValueError(f"{' '.join((*path, word))!r} has probability {probability}, and must have some")
            yield from walk((*path, word), score + math.log(probability))

    return dict(walk((), 0.0))


def _places(scores: Mapping[Path, float]) -> dict[Path, tuple[float, int]]:
    """Column in pixels and line of each path; the first child stands on its parent's line."""
    widest: dict[int, float] = {0: 14.0}
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
    n_beams: int,
    run: Run,
    scores: Mapping[Path, float],
    places: Mapping[Path, tuple[float, int]],
    last: int,
) -> Iterator[dict[str, Any]]:
    """A row for each path: where it is drawn, whether it is looked at, and the last step at which it is alive."""
    asked, finished = run
    expanded = {path for paths in asked for path in paths}
    for path, score in scores.items():
        x, line = places[path]
        parent_x, parent_line = places[path[:-1]]
        first = line == parent_line
        alive = [at for at, paths in enumerate(asked) if any(beam[: len(path)] == path for beam in paths)]
        alive += [last for sentence in finished if sentence[: len(path)] == path]
        yield {
            "beams": n_beams,
            "path": " ".join(path),
            "word": path[-1] if path else "",
            "depth": len(path),
            "log_p": score,
            "shown": f"{score:.3f}".replace("-", "−") if path else "",
            "looked": not path or path[:-1] in expanded,
            "until": max(alive, default=len(path) - 1),
            "finished": path in finished,
            "x": x,
            "y": HEAD + ROW * (line + 0.5),
            "x2": parent_x if first else x - 12,
            "y2": HEAD + ROW * ((line if first else parent_line) + 0.5),
        }


def _at(run: Run, at: int) -> tuple[list[Path], list[Path]]:
    """Open beams and finished sentences after a step."""
    asked, finished = run
    return list(asked[at]) if at < len(asked) else [], [path for path in finished if len(path) <= at]


def _headline(run: Run, scores: Mapping[Path, float], at: int) -> list[str]:
    beams, done = _at(run, at)
    best = max(done, key=lambda path: scores[path], default=None)
    said = "none finished yet" if best is None else f"likeliest finished: {' '.join(best)}"
    return [f"{len(beams)} open, {len(done)} finished", said]


def _said(run: Run, scores: Mapping[Path, float], at: int) -> str:
    """One cell of the table: the open beams and the finished sentences, with their log-probabilities."""
    words = [
        f"{name}: " + ", ".join(f"{' '.join(path) or 'the start'} ({scores[path]:.3f})" for path in paths)
        for name, paths in zip(("open", "finished"), _at(run, at), strict=True)
        if paths
    ]
    return "; ".join(words).replace("(-", "(−") or "–"
