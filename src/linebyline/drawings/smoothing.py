"""Label smoothing on four words: what is asked for, and two models that answer."""

import numpy as np

from .kit import Canvas, Drawing, number

WORDS = ("glass", "grädde", "bilen", "Dan")
SHARE = 0.1
SURE = 0.997  # what the model that is too sure gives the right word
COLUMNS, WIDE = (124, 194, 260, 326), 62


def example() -> dict[str, np.ndarray]:
    """Return the distribution that is asked for, and those of a model that gives it and of one that is too sure."""
    n = len(WORDS)
    asked = np.full(n, SHARE / n) + (1 - SHARE) * (np.arange(n) == 0)
    sure = np.where(np.arange(n) == 0, SURE, (1 - SURE) / (n - 1))
    return {"asked": asked, "as asked": asked, "too sure": sure}


def loss(asked: np.ndarray, said: np.ndarray) -> float:
    """Return the cross-entropy, in nats."""
    return float(-asked @ np.log(said))


def smoothing() -> Drawing:
    """Draw the smoothed target of one word, the answers of two models, and what each of them pays."""
    canvas = Canvas(236)
    for x, word in zip(COLUMNS, WORDS, strict=True):
        canvas.note(x, 20, word, "bold" if word == WORDS[0] else "quiet", "middle")
    asked, calm, sure = example().values()
    _row(canvas, 46, "asked for", asked, "key")
    for y, name, said in ((118, "as asked", calm), (190, "too sure", sure)):
        _row(canvas, y, name, said, "weight")
        canvas.note(356, y + 32, f"loss {loss(asked, said):.2f} nats", "", "end")
    canvas.line((4, 84), (356, 84), kind="off", arrow=False)
    rows = "; ".join(f"{name}: {', '.join(map(number3, row))}" for name, row in example().items())
    return canvas.finish(
        "Label smoothing",
        f"Distributions over the words {', '.join(WORDS)}, of which the first is right. {rows}. The model that gives"
        f" what is asked for pays {loss(asked, calm):.2f} nats, the one that is too sure {loss(asked, sure):.2f}.",
    )


def number3(value: float) -> str:
    """Return a number with three decimals where it needs them."""
    return number(value) if abs(value - round(value, 2)) < 1e-9 else f"{value:.3f}"


def _row(canvas: Canvas, y: float, name: str, values: np.ndarray, role: str) -> None:
    canvas.note(4, y + 5, name, "")
    for x, value in zip(COLUMNS, values, strict=True):
        cell = number3(float(value))
        canvas.add(
            "rect",
            x=x - WIDE / 2,
            y=y - 13,
            width=WIDE,
            height=26,
            class_=f"cell {role}",
            fill_opacity=round(0.08 + 0.6 * float(value), 2),
        )
        canvas.text(x, y + 5, cell, size=13)
