"""Beams as a tree: which sentences a beam search looks at, which it keeps, and which it never sees."""

from collections.abc import Iterator, Mapping

import torch

from clearformer.decoding import beam_search

from .kit import Canvas, Drawing

Path = tuple[str, ...]
Tree = Mapping[Path, Mapping[str, float]]
# The next words after "Jane" and their probabilities; a full stop ends a sentence.
NEXT_WORDS: dict[Path, dict[str, float]] = {
    (): {"is": 0.40, "will": 0.35, "visits": 0.25},
    ("is",): {"visiting": 0.34, "in": 0.335, "there": 0.325},
    ("will",): {"visit": 0.40, "see": 0.32, ".": 0.28},
    ("visits",): {"Africa": 0.98, "us": 0.02},
    ("is", "visiting"): {"Africa": 1.0},
    ("is", "in"): {"Africa": 1.0},
    ("is", "there"): {".": 1.0},
    ("will", "visit"): {"Africa": 1.0},
    ("will", "see"): {"Africa": 1.0},
    ("visits", "Africa"): {".": 0.90, "again": 0.10},
    ("visits", "us"): {".": 1.0},
}
NEXT_WORDS |= {(*path, "Africa"): {".": 1.0} for path in list(NEXT_WORDS) if "Africa" in NEXT_WORDS[path]}
NEXT_WORDS |= {("visits", "Africa"): {".": 0.90, "again": 0.10}, ("visits", "Africa", "again"): {".": 1.0}}
# Two beams lose here what one beam finds: "Jane was here."
HARMFUL: dict[Path, dict[str, float]] = {
    (): {"was": 0.52, "had": 0.48},
    ("was",): {"here": 0.40, "late": 0.30, "tired": 0.30},
    ("had",): {"a": 0.50, "no": 0.50},
    ("had", "a"): {"dog": 0.60, "cat": 0.40},
    ("had", "no"): {"time": 0.55, "money": 0.45},
}
HARMFUL |= {
    (*path, word): {".": 1.0} for path in list(HARMFUL)[1:] for word in HARMFUL[path] if word not in ("a", "no")
}
COLUMNS, WIDTHS = (25, 93, 182, 268, 335), (46, 56, 70, 60, 26)  # centers and widths of the words of each step
TOP, ROW = 20, 47
LEGEND = ((22, 46, "kept", "lit"), (108, 132, "dropped", ""), (218, 242, "never looked at", "off"))


def probabilities(tree: Tree) -> dict[Path, float]:
    """Return the probability of each path of the tree, the product of those of its words, from top to bottom."""

    def walk(path: Path, p: float) -> Iterator[tuple[Path, float]]:
        yield path, p
        for word, next_p in tree.get(path, {}).items():
            yield from walk((*path, word), p * next_p)

    return dict(walk((), 1.0))


def search(tree: Tree, n_beams: int) -> tuple[list[list[Path]], list[Path]]:
    """Return the paths that beam search continues at each step, and the sentences that it finds, best first."""
    words = sorted({word for after in tree.values() for word in after})
    steps: list[list[Path]] = []

    def spell(ids: list[int]) -> Path:
        return tuple(words[i] for i in ids)

    def next_logits(ids: torch.Tensor) -> torch.Tensor:
        steps.append([spell(row[1:]) for row in ids.tolist()])
        after = [[tree[path].get(word, 0.0) for word in words] for path in steps[-1]]
        return torch.tensor(after, dtype=torch.float64).log()

    longest = max(map(len, probabilities(tree)))
    found = beam_search(next_logits, [0], longest, n_beams=n_beams, length_penalty=0.0, stop_ids=[words.index(".")])
    return steps, [spell(hypothesis.tokens) for hypothesis in found]


