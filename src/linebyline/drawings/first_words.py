"""A decoder's first three steps: each word that it writes is read in the next step."""

from itertools import pairwise

from .kit import Canvas, Drawing

WORDS, WIDTHS = ("<Swedish>", "Dan", "älskar", "glass"), (106, 58, 70, 70)
HIGH, GAP, FIRST = 158, 8, 4  # a step, the space between tokens, and where the first begins
DECODER, MEMORY = 129, 309  # middles of the decoder and of H


def first_words(n_source: int = 5) -> Drawing:
    """Draw what the decoder reads and writes in three steps, beside the encoder's output of ``n_source`` rows."""
    canvas = Canvas(3 * HIGH - 4)
    for t in range(1, len(WORDS)):
        y, x = (t - 1) * HIGH, FIRST
        if t > 1:
            canvas.line((0, y - 2), (360, y - 2), kind="off", arrow=False)
        canvas.note(356, y + 31, f"step {t}", "bold", "end")
        for s, (word, wide) in enumerate(zip(WORDS[:t], WIDTHS[:t], strict=True)):
            canvas.token(x + wide / 2, y + 26, word, wide, "lit" if s == t - 1 else "")
            canvas.line((x + wide / 2, y + 40), (x + wide / 2, y + 58))
            x += wide + GAP
        canvas.box(FIRST, y + 60, 2 * (DECODER - FIRST), 42, "decoder", note=f"cross-attention ({t}, {n_source})")
        canvas.box(MEMORY - 44, y + 60, 88, 42, "H", note=f"{n_source} rows", role="value")
        canvas.line((MEMORY - 44, y + 81), (2 * DECODER - 2, y + 81), kind="value", width=3)
        last = x - GAP - WIDTHS[t - 1] / 2
        canvas.line((last, y + 102), (last, y + 120))
        canvas.token(max(last, FIRST + WIDTHS[t] / 2), y + 136, WORDS[t], WIDTHS[t], "lit")
    said = "; ".join(f"after {before} it writes {after}" for before, after in pairwise(WORDS))
    return canvas.finish(
        "The decoder's first three words",
        f"In each step the decoder reads the start sign and all words that it has written, and looks at the same H,"
        f" of {n_source} rows, from the encoder. Its last row says the next word: {said}. That word joins the input of"
        " the next step.",
    )
