"""Attention of all words at once, as products of matrices, and the plain product of weights and vectors."""

import numpy as np

from clearformer import functional as F

from .kit import CELL, Canvas, Drawing, number
from .one_word import KEYS, NAMES, QUERIES, VALUES, WORDS, X

WEIGHTS = np.array([[1.0, 0, 0], [0.5, 0.5, 0], [0.1, 0.6, 0.3]])  # (T, S)
WIDE = 38  # of a cell that holds two decimals


def weighted_average() -> Drawing:
    """Draw a matrix of weights times a matrix of vectors, with the row of *cream* highlighted."""
    averages = WEIGHTS @ X  # (T, d_model)
    canvas, left, right, top, low = Canvas(268), 58, 200, 34, 152
    for s, word in enumerate(WORDS):
        canvas.note(right - 8, top + s * CELL + 18, word, "", "end")
        canvas.note(left + (s + 0.5) * WIDE, low - 8, word, "", "middle")
        canvas.note(left - 8, low + s * CELL + 18, word, "bold" if s == 2 else "", "end")
    canvas.note(right + 2 * WIDE, 22, "vectors X (3, 4)", anchor="middle")
    canvas.matrix(right, top, X.tolist(), "value", top=1.6, cell=WIDE)
    for t in range(3):
        lit = t == 2
        canvas.matrix(left, low + t * CELL, [WEIGHTS[t].tolist()], "weight" if lit else "", top=1, cell=WIDE)
        canvas.matrix(right, low + t * CELL, [averages[t].tolist()], "value" if lit else "", top=1, cell=WIDE)
    middle = low + 2.5 * CELL
    canvas.line((left + 3 * WIDE + 4, middle), (right - 5, middle), kind="weight")
    canvas.line((right + 1.5 * WIDE, top + 3 * CELL + 4), (right + 1.5 * WIDE, low - 5), kind="value")
    canvas.note(left + 1.5 * WIDE, low + 3 * CELL + 18, "weights (3, 3)", anchor="middle")
    canvas.note(right + 2 * WIDE, low + 3 * CELL + 18, "averages (3, 4)", anchor="middle")
    canvas.note(4, 40, "a row of weights,")
    canvas.note(4, 57, "times the vectors,")
    canvas.note(4, 74, "is an average")
    rows = "; ".join(f"{word}: {', '.join(map(number, row))}" for word, row in zip(WORDS, averages, strict=True))
    return canvas.finish(
        "Weights times vectors",
        "A matrix of weights with three rows, 1, 0, 0 for Dan’s, 0.5, 0.5, 0 for ice and 0.1, 0.6, 0.3 for cream, times"
        f" the matrix of the three words’ vectors, gives the three averages. {rows}.",
    )


def all_words() -> Drawing:
    """Draw attention as products of matrices, from the words' vectors to the outputs."""
    scores = QUERIES @ KEYS.T  # (T, S)
    output, weights = F.scaled_dot_product_attention(QUERIES, KEYS, VALUES)
    canvas, rows = Canvas(470), 3 * CELL
    canvas.matrix(128, 22, X.tolist(), "")
    canvas.note(180, 14, "X: Dan’s, ice, cream", anchor="middle")
    for t, word in enumerate(WORDS):
        canvas.note(120, 40 + t * CELL, word, anchor="end")
    parts = (("Q", QUERIES, "query", 72), ("K", KEYS, "key", 180), ("V", VALUES, "value", 300))
    for name, matrix, role, x in parts:
        canvas.line((180 + 0.25 * (x - 180), 22 + rows + 4), (x, 146), kind=role)
        canvas.text(x + (14 if x > 100 else -16), 128, f"× W_{name}", role, "start" if x > 100 else "end", 13)
        canvas.matrix(x - matrix.shape[1] * CELL / 2, 152, matrix.tolist(), role)
        canvas.note(x - matrix.shape[1] * CELL / 2 - 8, 195, name, role, "end")
    canvas.line((72, 152 + rows + 4), (90, 276), kind="query")
    canvas.line((180, 152 + rows + 4), (118, 276), kind="key")
    canvas.matrix(58, 282, scores.tolist(), "", cell=30)
    canvas.note(103, 282 + rows + 17, "scores QKᵀ", anchor="middle")
    canvas.line((152, 321), (196, 321), kind="weight")
    canvas.note(174, 310, "÷ √2", anchor="middle")
    canvas.note(174, 342, "softmax", anchor="middle")
    canvas.matrix(202, 282, weights.tolist(), "weight", top=1, cell=WIDE)
    canvas.note(196, 276, "weights", "weight")
    canvas.line((259, 282 + rows + 4), (259, 380), kind="weight")
    canvas.line((334, 152 + rows + 4), (334, 424), (322, 424), kind="value")
    canvas.matrix(202, 386, output.tolist(), "value", top=1, cell=WIDE)
    canvas.note(194, 404, "Dan’s", anchor="end")
    canvas.note(194, 430, "ice", anchor="end")
    canvas.note(146, 430, "outputs", "value", "end")
    canvas.note(194, 456, "cream", anchor="end")
    shown = "; ".join(f"{word}: {', '.join(map(number, row))}" for word, row in zip(WORDS, output, strict=True))
    return canvas.finish(
        "Attention of all words at once",
        "The matrix X has a row for each of Dan’s, ice and cream. Times three matrices it becomes the queries Q, the"
        " keys K and the values V. Q times K transposed gives nine scores; divided by the root of 2, and with a softmax"
        f" along each row, they become the weights. These times V are the outputs, {', '.join(NAMES)}. {shown}.",
    )
