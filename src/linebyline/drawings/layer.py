"""A layer with a nonlinearity that reads two characters, and the chain rule that autograd follows backward."""

import numpy as np

from .kit import Canvas, Drawing, number

# What each character adds to two hidden units: "t, then h" and "s, then h".
BEFORE = {"t": (1, 0), "s": (0, 1), "a": (0, 0)}
NOW = {"h": (1, 1), "o": (0, 0)}
BIAS = (-1, -1)
OUT = {"e": (2, 0), "a": (0, 2)}  # what each unit adds to the logits of e and a
CASES = (("t", "h"), ("s", "h"), ("t", "o"), ("s", "o"))


def two_characters() -> Drawing:
    """Draw one layer with two hidden units, for four pairs of characters, with every number."""
    canvas = Canvas(392)
    xs = (128, 196, 264, 332)
    for words, y in (("before", 48), ("now", 88), ("bias", 128), ("sum", 178), ("ReLU: the", 220)):
        canvas.note(4, y + 4, words)
    for x, (before, now) in zip(xs, CASES, strict=True):
        total = np.add(BEFORE[before], NOW[now]) + BIAS
        kept = np.maximum(total, 0)
        canvas.token(x, 16, f"{before}{now}", 52)
        canvas.vector(x, 48, list(BEFORE[before]), top=2)
        canvas.vector(x, 88, list(NOW[now]), top=2)
        canvas.vector(x, 128, list(BIAS), top=2)
        for y in (68, 108):
            canvas.text(x, y + 5, "+", "quiet")
        canvas.line((x, 143), (x, 163))
        canvas.vector(x, 178, total.tolist(), "layer", top=2)
        canvas.line((x, 193), (x, 213))
        canvas.vector(x, 228, kept.tolist(), "layer", top=2)
        canvas.line((x, 243), (x, 275))
        for i, (letter, weights) in enumerate(OUT.items()):
            canvas.vector(x, 290 + 32 * i, [f"{letter}: {number(float(kept @ weights))}"], "weight", cell=52)
    canvas.note(4, 241, "hidden vector")
    canvas.note(4, 280, "logits:")
    canvas.note(4, 296, "2 × unit 1")
    canvas.note(4, 327, "2 × unit 2")
    for x, words in zip(xs, ("e comes", "a comes", "neither", "neither"), strict=True):
        canvas.note(x, 364, words, "", "middle")
    return canvas.finish(
        "A layer that reads two characters",
        "For th, the row of t before, (1, 0), the row of h now, (1, 1), and the bias, (-1, -1), add up to (1, 0). For"
        " sh the sum is (0, 1). For to it is (0, -1) and for so (-1, 0), which the ReLU turns into (0, 0). The logits"
        " of e and a are twice the first and the second unit: e is raised after th, a after sh, and neither after to"
        " and so.",
    )


def chain_rule() -> Drawing:
    """Draw a loss computed in two steps, and its derivative multiplied together on the way back."""
    p = 0.2
    steps = (("logit", 0.0), ("probability", p), ("loss", -np.log(p)))
    slopes = (p * (1 - p), -1 / p)
    canvas = Canvas(206)
    xs = (46, 180, 314)
    for x, (words, value) in zip(xs, steps, strict=True):
        canvas.text(x, 18, words, "bold", size=13)
        canvas.vector(x, 44, [float(value)], "weight", cell=64)
    for x, words in ((113, "softmax"), (247, "−ln")):
        canvas.line((x - 33, 44), (x + 33, 44))
        canvas.note(x, 36, words, anchor="middle")
    for x, value, words in zip(xs[:2], slopes, ("p(1 − p)", "−1/p"), strict=True):
        canvas.line((x + 100, 100), (x + 34, 100), kind="value")
        canvas.note(x + 67, 92, words, anchor="middle")
        canvas.text(x + 67, 120, number(value), "value", size=13)
    back = (slopes[0] * slopes[1], slopes[1], 1.0)
    for x, value in zip(xs, back, strict=True):
        canvas.vector(x, 100, [value], "value", cell=64)
    for x, words in zip(xs, ("−5 × 0.16", "1 × −5", "start: 1"), strict=True):
        canvas.note(x, 130, words, "value", "middle")
    canvas.note(180, 160, "above, forward: compute the values →", "quiet", "middle")
    canvas.note(180, 178, "below, backward: ← multiply by each step's", "quiet", "middle")
    canvas.note(180, 195, "slope; a cell says how fast the loss changes", "quiet", "middle")
    return canvas.finish(
        "The chain rule, forward and backward",
        "Forward: the logit 0 gives the probability 0.2 and the loss 1.61. Backward: the slope of the loss with respect"
        " to the probability is -5, that of the probability with respect to the logit is 0.16, and their product, -0.8,"
        " is the gradient.",
    )
