"""An update of low rank as a drawing: two thin matrices whose product is added to a frozen one, and what it saves."""

import numpy as np

from .kit import CELL, Canvas, Drawing

A, B, X = np.array([1, 0, 2, 0]), np.array([0, 3, 0, 1]), np.array([5, 7, 1, 9])
SHAPE, RANK, SCALE = (64, 192), 8, 0.8  # of the drawn matrix and its update, and pixels for a number
#: What is kept of a model of 7 billion weights in GB: the frozen weights, and the trained ones with their gradients and
#: averages. The frozen ones have four bytes each, or four bits and a step of 16 bits for 64 of them.
TUNED = {
    "all weights tuned": (0.0, 28.0, 28.0, 56.0),
    "LoRA with 1%": (28.0, 0.28, 0.28, 0.56),
    "LoRA with 1%, four-bit base": (7 * (4 + 16 / 64) / 8, 0.28, 0.28, 0.56),
}
GB = 336 / 112  # pixels


def low_rank() -> Drawing:
    """Draw a column times a row, a whole matrix of 16 numbers that is made of 8, and what it does to an input."""
    update, canvas, number = np.outer(A, B), Canvas(252), X @ A
    top, middle = 38, 38 + 2 * CELL
    canvas.text(27, 22, "A", "bold")
    canvas.matrix(14, top, [[int(a)] for a in A], "key", shape="4 × 1")
    canvas.text(58, middle + 5, "×")
    canvas.text(126, 22, "B", "bold")
    canvas.matrix(74, middle - CELL / 2, [[int(b) for b in B]], "value", shape="1 × 4")
    canvas.text(196, middle + 5, "=")
    canvas.text(266, 22, "the update AB", "bold")
    canvas.matrix(214, top, [[int(n) for n in row] for row in update], "weight", shape="4 × 4")
    for x, word, width in ((50, _row(X), 96), (184, str(number), 48), (304, _row(number * B), 108)):
        canvas.token(x, 232, word, width)
    for start, end, said in ((98, 160, "A reads"), (208, 250, "B adds")):
        canvas.line((start, 232), (end - 2, 232))
        canvas.note((start + end) / 2, 206, said, anchor="middle")
    rows = "; ".join(str(row.tolist()) for row in update)
    return canvas.finish(
        "An update of rank 1",
        f"A is the column {A.tolist()} and B is the row {B.tolist()}. Their product, the update, has the rows {rows}."
        " Each row is B times one number of A, so 8 trained numbers make an update of 16."
        f" From the input {_row(X)}, A reads the number {number}, and B adds {_row(number * B)} to the output.",
    )


def adapter() -> Drawing:
    """Draw the two ways that an input takes: through the frozen matrix, and through the two thin ones, to scale."""
    canvas, (height, width), thin = Canvas(258), (SCALE * SHAPE[0], SCALE * SHAPE[1]), SCALE * RANK
    left, right, top = 88, 272, 78
    canvas.token(180, 18, "x", 60)
    canvas.line((180, 32), (180, 52), (left, 52), (left, top - 4))
    canvas.line((180, 52), (right, 52), (right, top - 4))
    _block(canvas, left - width / 2, top, width, height, "weight")
    canvas.text(left, top + 22, "W, frozen")
    canvas.note(left, top + 40, f"{SHAPE[0]} × {SHAPE[1]}", anchor="middle")
    _block(canvas, right - thin / 2, top, thin, height, "key")
    canvas.text(right + 12, top + 22, "A", anchor="start")
    canvas.note(right + 12, top + 40, f"{SHAPE[0]} × {RANK}")
    below = top + height + 24
    canvas.line((right, top + height), (right, below - 4))
    _block(canvas, right - width / 2, below, width, thin, "value")
    canvas.text(right + 10, below + thin + 17, "B", anchor="start")
    canvas.note(right + 26, below + thin + 17, f"{RANK} × {SHAPE[1]}")
    end = below + thin + 32
    canvas.line((left, top + height), (left, end), (169, end))
    canvas.line((right, below + thin), (right, end), (191, end))
    canvas.plus(180, end)
    canvas.line((180, end + 10), (180, end + 26))
    canvas.token(180, end + 42, "x W + x A B", 120)
    return canvas.finish(
        "Two ways for one input",
        "The vector x goes through the frozen matrix W, which is 64 by 192, and at the same time through two thin"
        " matrices that are trained: A, 64 by 8, and B, 8 by 192. All are drawn to scale, and A and B are narrow bars"
        " beside W. The two results are added: x W + x A B.",
    )


def tuning_memory() -> Drawing:
    """Draw what is kept in memory while a model of 7 billion weights is tuned, in three ways, as bars."""
    canvas, said = Canvas(230), []
    names = ("frozen", "weights", "gradients", "averages")
    for i, (way, parts) in enumerate(TUNED.items()):
        top, x, total = 6 + 60 * i, 12.0, sum(parts)
        canvas.text(x, top + 14, f"{way}: {total:.0f} GB", "bold", "start")
        for name, part, role in zip(names, parts, ("", "weight", "key", "value"), strict=True):
            if part:
                _block(canvas, x, top + 22, GB * part, 26, role)
            if part > 10:
                canvas.note(x + GB * part / 2, top + 40, name, "", "middle")
            x += GB * part
        if i:
            canvas.note(x + 6, top + 40, "and 1.1 GB for the update")
        kept = ", ".join(f"{name} {part:.3g} GB" for name, part in zip(names, parts, strict=True) if part)
        said.append(f"{way}: {kept}, together {total:.3g} GB")
    canvas.note(12, 204, "A model of 7 billion weights, without activations.")
    canvas.note(12, 222, "In four bits, 64 weights share a step of 16 bits.")
    return canvas.finish("Memory for tuning", ". ".join(said) + ".")


def _row(numbers: np.ndarray) -> str:
    """Write the numbers of a row in parentheses."""
    return f"({', '.join(str(n) for n in numbers)})"


def _block(canvas: Canvas, x: float, y: float, width: float, height: float, role: str) -> None:
    """Draw a matrix without its numbers, or a part of a bar, as an area."""
    canvas.add("rect", x=x, y=y, width=width, height=height, class_=f"cell {role}".strip(), fill_opacity=0.45)
