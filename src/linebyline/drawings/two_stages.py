"""Pre-training and fine-tuning: one encoder, first with the head that fills gaps, and then with a layer for a task."""

from .kit import Canvas, Drawing

# Of each stage: its name, what it learns from, what starts at random, what is read, the part on top, and the answer.
STAGES = (
    ("Pre-training", "plain text", "all weights start random", ("Dan", "loves", "[MASK]", "cream"), "head", "ice"),
    (
        "Fine-tuning",
        "labeled examples",
        "only the new layer starts random",
        ("Dan", "loves", "ice", "skates"),
        "new layer",
        "topic: sport",
    ),
)
HEIGHT, MIDDLE = 258, 122  # of a stage, and where its parts are centered


def two_stages() -> Drawing:
    """Draw the two training runs one below the other, and the weights that the second takes from the first."""
    canvas, said = Canvas(2 * HEIGHT - 14, 280), []
    for n, (title, source, start, words, top, answer) in enumerate(STAGES):
        y, widths = HEIGHT * n, [72 if word == "[MASK]" else 22 + 7 * len(word) for word in words]
        canvas.text(4, y + 18, f"{title}: {source}", "bold", "start")
        canvas.note(4, y + 38, start)
        canvas.token(MIDDLE, y + 68, answer, 30 + 8 * len(answer), "lit")
        canvas.line((MIDDLE, y + 104), (MIDDLE, y + 85))
        canvas.box(MIDDLE - 60, y + 106, 120, 30, top, role="layer")
        canvas.line((MIDDLE, y + 154), (MIDDLE, y + 139))
        canvas.box(4, y + 156, 2 * (MIDDLE - 4), 36, "encoder", role="weight")
        left = MIDDLE - (sum(widths) + 12) / 2
        for word, width in zip(words, widths, strict=True):
            canvas.line((left + width / 2, y + 212), (left + width / 2, y + 195))
            canvas.token(left + width / 2, y + 228, word, width, "lit" if word in ("[MASK]", "ice") else "")
            left += width + 4
        said.append(f"{title} from {source}, where {start}: it reads {' '.join(words)}, the {top} answers '{answer}'")
    right = 2 * MIDDLE - 4
    canvas.line((right, 174), (268, 174), (268, HEIGHT + 174), (right + 4, HEIGHT + 174), kind="weight", width=2.5)
    canvas.note(262, HEIGHT + 128, "weights", "weight", "end")
    return canvas.finish(
        "Pre-training and fine-tuning",
        f"Two training runs of one encoder. {'. '.join(said)}. In the second run the encoder starts with the weights"
        " that the first has found.",
    )
