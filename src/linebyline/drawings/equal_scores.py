"""Lines of equal score around one query: by dot product, by cosine and by distance."""

import numpy as np

from .kit import Canvas, Drawing, number

# Vectors of four entries, of which the last two are 0 and are not drawn.
QUERY, KEYS = np.array([2.0, 0, 0, 0]), np.array([[3.0, 3, 0, 0], [2.0, 0, 0, 0], [4.0, 0, 0, 0]])
NAMES = ("A", "B", "2B")
UNIT, LOW, HIGH, BASE = 22, 1.0, 4.0, 132  # pixels of a unit; units below and above; the origin


def scores() -> dict[str, np.ndarray]:
    """Return the scores of all keys by each of the three comparisons."""
    dot, root = KEYS @ QUERY, np.sqrt(len(QUERY))
    return {
        "dot product": dot / root,
        "cosine": dot / np.linalg.norm(KEYS, axis=1) / np.linalg.norm(QUERY),
        "distance": -((KEYS - QUERY) ** 2).sum(axis=1) / (2 * root),
    }


def weights_of_b() -> dict[str, float]:
    """Return the weight of B by each comparison, if A and B are the only keys."""
    return {name: float(1 / (1 + np.exp(a - b))) for name, (a, b, _) in scores().items()}


def lines() -> dict[str, list[np.ndarray]]:
    """Return points of lines on which every key has the same score."""
    turn = np.linspace(0, 2 * np.pi, 361)[:, None]  # (points, 1)
    around = np.hstack([np.cos(turn), np.sin(turn)])  # (points, 2)
    upward = np.linspace(-LOW, HIGH, 51)[:, None]
    outward = np.linspace(0, 6, 241)[:, None]
    return {
        "dot product": [np.hstack([np.full_like(upward, x), upward]) for x in (0.0, 1.0, 2.0, 3.0, 4.0)],
        "cosine": [outward * around[degrees] for degrees in (0, 45, 90)],
        "distance": [QUERY[:2] + radius * around for radius in np.sqrt([4, 10])],
    }


def labels() -> dict[str, list[tuple[float, float, str]]]:
    """Return the score of each line and where it is written, in units from the origin."""
    dot = [(x, HIGH + 0.2, number(x * QUERY[0] / np.sqrt(len(QUERY)))) for x in (0.0, 1.0, 2.0, 3.0, 4.0)]
    cosine = [
        (x, y, number(float(np.cos(np.radians(degrees)))))
        for x, y, degrees in ((3.1, 0.2, 0), (3.1, 4.1, 45), (0.4, 3.5, 90))
    ]
    distance = [(1.75, squared**0.5 + 0.1, number(-squared / (2 * np.sqrt(len(QUERY))))) for squared in (4, 10)]
    return {"dot product": dot, "cosine": cosine, "distance": distance}


def equal_scores() -> Drawing:
    """Draw three panels with the same query and keys, each with lines of equal score and the scores below it."""
    canvas, found = Canvas(252), scores()
    for panel, (name, drawn) in enumerate(lines().items()):
        x0 = 18 + 120 * panel  # of the origin
        canvas.text(x0 + 38, 18, name, "bold", size=13)
        for line in drawn:
            kept = [(x, y) for x, y in line if -0.7 <= x <= 4.2 and -LOW <= y <= HIGH]
            gaps = [i for i in range(1, len(kept)) if np.hypot(*np.subtract(kept[i], kept[i - 1])) > 0.5]
            for start, end in zip([0, *gaps], [*gaps, len(kept)], strict=True):
                points = ((x0 + UNIT * float(x), BASE - UNIT * float(y)) for x, y in kept[start:end])
                canvas.line(*points, arrow=False, width=1)
        for x, y, words in labels()[name]:
            canvas.note(x0 + UNIT * x, BASE - UNIT * y, words, anchor="middle")
        canvas.line((x0, BASE), (x0 + UNIT * float(QUERY[0]) - 5, BASE), kind="query", width=3)
        best = int(found[name][:2].argmax())  # of A and B
        canvas.note(x0 + 38, BASE + 110, f"B gets {weights_of_b()[name]:.2f}", "", anchor="middle")
        for i, (letter, key, score) in enumerate(zip(NAMES, KEYS, found[name], strict=True)):
            x, y = x0 + UNIT * float(key[0]), BASE - UNIT * float(key[1])
            canvas.add("circle", cx=x, cy=y, r=5, class_="line key" if i == 1 else "head key")
            side = -15 if i == 2 else -11 if i == 0 and panel < 2 else 11
            canvas.text(x + side, y + (-6, -8, 17)[i], letter, "bold key")
            words = f"{letter}: {number(float(score))}"
            canvas.text(x0 + 38, BASE + 50 + 18 * i, words, "bold" if i == best else "", size=13)
    for panel in (0, 1):
        canvas.note(18 + 120 * panel + 16, BASE + 17, "query", "query", anchor="middle")
    said = "; ".join(
        f"by {name} A has {number(float(a))} and B has {number(float(b))}, so {'AB'[int(b > a)]} wins, and 2B has"
        f" {number(float(longer))}; of A and B alone, B gets the weight {weights_of_b()[name]:.2f}"
        for name, (a, b, longer) in found.items()
    )
    return canvas.finish(
        "Lines of equal score",
        "Three panels with the query (2, 0), the key A at (3, 3), the key B, a ring around the tip of the query,"
        " and a key twice as long as B, 2B, at (4, 0)."
        " The lines on which keys have equal scores, each with its score, are straight and at right angles to the query"
        " for the dot product, rays from the origin for the cosine, and circles around the tip of the query for"
        " the distance."
        f" {said[0].upper()}{said[1:]}.",
    )
