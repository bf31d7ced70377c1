"""Which scores are computed for six tokens: all that a causal mask allows, or only those in a window."""

from typing import Any

from .kit import Canvas, Drawing

T, WINDOW = 6, 3
SIDE, TOP = 24.0, 34.0


def seen(window: int = T) -> list[list[int]]:
    """Return for each query the keys that it is compared with.

    Example:
        >>> [len(keys) for keys in seen(3)], sum(map(len, seen()))
        ([1, 2, 3, 3, 3, 3], 21)
    """
    return [list(range(max(0, t - window + 1), t + 1)) for t in range(T)]


def window() -> Drawing:
    """Draw two grids of scores, with a causal mask alone and with a window of three tokens."""
    canvas, said = Canvas(TOP + T * SIDE + 34), []
    for x, title, rows in ((14.0, "causal mask", seen()), (202.0, f"window of {WINDOW}", seen(WINDOW))):
        middle, total = x + T * SIDE / 2, sum(map(len, rows))
        canvas.text(middle, 20, title, "bold")
        for t, keys in enumerate(rows):
            for s in range(T):
                place: dict[str, Any] = {"x": x + s * SIDE, "y": TOP + t * SIDE, "width": SIDE, "height": SIDE}
                kind = {"class_": "cell weight", "fill_opacity": 0.5} if s in keys else {"class_": "off"}
                canvas.add("rect", **place, **kind)
        canvas.note(middle, TOP + T * SIDE + 22, f"{total} scores", "", "middle")
        said.append(f"{title}: {total} scores, {', '.join(str(len(keys)) for keys in rows)} in the six rows")
    return canvas.finish(
        "A causal mask and a window",
        f"Two grids with a row for each of six queries and a column for each key; filled cells are scores that are"
        f" computed. With a {said[0]}. With a {said[1]}; each row has only the cells next to the diagonal.",
    )
