"""Pre-training and fine-tuning: one encoder, first with the head that fills gaps, and then with a layer for a task."""

from .kit import Canvas, Drawing

# Of each stage: its name, what it learns from, what starts at random, what is read, the part on top, and the answer.
# The part on top reads the state of one token, which is outlined.
STAGES = (
    (
        "Pre-training",
        "plain text",
        "all weights start random",
        ("[CLS]", "Dan", "loves", "[MASK]", "cream"),
        "head",
        "ice",
    ),
    (
        "Fine-tuning",
        "labeled examples",
        "only the new layer starts random",
        ("[CLS]", "Dan", "loves", "ice", "skates"),
        "new layer",
        "topic: sport",
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
        canvas.note(4, y + 38, start)
        canvas.token(middle, y + 68, answer, wide, "lit")
        canvas.line((middle, y + 104), (middle, y + 85))
        canvas.box(middle - 60, y + 106, 120, 30, top, role="layer")
        canvas.line((at, y + 154), (at, y + 139))
        canvas.box(4, y + 156, 2 * (MIDDLE - 4), 36, "encoder", role="weight")
        for word, width, x in zip(words, widths, places, strict=True):
            canvas.line((x, y + 212), (x, y + 195))
            canvas.token(x, y + 228, word, width, "lit" if word == READS[n] else "")
        said.append(
            f"{title} from {source}, where {start}: it reads {' '.join(words)}, and from the state of {READS[n]} the"
            f" {top} answers '{answer}'"
        )
    right = 2 * MIDDLE - 4
    canvas.line((right, 174), (322, 174), (322, HEIGHT + 174), (right + 4, HEIGHT + 174), kind="weight", width=2.5)
    canvas.note(316, HEIGHT + 128, "weights", "weight", "end")
    return canvas.finish(
        "Pre-training and fine-tuning",
        f"Two training runs of one encoder. {'. '.join(said)}. In the second run the encoder starts with the weights"
        " that the first has found.",
    )
