"""A text as a path through a tree: its probability is the product of the probabilities along the path."""

from collections import defaultdict
from fractions import Fraction

from .kit import Canvas, Drawing

# The only texts of a tiny world, with their probabilities.
TEXTS = {
    ("Dan", "loves", "ice", "cream"): Fraction(1, 2),
    ("Dan", "loves", "ice", "skating"): Fraction(1, 4),
    ("Eve", "loves", "tea"): Fraction(1, 4),
}
# The middle of each token, by all that has been read.
PLACES = {
    ("Dan",): (104, 96),
    ("Eve",): (290, 96),
    ("Dan", "loves"): (104, 172),
    ("Eve", "loves"): (290, 172),
    ("Dan", "loves", "ice"): (104, 248),
    ("Eve", "loves", "tea"): (290, 248),
    ("Dan", "loves", "ice", "cream"): (48, 324),
    ("Dan", "loves", "ice", "skating"): (164, 324),
}
START = (197, 20)


def conditional() -> dict[tuple[str, ...], Fraction]:
    """Return, for each beginning of a text, the probability of its last token given those before it."""
    total: defaultdict[tuple[str, ...], Fraction] = defaultdict(Fraction)
    for text, p in TEXTS.items():
        for length in range(len(text) + 1):
            total[text[:length]] += p
    return {path: p / total[path[:-1]] for path, p in total.items() if path}


def text_tree() -> Drawing:
    """Draw all texts of a tiny world as paths, with the probability of each step and of each text."""
    canvas, steps = Canvas(386), conditional()
    [likely, *_] = TEXTS
    canvas.note(*START, "start", "", "middle")
    for path, (x, y) in PLACES.items():
        x0, y0 = PLACES.get(path[:-1], (START[0], START[1] - 10))
        on_path = likely[: len(path)] == path
        canvas.line((x0, y0 + 15), (x, y - 15), kind="weight" if on_path else "", width=3 if on_path else 0)
        right = x >= x0
        at = (x0 + x) / 2 + (8 if right else -8)
        canvas.note(at, (y0 + y) / 2 + 5, str(steps[path]), "weight" if on_path else "", "start" if right else "end")
        canvas.token(x, y, path[-1], 78, "lit" if on_path else "")
    for text, p in TEXTS.items():
        x, y = PLACES[text]
        canvas.note(x, y + 32, f"text: {p}", "bold" if text == likely else "", "middle")
    product = " · ".join(str(steps[likely[:length]]) for length in range(1, len(likely) + 1))
    canvas.note(4, 380, f"{' '.join(likely)}: {product} = {TEXTS[likely]}", "")
    said = "; ".join(f"'{' '.join(text)}' has {p}" for text, p in TEXTS.items())
    return canvas.finish(
        "The texts of a tiny world as a tree",
        f"There are three texts: {said}. Each token on a path has its probability after what was read before it. For"
        f" '{' '.join(likely)}' these are {product}, and their product is {TEXTS[likely]}.",
    )
