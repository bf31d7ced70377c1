"""Attention between two memories: what is moved with all scores at once, and what is moved in blocks."""

from .kit import Canvas, Drawing

# What is moved, whether it comes to the processor, and how wide its arrow is: the widest has a number for each pair.
THIN, MEDIUM, WIDE = 0, 2.5, 4.5
AT_ONCE = (
    ("Q, K", True, THIN),
    ("scores", False, WIDE),
    ("scores", True, WIDE),
    ("attention weights", False, WIDE),
    ("attention weights, V", True, WIDE),
    ("output", False, THIN),
)
IN_BLOCKS = (("Q", True, THIN), ("K, V, each time", True, MEDIUM), ("output", False, THIN))
LEFT, RIGHT, STEP = 100, 272, 27  # the inner edges of the two memories, and from arrow to arrow


def two_memories() -> Drawing:
    """Draw the large slow memory, the small fast one, and what passes from one to the other."""
    canvas, y, said = Canvas(398), 12, []
    for name, moves, far, near in (
        (
            "All at once",
            AT_ONCE,
            ("Q, K, V", "output", "scores: T²", "attention", "weights: T²"),
            ("a few", "rows"),
        ),
        ("In blocks", IN_BLOCKS, ("Q, K, V", "output"), ("one tile;", "m, l, o", "of a block")),
    ):
        high = max(STEP * len(moves) + 12, 74)
        canvas.text(4, y + 8, name, "bold", "start")
        top = y + 22
        canvas.box(4, top, LEFT - 4, high, "")
        canvas.box(RIGHT, top, 356 - RIGHT, high, "", role="weight")
        for x, words in (((4 + LEFT) / 2, far), ((RIGHT + 356) / 2, near)):
            for n, word in enumerate(words):
                kind = "bold" if word in far[2:] else "symbol" if word == "m, l, o" else ""
                canvas.note(x, top + high / 2 + 20 * (n - (len(words) - 1) / 2) + 5, word, kind, "middle")
        for n, (what, comes, width) in enumerate(moves):
            at = top + (high - STEP * len(moves)) / 2 + STEP * (n + 1) - 6
            ends = (LEFT + 3, at), (RIGHT - 4, at)
            canvas.line(*(ends if comes else ends[::-1]), kind="weight" if width else "", width=width)
            canvas.note((LEFT + RIGHT) / 2, at - 6, what, "bold" if width else "", "middle")
            said.append(f"{what} {'to the processor' if comes else 'back'}")
        y = int(top + high + 16)
        said.append("and then, in blocks" if name == "All at once" else "")
    canvas.note((4 + LEFT) / 2, y + 8, "main memory", "", "middle")
    canvas.note((4 + LEFT) / 2, y + 24, "large, slow", "", "middle")
    canvas.note((RIGHT + 356) / 2, y + 8, "fast memory", "", "middle")
    canvas.note((RIGHT + 356) / 2, y + 24, "small, near", "", "middle")
    return canvas.finish(
        "What is moved between two memories",
        "On the left the main memory, large and slow; on the right the small fast memory beside the processor. All at"
        f" once these are moved: {', '.join(part for part in said if part)}. Thick arrows, scores and attention"
        " weights, move numbers for all pairs of tokens; in blocks there is none of these, but keys and values, on an"
        " arrow of medium width, are fetched again for every block of queries.",
    )
