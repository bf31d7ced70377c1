"""Three numerical accidents of attention, each beside its cure, in the numbers of one row."""

import numpy as np

from .kit import Canvas, Drawing

CELL, GAP, LEFT = 38, 28, 4  # the width of a cell, the room for an arrow, and the margin
SMALLEST = 1e-30  # what is drawn as 0


def steps() -> dict[str, tuple[list[np.ndarray], list[np.ndarray]]]:
    """Return for each accident the rows of numbers that the formula goes through, and those with the cure."""
    inf, nan = np.inf, np.nan
    with np.errstate(over="ignore", invalid="ignore"):
        large, hidden = _row(89, 0), _row(-inf, -inf)
        powers, shifted, none = np.exp(large), large - large.max(), np.exp(hidden)
        top = np.where(np.isfinite(hidden.max()), hidden.max(), 0)
        unseen = np.exp(hidden - top)
        values, weights = _row(5, nan), _row(1, 0)
        kept = np.where(weights > 0, values, 0)
        return {
            "1  a large score": (
                [large, powers, _row(powers.sum()), powers / powers.sum()],
                [shifted, np.exp(shifted), _row(np.exp(shifted).sum()), np.exp(shifted) / np.exp(shifted).sum()],
            ),
            "2  no key to look at": (
                [hidden, none, _row(none.sum()), none / none.sum()],
                [hidden - top, unseen, _row(unseen.sum()), unseen / np.where(unseen.sum() == 0, 1, unseen.sum())],
            ),
            "3  a bad value behind the mask": (
                [weights, values, weights * values, _row(weights @ values)],
                [weights, kept, weights * kept, _row(float(weights @ kept))],
            ),
        }


SAID = {
    "1  a large score": ("scores", "exp", "sum", "exp ÷ sum", "subtract the maximum, 89, first"),
    "2  no key to look at": ("scores", "exp", "sum", "exp ÷ sum", "subtract 0, not −∞; divide by 1, not 0"),
    "3  a bad value behind the mask": ("weights", "values", "products", "sum", "set masked values to 0"),
}


def accidents() -> Drawing:
    """Draw three rows in which the formula ends in nan, and below each the same row with its cure."""
    canvas, said = Canvas(420), []
    for i, (name, (naive, cured)) in enumerate(steps().items()):
        top, (*names, cure) = 20 + 140 * i, SAID[name]
        canvas.text(LEFT, top, name, "bold", "start")
        widths = [CELL * len(row) for row in naive]
        places = [LEFT + sum(widths[:j]) + GAP * j + widths[j] / 2 for j in range(len(widths))]
        for x, words in zip(places, names, strict=True):
            canvas.note(x, top + 20, words, anchor="middle")
        for y, rows in ((top + 42, naive), (top + 96, cured)):
            for j, (x, row) in enumerate(zip(places, rows, strict=True)):
                canvas.vector(x, y, [_short(value) for value in row], "weight", cell=CELL)
                if j:
                    left = x - widths[j] / 2
                    canvas.line((left - GAP + 4, y), (left - 6, y))
        canvas.note(LEFT, top + 77, f"cure: {cure}", "")
        both = [" then ".join(", ".join(map(_short, row)) for row in rows) for rows in (naive, cured)]
        said.append(f"{name[3:]}: {both[0]}; cure, {cure}: {both[1]}")
    return canvas.finish("Three accidents and their cures", f"Rows of numbers, step by step. {'. '.join(said)}.")


def _short(value: float) -> str:
    """Return a number as it is drawn: whole, or infinite, or not a number."""
    if np.isnan(value):
        return "nan"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{0 if abs(value) < SMALLEST else value:.0f}".replace("-", "−")


def _row(*values: float) -> np.ndarray:
    """Return numbers in single precision."""
    return np.array(values, dtype=np.float32)
