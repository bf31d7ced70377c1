"""What the output matrix does with the results of two heads: each has its rows, and the products are added up."""

import numpy as np

from .kit import CELL, Canvas, Drawing, number

FOUND = np.array([[1.0, 2.0], [3.0, 0.0]])  # (n_heads, d_v): what each head returns for one word
W_O = np.array([[0.0, 1, 0, 1], [0, 0, 1, 1], [1, 0, 1, 0], [0, 1, 0, 0]])  # (n_heads * d_v, d_model)
WIDE = 30
NAMES = ("head 0", "head 1")


def head_sum() -> Drawing:
    """Draw the product with W_O, as a sum with one term for each head."""
    added = FOUND[:, None] @ W_O.reshape(2, 2, 4)  # (n_heads, 1, d_model)
    canvas, said = Canvas(288), []
    for x, title in ((52, "result"), (164, "its rows of W_O"), (304, "it adds")):
        canvas.note(x, 16, title, anchor="middle")
    for i, name in enumerate(NAMES):
        y = 28 + 104 * i
        canvas.text(4, y + 18, name, "bold", "start")
        canvas.vector(52, y + CELL + 26, FOUND[i].tolist(), "value", top=4, cell=WIDE)
        canvas.text(93, y + CELL + 31, "·")
        canvas.matrix(104, y + 26, W_O[2 * i : 2 * i + 2].tolist(), "layer", top=2, cell=WIDE)
        canvas.text(234, y + CELL + 31, "=")
        canvas.vector(304, y + CELL + 26, added[i, 0].tolist(), "value", top=4, cell=26)
        result, row = (", ".join(map(number, numbers)) for numbers in (FOUND[i], added[i, 0]))
        said.append(f"{name} returns ({result}); with its two rows of W_O it adds ({row})")
    canvas.text(304, 134, "+")
    canvas.line((304, 212), (304, 242), kind="value")
    total = added.sum(axis=0)[0]
    canvas.vector(304, 262, total.tolist(), "value", top=4, cell=26)
    canvas.note(240, 265, "output of the layer", anchor="end")
    canvas.note(240, 283, "for this word", anchor="end")
    said.append(f"The sum is ({', '.join(map(number, total))})")
    return canvas.finish("The output matrix adds up the heads", ". ".join(said) + ".")
