"""How a model writes with its cache: the prompt in one run, then one token in each step."""

from .kit import CELL, Canvas, Drawing

WORDS, PROMPT = ("Dan", "loves", "ice", "cream", "<eos>"), 2
STEP, FIRST, HIGH, WIDE = 72, 34, 134, 58  # columns, phases, and a token


def prefill() -> Drawing:
    """Draw the prefill and two steps: which tokens are read, what is kept, and what is written."""
    phases = range(PROMPT, len(WORDS))
    canvas = Canvas(HIGH * len(phases) - 10)
    for phase, end in enumerate(phases):
        start, y = (end - 1 if phase else 0), 4 + phase * HIGH
        read = f"{end - start} token{'s' * (end - start > 1)}, weights loaded once"
        canvas.text(4, y + 14, f"Step {phase}" if phase else "Prefill", "bold", "start")
        canvas.note(352, y + 14, read, anchor="end")
        for s in range(end):
            x = FIRST + s * STEP
            if s >= start:
                canvas.token(x, y + 42, WORDS[s], WIDE, "lit")
                canvas.line((x, y + 57), (x, y + 74))
            for role, left in ("key", x - CELL), ("value", x):
                canvas.matrix(left, y + 76, [[role[0]]], role)
        last, new = FIRST + (end - 1) * STEP, FIRST + end * STEP
        canvas.line((last + WIDE / 2, y + 42), (new - WIDE / 2 - 2, y + 42), width=2)
        canvas.token(new, y + 42, WORDS[end], WIDE)
        if start:
            canvas.note(8, y + 66, "cache:")
    return canvas.finish(
        "Prefill and steps",
        f"The prefill reads the {PROMPT} tokens of the prompt, {' '.join(WORDS[:PROMPT])}, in one run, for which the"
        f" weights are loaded once, keeps a key and a value of each, and writes {WORDS[PROMPT]}. Each step reads the"
        " token that was written last, adds its key and its value to the cache, and writes the next token; for this"
        " the weights are loaded once more.",
    )
