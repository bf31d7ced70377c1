"""A lead of nine parts, in a short and in a long sequence: among many keys, another token outvotes the right one."""

from random import Random

from .kit import Canvas, Drawing

KINDS, RIGHT, LEAD, SEED = 10, 4, 9, 56
LEFT, STEP, WIDE, HIGH, EACH = 24, 34, 24, 96, 186


def parts(keys: int, seed: int = SEED) -> list[int]:
    """Return the parts of each token: one for each key that has it, and nine for the right key.

    Example:
        >>> sum(parts(24)), sum(parts(384))
        (32, 392)
    """
    others = Random(seed).choices(range(KINDS), k=keys - 1)
    return [others.count(kind) + LEAD * (kind == RIGHT) for kind in range(KINDS)]


def outvoted() -> Drawing:
    """Draw the parts of ten tokens among 24 and among 384 keys."""
    canvas, said = Canvas(2 * EACH), []
    for row, keys in enumerate((24, 384)):
        counts = parts(keys)
        best = counts.index(max(counts))
        title = f"{keys} keys: {best} wins, and is {'right' if best == RIGHT else 'wrong'}"
        _panel(canvas, row * EACH, title, counts)
        said.append(f"Among {keys} keys the right token, {RIGHT}, has {counts[RIGHT]} parts, and of the others at most")
        said[-1] += f" {max(c for kind, c in enumerate(counts) if kind != RIGHT)}, so {best} wins."
    return canvas.finish("Outvoted", f"Two bar charts of the parts of ten tokens, 0 to 9. {' '.join(said)}")


def _panel(canvas: Canvas, top: float, title: str, counts: list[int]) -> None:
    canvas.text(LEFT - 14, top + 18, title, "bold", "start")
    floor, scale = top + 48 + HIGH, HIGH / max(counts)
    for kind, count in enumerate(counts):
        x, high, extra = LEFT + STEP * kind, count * scale, LEAD * scale * (kind == RIGHT)
        canvas.add(
            "rect", x=x - WIDE / 2, y=floor - high + extra, width=WIDE, height=high - extra, class_="filled weight"
        )
        if extra:
            canvas.add("rect", x=x - WIDE / 2, y=floor - high, width=WIDE, height=extra, class_="filled key")
        canvas.note(x, floor - high - 6, str(count), "bold" if count == max(counts) else "", "middle")
        canvas.note(x, floor + 18, str(kind), "key" if kind == RIGHT else "quiet", "middle")
    canvas.line((LEFT - 16, floor), (LEFT + STEP * (KINDS - 1) + 16, floor), arrow=False)
