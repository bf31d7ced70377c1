"""The logit lens with numbers: the state of one token after each block, and the guess that it would give."""

import numpy as np

from clearformer import functional as F

from .kit import Canvas, Drawing, number

WORDS = ("ice", "cream", "skates")
TABLE = np.array([[2.0, 0.0], [0.0, 2.0], [1.0, 1.0]])  # (vocab_size, d_model)
STATES = np.array([[2.0, 0.0], [1.0, 1.0], [0.0, 3.0]])  # (n_states, d_model)
STREAM, STEP, TOP = 62, 128, 74


def lens_steps() -> Drawing:
    """Draw the stream of one token through two blocks, with what the output layer says of each state."""
    canvas, said = Canvas(TOP + 2 * STEP + 62), []
    guesses = F.softmax(STATES @ TABLE.T)  # (n_states, vocab_size)
    canvas.token(STREAM, 18, WORDS[0])
    canvas.line((STREAM, 32), (STREAM, TOP - 16), kind="stream")
    canvas.note(268, 18, "what it would say next", anchor="middle")
    for n, (state, p) in enumerate(zip(STATES, guesses, strict=True)):
        y = TOP + n * STEP
        if n:
            added = ", ".join(map(number, state - STATES[n - 1]))
            canvas.line((STREAM, y - STEP + 13), (STREAM, y - 94), kind="stream")
            canvas.box(STREAM - 56, y - 92, 112, 44, f"block {n}", note=f"adds ({added})", role="weight")
            canvas.line((STREAM, y - 48), (STREAM, y - 16), kind="stream")
        canvas.vector(STREAM, y, state.tolist(), top=3, cell=38)
        canvas.line((STREAM + 42, y), (152, y))
        for i, (word, share) in enumerate(zip(WORDS, p, strict=True)):
            canvas.text(212, y + 30 * (i - 1) + 5, word, "bold" if share == max(p) > 0.5 else "", "end", 14)
            canvas.bar(282, y + 30 * (i - 1), float(share), 120)
        row = ", ".join(f"{word} {share:.2f}" for word, share in zip(WORDS, p, strict=True))
        said.append(f"After {n} blocks it is ({', '.join(map(number, state))}), which would give {row}.")
    return canvas.finish("The logit lens", f"The state of the token 'ice'. {' '.join(said)}")
