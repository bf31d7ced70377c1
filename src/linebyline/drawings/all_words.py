"""Attention of all words at once, as products of matrices, from the words to the outputs."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number
from .one_word import FEATURES, KEYS, QUERIES, VALUES, W_K, W_Q, W_V, WORDS, X


def three_products() -> Drawing:
    """Draw the vectors of the words times three matrices: their queries, keys and values."""
    canvas, cell, left, top, low = Canvas(284), 22, 48, 40, 168
    canvas.note(left + 2 * cell, low - 8, "X (3, 4)", anchor="middle")
    canvas.matrix(left, low, X.tolist(), "", cell=cell)
    for t, word in enumerate(WORDS):
        canvas.note(left - 6, low + t * CELL + 18, word, anchor="end")
    x = left + 4 * cell + 12
    for i, feature in enumerate(FEATURES):
        canvas.note(x - 6, top + i * CELL + 18, feature, anchor="end")
    parts = (("Q", W_Q, QUERIES, "query"), ("K", W_K, KEYS, "key"), ("V", W_V, VALUES, "value"))
    for name, matrix, product, role in parts:
        wide = matrix.shape[1] * cell
        canvas.text(x + wide / 2, top - 10, f"W_{name}", role)
        canvas.matrix(x, top, matrix.tolist(), role, cell=cell)
        canvas.line((x + wide / 2, top + 4 * CELL + 3), (x + wide / 2, low - 4), kind=role)
        canvas.matrix(x, low, product.tolist(), role, cell=cell)
        canvas.text(x + wide / 2, low + 3 * CELL + 20, name, role)
        x += wide + 13
    rows = "; ".join(
        f"{word}: query {_listed(q)}, key {_listed(k)}, value {_listed(v)}"
        for word, q, k, v in zip(WORDS, QUERIES, KEYS, VALUES, strict=True)
    )
    return canvas.finish(
        "Queries, keys and values as products",
        "The matrix X has a row for each of Dan’s, ice and cream. The matrices of the queries, the keys and the values"
        f" have a row for each feature. X times each of them gives a row for each word. {rows}.",
    )


def all_words() -> Drawing:
    """Draw attention as products of matrices, from queries, keys and values to the outputs."""
    scores = QUERIES @ KEYS.T  # (T, S)
    output, weights = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    canvas, rows, cell = Canvas(418), 3 * CELL, 20
    left, middle, right, top, low, wide, narrow = 47, 100, 218, 104, 312, 36, 35
    above = low - rows - 28  # V is above the outputs, below the raw scores
    for t, word in enumerate(WORDS):
        canvas.note(left - 6, top + t * CELL + 18, word, anchor="end")
        canvas.note(middle - 6, low + t * CELL + 18, word, anchor="end")
        canvas.note(middle + (t + 0.5) * wide, 26, word, anchor="middle")
        canvas.note(right - 6, above + t * CELL + 18, word, anchor="end")
    canvas.text(middle - 8, 62, "Kᵀ", "key", "end")
    canvas.matrix(middle, 32, KEYS.T.tolist(), "key", cell=wide)
    canvas.text(left + cell, top + rows + 20, "Q", "query")
    canvas.matrix(left, top, QUERIES.tolist(), "query", cell=cell)
    canvas.matrix(middle, top, scores.tolist(), "", cell=wide)
    canvas.line((middle + 1.5 * wide, 86), (middle + 1.5 * wide, top - 3), kind="key")
    canvas.line((left + 2 * cell + 1, top + rows / 2), (middle - 3, top + rows / 2), kind="query")
    canvas.text(middle + 3 * wide + 10, top + rows / 2 + 5, "raw scores QKᵀ", "", "start")
    canvas.line((middle + 1.5 * wide, top + rows + 4), (middle + 1.5 * wide, low - 4), kind="weight")
    canvas.note(middle + 1.5 * wide - 8, top + rows + 58, "÷ √2,", "", "end")
    canvas.note(middle + 1.5 * wide - 8, top + rows + 75, "softmax", "", "end")
    canvas.matrix(middle, low, weights.tolist(), "weight", top=1, cell=wide)
    canvas.text(middle + 1.5 * wide, low + rows + 20, "weights", "weight")
    canvas.text(right + 2 * narrow, above - 8, "V", "value")
    canvas.matrix(right, above, VALUES.tolist(), "value", top=1, cell=narrow)
    canvas.line((right + 2 * narrow, above + rows + 4), (right + 2 * narrow, low - 4), kind="value")
    canvas.line((middle + 3 * wide + 1, low + rows / 2), (right - 2, low + rows / 2), kind="weight")
    canvas.matrix(right, low, output.tolist(), "value", top=1, cell=narrow)
    canvas.text(right + 2 * narrow, low + rows + 20, "outputs", "value")
    shown = "; ".join(f"{word}: {_listed(row)}" for word, row in zip(WORDS, output, strict=True))
    return canvas.finish(
        "Attention of all words at once",
        "The queries Q, a row for each of Dan’s, ice and cream, times the keys, a column for each word, give nine"
        " raw scores. Divided by the root of 2, and with a softmax along each row, they become the weights. These times"
        f" the values V are the outputs: {shown}.",
    )


def _listed(row: np.ndarray) -> str:
    """Return the numbers of a row in brackets."""
    return f"({', '.join(map(number, row))})"
