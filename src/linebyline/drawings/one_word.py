"""Attention of one word, step by step: its query, the keys, the weights, the average of the values, and the sum."""

import numpy as np

from clearformer import functional as F

from .kit import NORMAL, Canvas, Drawing, number

WORDS, ASKING = ("Dan’s", "ice", "cream"), 2
FEATURES = ("person", "cold", "skin", "creamy")
X = np.eye(4)[[0, 1, 3]]  # (T, d_model): a row for each word
W_Q = np.array([[0.0, 0], [0, 2], [0, 2], [2, 0]])  # (d_model, d_k)
W_K = np.array([[0.0, 2], [2, 0], [2, 0], [0, 0]])  # (d_model, d_k)
W_V = np.diag([1.0, 1, 1, 0])  # (d_model, d_v): all but creamy is passed on
QUERIES, KEYS, VALUES = X @ W_Q, X @ W_K, X @ W_V  # a row for each word
COLUMNS = (144, 232, 318)  # where the words are
CELL, NARROW, WIDE = 24, 20, 44


def one_word() -> Drawing:
    """Draw how the query of *cream* meets three keys, what it takes from three values, and its new vector."""
    scores = KEYS @ QUERIES[ASKING]  # (S,)
    scaled = scores / np.sqrt(KEYS.shape[-1])  # (S,)
    output, weights = (rows[0] for rows in F.scaled_dot_product_attention(QUERIES[ASKING : ASKING + 1], KEYS, VALUES))
    middle, below = COLUMNS[ASKING], COLUMNS[1] + 20
    canvas = Canvas(504)
    _label(canvas, 20, "words")
    _label(canvas, 72, "query of cream", "query")
    _label(canvas, 136, "keys", "key")
    _label(canvas, 180, "query · key")
    _label(canvas, 206, "÷ √2")
    _label(canvas, 242, "softmax: weights", "weight")
    _label(canvas, 300, "values", "value")
    _label(canvas, 376, "output for cream", "value")
    _label(canvas, 416, "+ its old vector")
    _label(canvas, 460, "= its new vector", "bold")
    canvas.line((middle, 36), (middle, 56), kind="query")
    for x in COLUMNS:
        canvas.line((middle + 0.12 * (x - middle), 86), (x, 120), kind="query")
    for x, weight in zip(COLUMNS, weights, strict=True):
        canvas.line((x, 315), (below + 0.3 * (x - below), 358), kind="value", width=0.8 + 5 * weight)
    for s, x in enumerate(COLUMNS):
        canvas.token(x, 20, WORDS[s], 72, "lit" if s == ASKING else "")
        canvas.vector(x, 136, KEYS[s], "key", top=2, cell=CELL)
        canvas.text(x, 185, number(scores[s]))
        canvas.text(x, 211, number(scaled[s]))
        canvas.bar(x, 242, weights[s], 72)
        canvas.vector(x, 300, VALUES[s], "value", top=1, cell=NARROW)
    canvas.vector(middle, 72, QUERIES[ASKING], "query", top=2, cell=CELL)
    canvas.vector(below, 376, output, "value", top=1, cell=WIDE)
    canvas.vector(below, 416, X[ASKING], "", top=1, cell=WIDE)
    canvas.line((below - 2 * WIDE, 438), (below + 2 * WIDE, 438), arrow=False)
    canvas.vector(below, 460, X[ASKING] + output, "layer", top=1, cell=WIDE)
    for i, name in enumerate(FEATURES):
        canvas.note(below + (i - 1.5) * WIDE, 490, name, anchor="middle")
    shares = ", ".join(f"{weight:.2f} for {word}" for weight, word in zip(weights, WORDS, strict=True))
    found, new = (
        ", ".join(f"{part:.2f} {name}" for part, name in zip(vector, FEATURES, strict=True))
        for vector in (output, X[ASKING] + output)
    )
    return canvas.finish(
        "Attention of one word",
        f"The query of cream, (2, 0), is multiplied with three keys, which gives the scores"
        f" {', '.join(map(number, scores))}. Divided by the root of 2 they are {', '.join(map(number, scaled))}. The"
        f" softmax turns them into the weights {shares}. The values, averaged with these weights, are the output for"
        f" cream: {found}. Added to the old vector of cream it gives the new one: {new}.",
    )


def _label(canvas: Canvas, y: float, words: str, role: str = "quiet") -> None:
    """Name a row of the drawing, in two lines if there is a colon."""
    first, _, second = words.partition(": ")
    canvas.text(4, y + 5 - 9 * bool(second), first, "quiet" if second else role, "start", NORMAL - 1)
    if second:
        canvas.text(4, y + 14, second, role, "start", NORMAL - 1)
