"""What a processor has to hold during training, against its memory: the whole of its tokens at once, or a part."""

from .kit import Canvas, Drawing

MEMORY, PARAMETERS = 80, 2  # GB, and billions of parameters
HELD = {"weights": 4, "gradient": 4, "Adam's means": 8, "16-bit copy": 2}  # bytes for each parameter
TOKENS, PARTS = 125_000, 8
LAYERS, VECTORS, WIDTH, BYTES = 25, 20, 2560, 2  # what each token leaves behind
LEFT, GB, HIGH = 4.0, 0.975, 30


def held() -> int:
    """Return the GB that are taken before the first token comes.

    Example:
        >>> held()
        36
    """
    return PARAMETERS * sum(HELD.values())


def results(tokens: float) -> float:
    """Return the GB of the intermediate results of some tokens.

    Example:
        >>> results(TOKENS), results(TOKENS / PARTS)
        (320.0, 40.0)
    """
    return tokens * LAYERS * VECTORS * WIDTH * BYTES / 1e9


def memory_bars() -> Drawing:
    """Draw two bars to scale, with a line where the memory ends."""
    rows = ((f"all {TOKENS:,} tokens at once", TOKENS), ("one part of eight", TOKENS / PARTS))
    canvas, end, said = Canvas(134), LEFT + GB * MEMORY, list[str]()
    for i, (name, tokens) in enumerate(rows):
        y, size = 28 + 66 * i, results(tokens)
        canvas.text(LEFT, y - 8, f"{name}: {held()} + {size:.0f} GB", "bold", "start", 13)
        x = LEFT + GB * held()
        for left, wide, role in ((LEFT, GB * held(), "layer"), (x, GB * size, "weight")):
            canvas.add("rect", x=left, y=y, width=wide, height=HIGH, class_=f"cell {role}", fill_opacity=0.4)
        one = GB * results(TOKENS / PARTS)
        for part in range(round(size / results(TOKENS / PARTS))):
            left = x + one * part
            canvas.line((left, y), (left, y + HIGH), arrow=False, kind="weight")
            canvas.note(left + one / 2, y + 20, f"{results(TOKENS / PARTS):.0f}", "", "middle")
        canvas.note(LEFT + GB * held() / 2, y + 20, f"{held()}", "", "middle")
        canvas.line((end, y - 5), (end, y + HIGH + 8), arrow=False, width=2.5)
        said.append(f"{name}: {held()} GB and {size:.0f} GB")
    canvas.note(end + 8, 28 + 66 + 20, f"the memory ends here, at {MEMORY} GB")
    return canvas.finish(
        "Memory of one processor",
        f"Two bars to scale, and a line at {MEMORY} GB. {said[0]}, far beyond the line; {said[1]}, which fits. The"
        f" first number is what weights, gradient, Adam's means and the 16-bit copy take, the second what the tokens"
        " leave behind.",
    )
