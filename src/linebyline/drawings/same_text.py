"""The same text, cut by two tokenizers: what each token costs, and what the whole text costs."""

import math

from .kit import Canvas, Drawing

TEXT = "array of the same"
ROWS = (("4 tokens", ["array", "␣of", "␣the", "␣same"], 3.0), ("17 characters", list(TEXT.replace(" ", "␣")), 0.9))
NAT = 23.0  # the width of a nat, so that the longer row is as wide as the drawing


def same_text() -> Drawing:
    """Draw two rows of tokens, each as wide as its price in nats."""
    canvas, said = Canvas(218), []
    for y, (words, tokens, nats) in zip((18, 128), ROWS, strict=True):
        total, each = len(tokens) * nats, f"{nats:g} nats each"
        perplexity, bits = math.exp(nats), total / math.log(2) / len(TEXT.encode())
        canvas.text(4, y, words, "bold", "start")
        canvas.note(352, y, f"{each}: perplexity {perplexity:.2g}", anchor="end")
        canvas.matrix(4, y + 14, [tokens], "weight", cell=nats * NAT)
        canvas.note(4, y + 64, f"together {total:g} nats: {bits:.2f} bits per byte", "")
        said.append(f"as {words} with {each} it costs {total:g} nats, {bits:.2f} bits per byte")
    return canvas.finish(
        "One text, cut by two tokenizers",
        f"The text is '{TEXT}'. {'; '.join(said)}. Each token is as wide as its price.",
    )
