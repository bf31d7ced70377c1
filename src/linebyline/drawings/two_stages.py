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
HEIGHT = 256  # of a stage


def two_stages() -> Drawing:
    """Draw the two training runs one below the other, and the weights that the second takes from the first."""
    canvas, said = Canvas(2 * HEIGHT - 12), []
    for n, (title, source, start, words, top, answer) in enumerate(STAGES):
        y, widths = HEIGHT * n, [76 if word == "[MASK]" else 26 + 8 * len(word) for word in words]
        canvas.text(4, y + 18, f"{title} from {source}", "bold", "start")
        canvas.note(4, y + 38, start)
        canvas.token(140, y + 66, answer, 30 + 8 * len(answer), "lit")
        canvas.line((140, y + 102), (140, y + 83))
        canvas.box(80, y + 104, 120, 30, top, role="layer")
        canvas.line((140, y + 152), (140, y + 137))
        canvas.box(4, y + 154, 272, 36, "encoder", role="weight")
        left = 140 - (sum(widths) + 18) / 2
        for word, width in zip(words, widths, strict=True):
            canvas.line((left + width / 2, y + 210), (left + width / 2, y + 193))
            canvas.token(left + width / 2, y + 226, word, width, "lit" if word == "[MASK]" else "")
            left += width + 6
        said.append(f"{title} from {source}, where {start}: it reads {' '.join(words)}, the {top} answers '{answer}'")
    canvas.line((276, 172), (318, 172), (318, HEIGHT + 172), (280, HEIGHT + 172), kind="weight", width=2.5)
    canvas.note(311, 334, "its weights", "weight", "end")
    return canvas.finish(
        "Pre-training and fine-tuning",
        f"Two training runs of one encoder. {'. '.join(said)}. In the second run the encoder starts with the weights"
        " that the first has found.",
    )