def beams(n_beams: int = 2, tree: Tree = NEXT_WORDS) -> Drawing:
    """Draw the tree of all sentences with what a search of ``n_beams`` keeps, or, for 0, with the best sentence.

    Below a word is the probability of the sentence up to it, once the search has looked at it; for 0, it is the
    probability of the word after those before it.
    """
    p = probabilities(tree)
    ends = [path for path in p if path not in tree]
    best = max(ends, key=p.__getitem__)
    steps, found = search(tree, n_beams) if n_beams else ([list(tree)], [best])
    looked = {(*path, word) for paths in steps for path in paths for word in tree[path]} | {()}
    leading = found if not n_beams else [*found, *(path for paths in steps for path in paths)]
    kept = {path for path in p if path in leading or any(end[: len(path)] == path for end in found)}
    canvas = Canvas(TOP + ROW * len(ends) + (30 if n_beams else -6))
    places = _places(p, ends)
    for path in list(p)[1:]:
        _edge(canvas, places, path, "weight" if path in kept else "" if path in looked else "off")
    for path, (column, y) in places.items():
        word, state = path[-1] if path else "Jane", "lit" if path in kept else "" if path in looked else "off"
        canvas.token(COLUMNS[column], y, word, _width(path), state)
        shown = p[path] if n_beams else tree[path[:-1]][word] if path else 1.0
        if path in looked and shown < 1:
            canvas.note(COLUMNS[column], y + 28, f"{shown:.4g}", "bold" if path in kept else "quiet", "middle")
        if n_beams and path == found[0]:
            canvas.note(COLUMNS[column], y - 19, "found", "bold", "middle")
    for x, words_x, words, state in LEGEND if n_beams else ():
        canvas.token(x, TOP + ROW * len(ends) + 10, "", 36, state)
        canvas.note(words_x, TOP + ROW * len(ends) + 15, words)
    return canvas.finish(*_words(n_beams, p, steps, found, best))


def _places(p: Mapping[Path, float], ends: list[Path]) -> dict[Path, tuple[int, float]]:
    """Column and height of each path: a path is on the line of the first sentence that begins with it."""
    line = {path: next(i for i, end in enumerate(ends) if end[: len(path)] == path) for path in p}
    return {path: (len(path), TOP + ROW * line[path] - 4) for path in p}


def _width(path: Path) -> float:
    return WIDTHS[-1] if path[-1:] == (".",) else WIDTHS[len(path)]


def _edge(canvas: Canvas, places: Mapping[Path, tuple[int, float]], path: Path, kind: str) -> None:
    """Draw the line that leads to a word: down from the word before it, if need be, and to the right."""
    (column, y), (next_column, next_y) = places[path[:-1]], places[path]
    left, right = COLUMNS[column] + WIDTHS[column] / 2, COLUMNS[next_column] - _width(path) / 2
    turn = COLUMNS[column] + WIDTHS[column] / 2 + 7
    points = [(left, y), (right, y)] if y == next_y else [(left, y), (turn, y), (turn, next_y), (right, next_y)]
    canvas.line(*points, kind=kind, arrow=False, width=3 if kind == "weight" else 0)


def _words(
    n_beams: int, p: Mapping[Path, float], steps: list[list[Path]], found: list[Path], best: Path
) -> tuple[str, str]:
    """The title and the description for readers who cannot see the drawing."""
    if not n_beams:
        return (
            "All sentences after Jane",
            "A tree in which each word leads to those that can follow, with their probabilities. "
            f"The most probable sentence is outlined in bold: Jane {_said(best)}, {p[best]:.4g}.",
        )
    kept = "; ".join(" and ".join(f"{_said(path)} ({p[path]:.3g})" for path in paths) for paths in steps[1:])
    return (
        f"Beam search with {n_beams} beam{'s' * (n_beams > 1)}",
        f"The tree of all sentences after Jane. Kept at each step, outlined in bold: {kept}. "
        f"Found: Jane {_said(found[0])}, {p[found[0]]:.4g}. The best sentence is Jane {_said(best)}, {p[best]:.4g}.",
    )


def _said(path: Path) -> str:
    return " ".join(path).replace(" .", "")
