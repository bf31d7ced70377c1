"""What a GPU has to hold during training, against its memory: the whole of its tokens at once, or a part."""

from .kit import Canvas, Drawing

MEMORY, PARAMETERS = 80, 2  # GB, and billions of parameters
HELD = {"weights": 4, "gradient": 4, "Adam's means": 8, "16-bit copy": 2}  # bytes for each parameter
TOKENS, PARTS = 32_000, 4
BLOCKS, VECTORS, WIDTH, BYTES = 24, 20, 2560, 2  # what each token leaves behind
VOCABULARY = 50_000  # a score for each, and its gradient, with four bytes
LEFT, GB, HIGH, EACH = 4.0, 2.7, 30, 78


def held() -> int:
    """Return the GB that are taken before a single token is read.

    Example:
        >>> held()
        36
    """
    return PARAMETERS * sum(HELD.values())


def results(tokens: float) -> float:
    """Return the GB of the activations of some tokens.

    Example:
        >>> round(results(TOKENS), 1), round(results(TOKENS / PARTS), 1)
        (91.4, 22.9)
    """
    return tokens * (BLOCKS * VECTORS * WIDTH * BYTES + 2 * VOCABULARY * 4) / 1e9


def memory_bars() -> Drawing:
    """Draw two bars to scale, with one line through both where the memory ends."""
    rows = ((f"all {TOKENS:,} tokens at once", PARTS), (f"one part of {TOKENS // PARTS:,} tokens", 1))
    canvas, end, said = Canvas(176), LEFT + GB * MEMORY, list[str]()
    one, start = results(TOKENS / PARTS), LEFT + GB * held()
    for i, (name, parts) in enumerate(rows):
        y = 44 + EACH * i
        canvas.text(LEFT, y - 8, name, "bold", "start", 13)
        boxes = [(LEFT, held(), "layer"), *((start + GB * one * part, one, "weight") for part in range(parts))]
        for left, size, role in boxes:
            canvas.add("rect", x=left, y=y, width=GB * size, height=HIGH, class_=f"cell {role}", fill_opacity=0.3)
            canvas.note(left + GB * size / 2, y + 20, f"{size:.0f}", "", "middle")
        canvas.note(LEFT + GB * held() / 2, y + HIGH + 16, "weights, Adam", anchor="middle")
        words = f"activations: {one * parts:.0f} GB" if parts > 1 else "activations"
        canvas.note(end + 8 if parts > 1 else start + 8, y + HIGH + 16, words)
        said.append(f"{name}: {held()} GB and {one * parts:.0f} GB")
    canvas.line((end, 18), (end, 44 + EACH + HIGH + 20), arrow=False, width=2)
    canvas.note(end, 12, f"memory: {MEMORY} GB", "", "middle")
    return canvas.finish(
        "Memory of one GPU",
        f"Two bars to scale, and a line at {MEMORY} GB. {said[0]}, beyond the line; {said[1]}, which fits. The"
        f" first number is what weights, gradient, Adam's means and the 16-bit copy take, the second what the tokens"
        " leave behind.",
    )
