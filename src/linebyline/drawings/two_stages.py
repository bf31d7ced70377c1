"""Pre-training and fine-tuning: one encoder, first with the head that fills gaps, and then with a layer for a task."""

from .kit import Canvas, Drawing

# Of each stage: its name, what it learns from, what starts at random, what is read, the part on top, and the answer.
# The part on top reads the state of one token, which is outlined.
STAGES = (
    (
        "Pre-training",
        "plain text",
        "all weights start random",
        ("[CLS]", "a", "list", "[MASK]", "floats"),
        "head",
        "of",
    ),
    (
        "Fine-tuning",
        "labeled examples",
        "only the new layer starts random",
        ("[CLS]", "win", "a", "prize", "now"),
        "new layer",
        "spam",
    ),
)
HEIGHT, MIDDLE = 258, 148  # of a stage, and where its parts are centered
READS = ("[MASK]", "[CLS]")  # the token whose state the part on top reads, in each stage


def two_stages() -> Drawing:
    """Draw the two training runs one below the other, and the weights that the second takes from the first."""
    canvas, said = Canvas(2 * HEIGHT - 14, 336), []
    for n, (title, source, start, words, top, answer) in enumerate(STAGES):
        y, widths = HEIGHT * n, [74 if word == "[MASK]" else 17 + 7 * len(word) for word in words]
        edge = MIDDLE - (sum(widths) + 4 * (len(words) - 1)) / 2
        places = [edge + sum(widths[:t]) + 4 * t + widths[t] / 2 for t in range(len(words))]
        at, wide = places[words.index(READS[n])], 30 + 8 * len(answer)
        middle = max(at, 4 + wide / 2, 64)  # of the part on top
        canvas.text(4, y + 18, f"{title}: {source}", "bold", "start")
        canvas.text(4, y + 38, start, "quiet", "start")
        for word, width, x in zip(words, widths, places, strict=True):
            canvas.token(x, y + 68, word, width, "lit" if word == READS[n] else "")
            canvas.line((x, y + 84), (x, y + 99))
        canvas.box(4, y + 102, 2 * (MIDDLE - 4), 36, "encoder", role="weight")
        canvas.line((at, y + 140), (at, y + 155))
        canvas.box(middle - 60, y + 158, 120, 30, top, role="layer")
        canvas.line((middle, y + 190), (middle, y + 207))
        canvas.token(middle, y + 224, answer, wide, "lit")
        said.append(
            f"{title} from {source}, where {start}: it reads {' '.join(words)}, and from the state of {READS[n]} the"
            f" {top} answers '{answer}'"
        )
    right = 2 * MIDDLE - 4
    canvas.line((right, 120), (322, 120), (322, HEIGHT + 120), (right + 4, HEIGHT + 120), kind="weight", width=2.5)
    canvas.note(316, HEIGHT - 24, "weights", "weight", "end")
    return canvas.finish(
        "Pre-training and fine-tuning",
        f"Two training runs of one encoder. {'. '.join(said)}. In the second run the encoder starts with the weights"
        " that the first has found.",
    )
